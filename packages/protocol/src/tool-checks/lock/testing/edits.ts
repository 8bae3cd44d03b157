import { isObject, type JsonObject } from "@touchstone/core/advanced";

/**
 * The effect of an edit on the set of values that a schema accepts: fewer values, or the same except for undeclared
 * members.
 */
export type Effect = "narrower" | "same";

/** A schema before and after one edit, whose effect follows from how it was made. */
export interface Edited {
  readonly name: string;
  readonly effect: Effect;
  readonly before: JsonObject;
  readonly after: JsonObject;
}

/** A change of one node. `apply` returns undefined if the change does not fit the node. */
interface Edit {
  readonly name: string;
  readonly effect: Effect;
  readonly apply: (node: JsonObject, random: Random) => JsonObject | undefined;
}

/** Makes random choices, the same ones for the same sequence of numbers. */
export class Random {
  readonly #next: () => number;

  constructor(next: () => number) {
    this.#next = next;
  }

  /** Returns a whole number from `least` to `most`. */
  whole(least: number, most: number): number {
    return least + Math.floor(this.#next() * (most - least + 1));
  }

  chance(share: number): boolean {
    return this.#next() < share;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.whole(0, list.length - 1)] as T;
  }
}

const WORDS =
  "id name path query limit tags mode user page kind note_to x-key größe __proto__ constructor".split(
    " ",
  );
const PATTERNS = [
  "^[a-z]{2,40}$",
  "^[A-Z][a-z0-9_]*$",
  "^\\d{4}-\\d{2}$",
  "^(?!-)[a-z-]{1,20}$",
  "^#[0-9a-f]{6}$",
];
const FORMATS = ["date", "date-time", "email", "uri", "uuid", "ipv4"];

/** Makes a schema that accepts some values, and in which each part matters for at least one value. */
export function someSchema(random: Random): JsonObject {
  return objectNode(random, 3);
}

function node(random: Random, depth: number): JsonObject {
  const kinds =
    depth > 0
      ? "string string number integer boolean enum nullable union array object map"
      : "string number integer boolean enum";
  switch (random.pick(kinds.split(" "))) {
    case "string":
      return stringNode(random);
    case "number":
      return random.chance(0.5) ? { type: "number" } : { type: "number", ...bounds(random, 0.5) };
    case "integer":
      return random.chance(0.4) ? { type: "integer" } : { type: "integer", ...bounds(random, 1) };
    case "boolean":
      return { type: "boolean" };
    case "enum":
      return {
        enum: Array.from({ length: random.whole(2, 40) }, (_, at) =>
          at % 7 === 6 ? at : `v${at}`,
        ),
      };
    case "nullable":
      return { type: [random.pick(["string", "number", "integer", "boolean"]), "null"] };
    case "union":
      return {
        anyOf: [
          stringNode(random),
          { type: random.pick(["number", "integer"]) },
          { type: "array", items: node(random, 0) },
        ],
      };
    case "array":
      return arrayNode(random, depth);
    case "map":
      return { type: "object", additionalProperties: node(random, depth - 1) };
    default:
      return objectNode(random, depth - 1);
  }
}

function stringNode(random: Random): JsonObject {
  if (random.chance(0.2)) return { type: "string", pattern: random.pick(PATTERNS) };
  if (random.chance(0.15)) return { type: "string", format: random.pick(FORMATS) };
  const least = random.whole(1, 5);
  return {
    type: "string",
    ...(random.chance(0.3) ? { minLength: least } : {}),
    ...(random.chance(0.3) ? { maxLength: least + random.pick([1, 10, 300, 20_000]) } : {}),
  };
}

function bounds(random: Random, step: number): JsonObject {
  const least = random.pick([-1_000_000, -3, 0, 1, 2 ** 31]);
  const most = least + step * 4 * random.pick([1, 10, 250_000]);
  return {
    ...(random.chance(0.7) ? { minimum: least } : {}),
    ...(random.chance(0.7) ? { maximum: most } : {}),
  };
}

function arrayNode(random: Random, depth: number): JsonObject {
  const least = random.whole(1, 3);
  return {
    type: "array",
    items: node(random, depth - 1),
    ...(random.chance(0.3) ? { minItems: least } : {}),
    ...(random.chance(0.3) ? { maxItems: least + random.pick([1, 5, 400]) } : {}),
  };
}

function objectNode(random: Random, depth: number): JsonObject {
  const properties = Object.create(null) as Record<string, JsonObject>;
  for (let left = random.whole(1, 6); left > 0; left -= 1) {
    const value = node(random, depth - 1);
    Object.defineProperty(properties, random.pick(WORDS), {
      value,
      enumerable: true,
      configurable: true,
    });
  }
  const required = Object.keys(properties).filter(() => random.chance(0.4));
  return {
    type: "object",
    properties,
    ...(required.length > 0 ? { required } : {}),
    ...(random.chance(0.5) ? { additionalProperties: false } : {}),
  };
}

const isType = (value: JsonObject, type: string): boolean => value["type"] === type;
const numberOf = (value: JsonObject, name: string): number | undefined =>
  typeof value[name] === "number" ? value[name] : undefined;
const isPlain = (value: JsonObject): boolean =>
  isType(value, "string") && value["pattern"] === undefined && value["format"] === undefined;
const keys = (value: JsonObject): readonly string[] =>
  isObject(value["properties"]) ? Object.keys(value["properties"]) : [];
const without = (value: JsonObject, name: string): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([own]) => own !== name));
const narrower = (name: string, apply: Edit["apply"]): Edit => ({
  name,
  effect: "narrower",
  apply,
});
const same = (name: string, apply: Edit["apply"]): Edit => ({ name, effect: "same", apply });

