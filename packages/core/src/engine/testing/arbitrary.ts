import fc from "fast-check";

/** Names that often occur twice in schemas and values, including names of the object prototype. */
const NAMES = ["a", "b", "c", "1", "é/~%", "toString", "constructor", "__proto__"];
const name: fc.Arbitrary<string> = fc.constantFrom(...NAMES);

/** Makes an object whose keys are all own properties, even `__proto__`. */
function record(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const made: Record<string, unknown> = {};
  for (const [key, value] of entries) {
    Object.defineProperty(made, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return made;
}

function records<T>(key: fc.Arbitrary<string>, value: fc.Arbitrary<T>, maxLength: number) {
  return fc.array(fc.tuple(key, value), { maxLength }).map(record);
}

const scalar: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(null, true, false, 0, 1, 2, 3, 1.5, -1, 0.3, 1e21, 2 ** 53),
  fc.constantFrom("", "a", "b", "ab", "abc", "1", "😀", "😀😀", "é", "2020-01-01", "__proto__"),
);

/** A JSON value of some ten parts. */
export const jsonValue: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    { weight: 3, arbitrary: scalar },
    { weight: 2, arbitrary: fc.array(tie("value"), { maxLength: 4 }) },
    { weight: 4, arbitrary: records(name, tie("value"), 5) },
  ),
})).value;

export interface SchemaOptions {
  /** Whether schemas may declare a property with the name `__proto__`. */
  readonly proto: boolean;
  readonly unevaluated: boolean;
  /** Whether `format`, and divisors that no double holds exactly, are among the keywords. */
  readonly full: boolean;
}

const TYPES = ["array", "boolean", "integer", "null", "number", "object", "string"];
const PATTERNS = ["^a", "b$", "^.$", "o", "^[a-c]+$", "\\d", "^\\p{L}"];
const small = fc.nat(3);

function plainKeywords(full: boolean): Record<string, fc.Arbitrary<unknown>> {
  const number = fc.constantFrom(0, 1, 2, 1.5, -1, 0.1);
  return {
    type: fc.oneof(
      fc.constantFrom(...TYPES),
      fc.uniqueArray(fc.constantFrom(...TYPES), { minLength: 2, maxLength: 4 }),
    ),
    enum: fc.array(jsonValue, { minLength: 1, maxLength: 4 }),
    const: jsonValue,
    multipleOf: full ? fc.constantFrom(1, 2, 0.1, 0.5, 1.5) : fc.constantFrom(1, 2, 0.5, 1.5),
    maximum: number,
    exclusiveMaximum: number,
    minimum: number,
    exclusiveMinimum: number,
    maxLength: small,
    minLength: small,
    pattern: fc.constantFrom(...PATTERNS),
    ...(full ? { format: fc.constantFrom("date", "ipv4", "uuid", "int32", "int64") } : {}),
  };
}

/** A 2020-12 schema without ids; its references lead to itself and to its `$defs`. */
export function jsonSchema({ proto, unevaluated, full }: SchemaOptions): fc.Arbitrary<unknown> {
  const plain = plainKeywords(full);
  const declared = fc.constantFrom(...NAMES.filter((other) => proto || other !== "__proto__"));
  const ref = fc.constantFrom("#", "#/$defs/x", "#/$defs/y", "#/$defs/x", "#/$defs/y");
  const object = (keywords: Record<string, fc.Arbitrary<unknown>>, max: number) =>
    fc.subarray(Object.keys(keywords), { minLength: 0, maxLength: max }).chain((chosen) => {
      const picked = chosen.map((keyword) => keywords[keyword] as fc.Arbitrary<unknown>);
      return fc
        .tuple(...picked)
        .map((values) => record(chosen.map((keyword, i) => [keyword, values[i]] as const)));
    });
  const schema = fc.letrec<{ schema: unknown }>((tie) => {
    const one = tie("schema");
    const list = fc.array(one, { minLength: 1, maxLength: 3 });
    const consuming: Record<string, fc.Arbitrary<unknown>> = {
      items: one,
      prefixItems: list,
      properties: records(declared, one, 4),
      patternProperties: records(fc.constantFrom(...PATTERNS), one, 2),
      additionalProperties: one,
      propertyNames: object(plain, 2),
      maxItems: small,
      minItems: small,
      uniqueItems: fc.boolean(),
      maxProperties: small,
      minProperties: small,
      required: fc.uniqueArray(name, { maxLength: 3 }),
      dependentRequired: records(declared, fc.uniqueArray(name, { maxLength: 3 }), 2),
      dependentSchemas: records(declared, one, 2),
      ...(unevaluated ? { unevaluatedItems: one, unevaluatedProperties: one } : {}),
    };
    const inPlace: Record<string, fc.Arbitrary<unknown>> = {
      allOf: list,
      anyOf: list,
      oneOf: list,
      not: one,
      if: one,
      $ref: ref,
    };
    const contains = fc.record(
      { contains: one, minContains: small, maxContains: small },
      { requiredKeys: ["contains"] },
    );
    const branches = fc
      .tuple(one, fc.subarray(["then", "else"]), one, one)
      .map(([condition, chosen, ...parts]) =>
        record([["if", condition], ...chosen.map((keyword, i) => [keyword, parts[i]] as const)]),
      );
    const merge = (...parts: unknown[]): unknown => Object.assign({}, ...parts);
    const last = unevaluated
      ? fc.constantFrom({}, { unevaluatedProperties: false }, { unevaluatedItems: false })
      : fc.constant({});
    return {
      schema: fc.oneof(
        { maxDepth: 4, depthSize: "small" },
        { weight: 2, arbitrary: fc.boolean() },
        { weight: 4, arbitrary: object(plain, 3) },
        {
          weight: 6,
          arbitrary: fc
            .tuple(object(plain, 1), object(consuming, 4), object(inPlace, 1), last)
            .map((parts) => merge(...parts)),
        },
        { weight: 2, arbitrary: fc.tuple(object(inPlace, 3), last).map((p) => merge(...p)) },
        {
          weight: 1,
          arbitrary: fc.tuple(object(plain, 1), contains, last).map((p) => merge(...p)),
        },
        { weight: 1, arbitrary: fc.tuple(branches, last).map((p) => merge(...p)) },
      ),
    };
  }).schema;
  const root = schema.filter((made) => typeof made === "object");
  return fc
    .record({ root, x: schema, y: schema })
    .map(({ root: made, x, y }) => ({ ...(made as object), $defs: { x, y } }));
}
