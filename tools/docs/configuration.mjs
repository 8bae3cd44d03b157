// Documents the keys of touchstone.json, as the schema for editors has them.
import { configJsonSchema } from "@touchstone/gateway";
import { cell } from "./cell.mjs";

function typeOf(schema) {
  // A variable may replace one of these values.
  const values = schema.enum ?? schema.anyOf?.find((one) => one.enum !== undefined)?.enum;
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(", ");
  const { type = "any", minimum, maximum, exclusiveMinimum, items } = schema;
  if (Array.isArray(type)) {
    // A list, or the one text that the pattern takes.
    const [, text] = /^\^(\w+)\$/.exec(schema.pattern);
    return `${typeOf({ ...schema, type: "array" })}, or ${JSON.stringify(text)}`;
  }
  if (type === "array") return items === undefined ? type : `list of: ${typeOf(items)}`;
  const from =
    minimum ?? (exclusiveMinimum === undefined ? undefined : `above ${exclusiveMinimum}`);
  const bounded = type === "integer" || type === "number";
  const to = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum;
  const range = [from, to].filter(
    (bound) => bound !== undefined && bound !== Number.MIN_SAFE_INTEGER,
  );
  return bounded && range.length > 0 ? `${type}, ${range.join(" to ")}` : type;
}

/** Returns whether a key is in the schema only so that editors refuse it, or because a client has it. */
const isForeign = (schema) => schema.not !== undefined || schema.$ref !== undefined;

function* rows(schema, path) {
  const members = Object.entries({ ...schema.properties, ...schema.else?.properties });
  const patterns = Object.values(schema.patternProperties ?? {}).map((inside) => [
    "/POINTER",
    inside,
  ]);
  for (const [name, inside] of [...members, ...patterns]) {
    if (isForeign(inside)) continue;
    const key = path === "" ? name : `${path}.${name}`;
    const below = inside.additionalProperties;
    if (inside.properties !== undefined) yield* rows(inside, key);
    else if (below?.properties !== undefined) yield* rows(below, `${key}.NAME`);
    else if (inside.items?.properties !== undefined) yield* rows(inside.items, `${key}[]`);
    else {
      const standard = inside.default === undefined ? "" : `\`${JSON.stringify(inside.default)}\``;
      yield `| \`${key}\` | ${cell(typeOf(inside))} | ${standard} | ${cell(inside.description ?? "")} |`;
    }
  }
}

const IN_ENTRY = /^\| `mcpServers\.NAME\.touchstone\./;
/** Returns a row without the path before its key: the section's own name and what follows. */
const afterKey = (row) =>
  row.replace(/^\| `(?:mcpServers\.NAME\.touchstone\.)?(?:tools\.NAME\.)?/, "");

/** Markdown. */
export function configurationReference() {
  const schema = configJsonSchema();
  const all = [...rows(schema, "")];
  const shared = new Set(all.filter((row) => !row.startsWith("| `mcpServers")).map(afterKey));
  // Leaves out keys of a server or tool that repeat those of the top level.
  const own = all.filter((row) => !IN_ENTRY.test(row) || !shared.has(afterKey(row)));
  return [
    "# Keys of touchstone.json",
    "",
    "`NAME` is the name of a server or of a tool. Editors get the same from `touchstone config schema`.",
    "",
    "`mcpServers.NAME.touchstone` takes `*_validation`, `policy`, `pin`, `lock`, `adapt`, `capability` and",
    "`forward_authorization` as the top level does, for one server. `tools.NAME` in it takes `*_validation` for one tool.",
    "",
    "| key | values | default | meaning |",
    "|---|---|---|---|",
    ...own,
    "",
  ].join("\n");
}
