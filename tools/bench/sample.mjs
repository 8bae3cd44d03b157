import { compileDeclared } from "@touchstone/core/advanced";

/** Returns a value with a single fault: the first change that the schema does not allow. */
export function spoiled(schema, value) {
  const compiled = compileDeclared({ value: schema });
  const changes = [...Object.keys(value ?? {})].flatMap((name) => {
    const { [name]: member, ...rest } = value;
    return [{ ...value, [name]: typeof member === "number" ? "1" : 1 }, rest];
  });
  return [...changes, { ...value, surplus: 1 }, [], null].find((one) => !compiled.isValid(one));
}

/** Returns a value that a plain tool schema accepts: the required members and the first few others. */
export function sample(schema, root = schema, depth = 0) {
  if (schema === true || schema === undefined || depth > 8) return null;
  if (schema.$ref?.startsWith("#/")) {
    const target = schema.$ref
      .slice(2)
      .split("/")
      .reduce((at, key) => at?.[key.replaceAll("~1", "/").replaceAll("~0", "~")], root);
    return sample(target, root, depth + 1);
  }
  if ("const" in schema) return schema.const;
  if (schema.enum) return schema.enum[0];
  if ("default" in schema) return schema.default;
  const union = schema.anyOf ?? schema.oneOf;
  if (union) return sample({ ...union[0] }, root, depth + 1);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case "string":
      return text(schema);
    case "integer":
    case "number":
      return schema.minimum ?? (schema.exclusiveMinimum ?? 0) + 1;
    case "boolean":
      return true;
    case "null":
      return null;
    case "array": {
      const count = Math.max(schema.minItems ?? 0, schema.items ? 3 : 0);
      return Array.from({ length: count }, () => sample(schema.items, root, depth + 1));
    }
    default:
      return members(schema, root, depth);
  }
}

const TEXTS = {
  "date-time": "2026-01-02T03:04:05Z",
  date: "2026-01-02",
  email: "ada@example.com",
  uri: "https://example.com/a",
  uuid: "123e4567-e89b-42d3-a456-426614174000",
};

function text({ format, minLength = 0, maxLength }) {
  const given = TEXTS[format] ?? "some text of an ordinary length";
  return given.padEnd(minLength, "x").slice(0, maxLength);
}

function members(schema, root, depth) {
  const { properties = {}, required = [] } = schema;
  const names = [...new Set([...required, ...Object.keys(properties).slice(0, 5)])];
  return Object.fromEntries(names.map((name) => [name, sample(properties[name], root, depth + 1)]));
}
