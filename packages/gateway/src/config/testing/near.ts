import fc from "fast-check";

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly (string | boolean)[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
}

const junk = fc.oneof(
  fc.jsonValue({ maxDepth: 1 }),
  fc.constantFrom(0.5, 1e20, -1, 9007199254740992, "off", "Strict", "postgres://"),
);
const strangers = fc.tuple(fc.constantFrom("constructor", "mode", "x", "toString"), junk);

/** Values that are valid by a schema of the configuration, and some that are almost valid. */
export function near(schema: Schema): fc.Arbitrary<unknown> {
  // The schema does not restrict the other members.
  if (schema.additionalProperties === true) return fc.constantFrom({}, {}, 0.5, "off", null);
  return fc.oneof({ weight: 20, arbitrary: of(schema) }, { weight: 1, arbitrary: junk });
}

function of({ type, ...schema }: Schema): fc.Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (type === "boolean") return fc.boolean();
  if (type === "array") return fc.array(near(schema.items ?? {}), { maxLength: 3 });
  if (type === "string") {
    return fc.constantFrom(schema.pattern === undefined ? "text" : "postgresql://h/d");
  }
  if (type === "integer" || type === "number") {
    const { minimum = 0.5, maximum = 0 } = schema;
    return fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(minimum, minimum + 1, maximum - 1, maximum) },
      { weight: 1, arbitrary: fc.constantFrom(minimum - 1, maximum + 1, minimum + 0.25) },
    );
  }
  if (type !== "object") return junk;
  const { properties, additionalProperties = false } = schema;
  if (properties === undefined) {
    const name = fc.constantFrom("a", "constructor", "tools");
    return fc.dictionary(
      name,
      near(typeof additionalProperties === "object" ? additionalProperties : {}),
      { maxKeys: 3 },
    );
  }
  const some = fc.uniqueArray(fc.constantFrom(...Object.keys(properties)), { maxLength: 3 });
  const known = some.chain((keys) =>
    fc.record(Object.fromEntries(keys.map((key) => [key, near(properties[key] ?? {})]))),
  );
  const other = fc.option(strangers, { nil: undefined, freq: 20 });
  return fc
    .tuple(known, other)
    .map(([value, stranger]) =>
      stranger === undefined ? value : { ...value, [stranger[0]]: stranger[1] },
    );
}