/** Makes a bound tighter by `by`, or adds it if there was none. */
function tighter(value: JsonObject, name: string, by: number, first: number): JsonObject {
  return { ...value, [name]: (numberOf(value, name) ?? first - by) + by };
}

const hasRoom = (value: JsonObject, least: string, most: string): boolean =>
  (numberOf(value, most) ?? Number.POSITIVE_INFINITY) > (numberOf(value, least) ?? 0);

const EDITS: readonly Edit[] = [
  narrower("maxLength", (value, random) => {
    if (!isPlain(value) || !hasRoom(value, "minLength", "maxLength")) return undefined;
    return tighter(value, "maxLength", -1, random.pick([20, 1_000, 30_000]));
  }),
  narrower("minLength", (value) =>
    isPlain(value) && hasRoom(value, "minLength", "maxLength")
      ? tighter(value, "minLength", 1, 1)
      : undefined,
  ),
  narrower("pattern", (value, random) => {
    if (!isPlain(value)) return undefined;
    return {
      ...value,
      pattern: random.pick(["^[a-z]*$", "^(?!no)", "^[^;]*$", "^[\\0-\\u{10fffe}]*$"]),
    };
  }),
  narrower("another pattern", (value) => {
    const { pattern } = value;
    const less = {
      "^[a-z]{2,40}$": "^[a-z]{2,39}$",
      "^\\d{4}-\\d{2}$": "^\\d{4}-0\\d$",
      "^#[0-9a-f]{6}$": "^#[0-9a-e]{6}$",
    };
    const found = Object.entries(less).find(([own]) => own === pattern);
    return found === undefined ? undefined : { ...value, pattern: found[1] };
  }),
  narrower("format", (value, random) =>
    isPlain(value) && value["minLength"] === undefined
      ? { ...value, format: random.pick(FORMATS) }
      : undefined,
  ),
  narrower("not const", (value) =>
    isPlain(value) && hasRoom({ ...value, most: value["maxLength"] }, "minLength", "most")
      ? {
          ...value,
          not: {
            const: "b"
              .repeat(Math.max(4, numberOf(value, "minLength") ?? 0))
              .slice(0, numberOf(value, "maxLength")),
          },
        }
      : undefined,
  ),
  narrower("an enum", (value) =>
    value["type"] === "string" && Object.keys(value).length === 1
      ? { ...value, enum: ["a", "b"] }
      : undefined,
  ),
  narrower("integer", (value) =>
    isType(value, "number") ? { ...value, type: "integer" } : undefined,
  ),
  narrower("maximum", (value, random) => {
    if (!isType(value, "number") && !isType(value, "integer")) return undefined;
    return tighter(value, "maximum", -1, random.pick([2 ** 33, 1e15, 2 ** 53]));
  }),
  narrower("exclusiveMinimum", (value) => {
    const minimum = numberOf(value, "minimum");
    return minimum === undefined
      ? undefined
      : { ...without(value, "minimum"), exclusiveMinimum: minimum };
  }),
  narrower("multipleOf", (value, random) => {
    if (isType(value, "number")) return { ...value, multipleOf: random.pick([0.01, 0.5, 1]) };
    return isType(value, "integer") ? { ...value, multipleOf: random.pick([2, 3]) } : undefined;
  }),
  narrower("one value less", (value, random) => {
    const { enum: values } = value;
    if (!Array.isArray(values) || values.length < 2) return undefined;
    const gone = random.whole(0, values.length - 1);
    return { ...value, enum: values.filter((_, at) => at !== gone) };
  }),
  narrower("not null", (value) => {
    const { type } = value;
    return Array.isArray(type) ? { ...value, type: type[0] } : undefined;
  }),
  narrower("one branch less", (value, random) => {
    const { anyOf } = value;
    if (!Array.isArray(anyOf) || anyOf.length < 2) return undefined;
    const gone = random.whole(0, anyOf.length - 1);
    return { ...value, anyOf: anyOf.filter((_, at) => at !== gone) };
  }),
  narrower("maxItems", (value, random) => {
    if (!isType(value, "array") || !hasRoom(value, "minItems", "maxItems")) return undefined;
    return tighter(value, "maxItems", -1, random.pick([3, 50, 700]));
  }),
  narrower("minItems", (value) =>
    isType(value, "array") && hasRoom(value, "minItems", "maxItems")
      ? tighter(value, "minItems", 1, 1)
      : undefined,
  ),
  narrower("uniqueItems", (value) =>
    isType(value, "array") &&
    (numberOf(value, "maxItems") ?? 2) > 1 &&
    (numberOf(value, "minItems") ?? 0) < 2
      ? { ...value, uniqueItems: true }
      : undefined,
  ),
  narrower("contains", (value) =>
    isType(value, "array") && (numberOf(value, "maxItems") ?? 9) > 0
      ? {
          ...value,
          contains: {},
          minContains: 0,
          maxContains: (numberOf(value, "maxItems") ?? 9) - 1,
        }
      : undefined,
  ),
  narrower("required", (value, random) => {
    const { required } = value;
    const there: readonly unknown[] = Array.isArray(required) ? required : [];
    const optional = keys(value).filter((name) => !there.includes(name));
    return optional.length === 0
      ? undefined
      : { ...value, required: [...there, random.pick(optional)] };
  }),
  narrower("dependentRequired", (value) => {
    const { required } = value;
    const there: readonly unknown[] = Array.isArray(required) ? required : [];
    const [one, other] = keys(value).filter((name) => !there.includes(name));
    if (one === undefined || other === undefined || one === "__proto__") return undefined;
    return { ...value, dependentRequired: { [one]: [other] } };
  }),
  narrower("a property of a closed object is gone", (value, random) => {
    const { properties, required, additionalProperties } = value;
    const there: readonly unknown[] = Array.isArray(required) ? required : [];
    const optional = keys(value).filter((name) => !there.includes(name));
    if (additionalProperties !== false || optional.length === 0 || !isObject(properties))
      return undefined;
    return { ...value, properties: without(properties, random.pick(optional)) };
  }),
  narrower("closed", (value) =>
    isObject(value["properties"]) && value["additionalProperties"] === undefined
      ? { ...value, additionalProperties: false }
      : undefined,
  ),
  narrower("propertyNames", (value, random) =>
    isObject(value["additionalProperties"])
      ? {
          ...value,
          propertyNames: random.pick([
            { not: { const: "admin" } },
            { pattern: "^[a-z]+$" },
            { maxLength: 30 },
          ]),
        }
      : undefined,
  ),
  narrower("maxProperties", (value) =>
    isObject(value["additionalProperties"]) ? { ...value, maxProperties: 5 } : undefined,
  ),
  narrower("minProperties", (value) =>
    isObject(value["additionalProperties"]) ? { ...value, minProperties: 1 } : undefined,
  ),
  narrower("true only", (value) => (isType(value, "boolean") ? { const: true } : undefined)),
  same("description", (value) => ({ ...value, description: "changed" })),
  same("allOf", (value) => ({ allOf: [value] })),
  same("anyOf of one", (value) => ({ anyOf: [value, false] })),
  same("types apart", (value) => {
    const { type } = value;
    return Array.isArray(type)
      ? { anyOf: type.map((one) => ({ ...value, type: one })) }
      : undefined;
  }),
  same("enum in another order", (value) =>
    Array.isArray(value["enum"]) ? { enum: [...value["enum"]].reverse() } : undefined,
  ),
  same("a new optional property", (value) =>
    isObject(value["properties"]) && value["additionalProperties"] === undefined
      ? { ...value, properties: { ...value["properties"], brandNew: { type: "string" } } }
      : undefined,
  ),
  same("a bound of integers in other words", (value) => {
    const minimum = numberOf(value, "minimum");
    if (!isType(value, "integer") || minimum === undefined) return undefined;
    return { ...without(value, "minimum"), exclusiveMinimum: minimum - 1 };
  }),
  same("another spelling of a pattern", (value) =>
    typeof value["pattern"] === "string"
      ? { ...value, pattern: `(?:${value["pattern"]})` }
      : undefined,
  ),
  same("not what it never is", (value) =>
    isType(value, "string") || isType(value, "integer")
      ? { ...value, not: { type: "array" } }
      : undefined,
  ),
];

/** Makes a schema and applies one edit to it; undefined if the edit fits none of its nodes. */
export function someEdit(random: Random): Edited | undefined {
  const before = someSchema(random);
  const edit = random.pick(EDITS);
  const places = nodesOf(before).filter(
    (place) => edit.apply(place, new Random(() => 0)) !== undefined,
  );
  if (places.length === 0) return undefined;
  const place = random.pick(places);
  const edited = edit.apply(place, random);
  if (edited === undefined) return undefined;
  const { name, effect } = edit;
  return { name, effect, before, after: replaced(before, place, edited) as JsonObject };
}

/** Returns a schema and all schemas inside it. */
function nodesOf(schema: unknown): readonly JsonObject[] {
  if (!isObject(schema)) return [];
  const { properties, items, additionalProperties, anyOf } = schema;
  const below = [
    ...(isObject(properties) ? Object.values(properties) : []),
    items,
    additionalProperties,
    ...(Array.isArray(anyOf) ? anyOf : []),
  ];
  return [schema, ...below.flatMap(nodesOf)];
}

function replaced(value: unknown, place: JsonObject, by: JsonObject): unknown {
  if (value === place) return by;
  if (Array.isArray(value)) return value.map((item) => replaced(item, place, by));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, below]) => [name, replaced(below, place, by)]),
  );
}
