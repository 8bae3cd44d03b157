import {
  fragmentTokens,
  isObject,
  type JsonObject,
  samplePattern,
  valueAt,
} from "@touchstone/core/advanced";
import { BoundedWork } from "../bounded-work.ts";

const MAX_DEPTH = 6;
const MAX_VALUES = 6_000;
/** How many steps making one value may take, if no other budget is given. */
const MAX_STEPS = 2_000_000;
/** Steps for each character of a pattern, to make a text for it. */
const STEPS_PER_CHARACTER = 20;
const FEW_PATTERNS = 16;
const TEXTS = [
  "",
  "a",
  "abc",
  "2026-01-02",
  "2026-01-02T03:04:05Z",
  "a@b.example",
  "https://a.example/x",
];
/** Texts for formats that the texts above do not cover. */
const OF_FORMATS: Readonly<Record<string, string>> = {
  date: "2026-01-02",
  "date-time": "2026-01-02T03:04:05Z",
  duration: "P1D",
  email: "a@b.example",
  hostname: "a.example",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  "json-pointer": "/a",
  regex: "^a$",
  time: "03:04:05Z",
  uri: "https://a.example/x",
  "uri-reference": "/x",
  uuid: "123e4567-e89b-42d3-a456-426614174000",
};
const STRAY: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  "",
  "a",
  [],
  {},
  [null],
  { a: 1 },
];

/** Returns a generator of pseudorandom numbers from 0 up to 1, the same for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const MEMBER = { enumerable: true, configurable: true, writable: true } as const;

/** Makes values that a schema accepts, and values that it almost accepts. */
class Sampler {
  readonly #root: JsonObject;
  /** The other schema that values are based on, and its root. */
  readonly #beside: JsonObject | undefined;
  readonly #random: () => number;
  readonly #work: BoundedWork;
  /** Whether parts may be invalid. If a value has many parts, some then almost always are. */
  readonly #strays: boolean;
  #left = MAX_VALUES;

  constructor(
    root: JsonObject,
    random: () => number,
    beside: JsonObject | undefined,
    work: BoundedWork,
  ) {
    this.#root = root;
    this.#beside = beside;
    this.#random = random;
    this.#work = work;
    this.#strays = this.#chance(0.5);
  }

  /** Counts steps. Once all are spent, only scalars are made. */
  #spend(steps: number): void {
    this.#work.spend(steps);
    if (this.#work.isOver) this.#left = Math.min(this.#left, -1);
  }

  /** How many values were made, including nested ones. */
  get made(): number {
    return MAX_VALUES - this.#left;
  }

  #chance(share: number): boolean {
    return this.#random() < share;
  }

  #goesAstray(share: number): boolean {
    return this.#strays && this.#chance(share);
  }

  #pick<T>(choices: readonly T[]): T | undefined {
    return choices[Math.floor(this.#random() * choices.length)];
  }

  /** @param other the schema on the other side for the same value */
  value(schema: unknown, other?: unknown, depth = 0): unknown {
    this.#left -= 1;
    if (!isObject(schema) || depth > MAX_DEPTH || this.#left < 0) {
      // If this schema accepts anything, sometimes make a value for the other schema.
      if (schema !== false && isObject(other) && depth <= MAX_DEPTH && this.#left >= 0) {
        if (this.#chance(0.5)) return this.#swapped(other, depth);
      }
      return this.#pick(STRAY);
    }
    if (this.#goesAstray(0.04)) return this.#pick(STRAY);
    const { const: only, enum: values } = schema;
    if (Object.hasOwn(schema, "const")) return only;
    if (Array.isArray(values) && values.length > 0) return this.#pick(values);
    const whole = this.#composed(schema, depth, this.#root);
    const near = isObject(other) ? this.#composed(other, depth, this.#beside ?? {}) : {};
    const { type } = whole;
    const types = Array.isArray(type) ? type : type === undefined ? this.#guessed(whole) : [type];
    return this.#ofType(String(this.#pick(types)), whole, near, depth);
  }

  /** Makes a value from the other schema alone. */
  #swapped(other: JsonObject, depth: number): unknown {
    const sampler = new Sampler(this.#beside ?? other, this.#random, undefined, this.#work);
    const value = sampler.value(other, undefined, depth + 1);
    this.#left -= sampler.made;
    return value;
  }

  /** Returns the schema with one branch of each composite merged into it. */
  #composed(schema: JsonObject, depth: number, root: JsonObject): JsonObject {
    const parts: JsonObject[] = [];
    const add = (part: unknown): void => {
      if (!isObject(part) || depth >= MAX_DEPTH || this.#left < 0) return;
      parts.push(this.#composed(part, depth + 1, root));
    };
    const { $ref, allOf, anyOf, oneOf, then, else: other } = schema;
    if (typeof $ref === "string") add(targetOf(root, $ref));
    for (const part of Array.isArray(allOf) ? allOf : []) add(part);
    for (const branches of [anyOf, oneOf]) if (Array.isArray(branches)) add(this.#pick(branches));
    add(this.#chance(0.5) ? then : other);
    if (parts.length === 0) return schema;
    const properties: Record<string, unknown> = {};
    const required: unknown[] = [];
    const merged: Record<string, unknown> = {};
    for (const part of parts) Object.assign(merged, part);
    Object.assign(merged, schema);
    for (const part of [schema, ...parts]) {
      const names = part["required"];
      this.#spend(1 + sizeOf(part["properties"]) + sizeOf(names));
      if (isObject(part["properties"])) Object.assign(properties, part["properties"]);
      for (const name of Array.isArray(names) ? names : []) required.push(name);
    }
    if (Object.keys(properties).length > 0) merged["properties"] = properties;
    if (required.length > 0) merged["required"] = required;
    return merged;
  }

  #guessed(schema: JsonObject): readonly string[] {
    if (schema["properties"] !== undefined || schema["required"] !== undefined) return ["object"];
    if (schema["items"] !== undefined || schema["prefixItems"] !== undefined) return ["array"];
    return ["string", "number", "integer", "boolean", "null", "array", "object"];
  }

  #ofType(type: string, schema: JsonObject, near: JsonObject, depth: number): unknown {
    if (Object.hasOwn(schema, "const")) return schema["const"];
    if (Array.isArray(schema["enum"])) return this.#pick(schema["enum"]);
    const listed = Object.hasOwn(near, "const") ? [near["const"]] : near["enum"];
    if (Array.isArray(listed) && listed.length > 0 && this.#chance(0.5)) {
      this.#spend(listed.length >> 4);
      const fitting = listed.filter((value) => isOfType(type, value));
      if (fitting.length > 0) return this.#pick(fitting);
    }
    switch (type) {
      case "object":
        return this.#object(schema, near, depth);
      case "array":
        return this.#array(schema, near, depth);
      case "string":
        return this.#string(schema, near);
      case "integer":
        return this.#number(schema, near, true);
      case "number":
        return this.#number(schema, near, this.#chance(0.5));
      case "boolean":
        return this.#chance(0.5);
      default:
        return null;
    }
  }

  #object(schema: JsonObject, near: JsonObject, depth: number): unknown {
    const { required, additionalProperties: others } = schema;
    const own = isObject(schema["properties"]) ? schema["properties"] : {};
    const theirs = isObject(near["properties"]) ? near["properties"] : {};
    this.#spend(sizeOf(own) + sizeOf(theirs) + sizeOf(required));
    const made: Record<string, unknown> = {};
    const put = (name: string, value: unknown): void => {
      // In wide objects, to define each member takes several times as long.
      if (name !== "__proto__") made[name] = value;
      else Object.defineProperty(made, name, { ...MEMBER, value });
    };
    const wanted = new Set(Array.isArray(required) ? required : []);
    const all = this.#chance(0.1);
    for (const [name, value] of Object.entries(own)) {
      const isThere = wanted.has(name) ? !this.#goesAstray(0.03) : all || this.#chance(0.4);
      if (isThere) put(name, this.value(value, memberOf(theirs, name), depth + 1));
    }
    for (const name of wanted) {
      if (typeof name === "string" && !Object.hasOwn(made, name) && !this.#goesAstray(0.2))
        put(
          name,
          others === undefined ? "a" : this.value(others, memberOf(theirs, name), depth + 1),
        );
    }
    for (const [name, value] of Object.entries(theirs)) {
      if (Object.hasOwn(own, name) || others === false || !this.#chance(0.3)) continue;
      put(name, this.value(others, value, depth + 1));
    }
    const isOpen = this.#beside !== undefined && others !== false && this.#chance(0.15);
    if (isOpen || this.#goesAstray(0.2)) put("extra-1", this.value(others, undefined, depth + 1));
    for (const patterns of [schema["patternProperties"], near["patternProperties"]]) {
      if (!isObject(patterns)) continue;
      const entries = Object.entries(patterns);
      const share = this.#shareOf(entries.length);
      for (const [source, value] of entries) {
        const name = this.#chance(share) ? this.#matching(source) : undefined;
        if (name !== undefined && !Object.hasOwn(made, name))
          put(name, this.value(value, undefined, depth + 1));
      }
    }
    return made;
  }

  /** Returns how many of an object's patterns get a member. If there are many, a check of all may take too long. */
  #shareOf(patterns: number): number {
    return patterns <= FEW_PATTERNS || this.#chance(0.5) ? 0.5 : 1 / patterns;
  }

  #array(schema: JsonObject, near: JsonObject, depth: number): unknown {
    const { minItems, maxItems } = schema;
    const [places, rest] = itemsOf(schema);
    const [otherPlaces, otherRest] = itemsOf(near);
    const least = typeof minItems === "number" ? minItems : 0;
    const most = typeof maxItems === "number" ? maxItems : least + 2;
    const close = [least, least - 1, least + 1, most, most + 1, places.length, places.length + 1];
    for (const bound of [near["minItems"], near["maxItems"]]) {
      if (typeof bound === "number") close.push(bound - 1, bound, bound + 1);
    }
    const isIn = (n: number): boolean =>
      n >= least && (typeof maxItems === "number" || this.#beside === undefined ? n <= most : true);
    const lengths = this.#strays ? close : close.filter(isIn);
    const length = Math.min(12, Math.max(0, this.#pick(lengths) ?? 0));
    return Array.from({ length }, (_, at) =>
      this.value(places[at] ?? rest, otherPlaces[at] ?? otherRest, depth + 1),
    );
  }

  #string(schema: JsonObject, near: JsonObject): string {
    const made = this.#formatted(schema, near);
    if (made !== undefined) return made;
    const text = this.#pick(TEXTS) ?? "";
    const bounds = [schema, near].flatMap(({ minLength, maxLength }) => [minLength, maxLength]);
    const lengths = bounds.filter((n): n is number => typeof n === "number" && n < 500);
    if (lengths.length === 0) return text;
    const isNear = this.#strays || this.#beside !== undefined;
    const length = Math.max(
      0,
      (this.#pick(lengths) ?? 0) + (isNear ? (this.#pick([-1, 0, 1]) ?? 0) : 0),
    );
    return text.padEnd(length, "x").slice(0, length);
  }

  /** Makes a text for the pattern or format, if there is one. */
  #formatted(schema: JsonObject, near: JsonObject): string | undefined {
    const { pattern, format } = schema;
    if (this.#goesAstray(0.3)) return undefined;
    if (typeof pattern === "string") return this.#matching(pattern);
    if (typeof format === "string") return OF_FORMATS[format];
    if (this.#beside === undefined || this.#chance(0.5)) return undefined;
    if (typeof near["pattern"] === "string") return this.#matching(near["pattern"]);
    return typeof near["format"] === "string" ? OF_FORMATS[near["format"]] : undefined;
  }

  /** Returns a text that matches a pattern, as far as that can be tested; undefined if a few tries find none. */
  #matching(source: string): string | undefined {
    for (let tries = 0; tries < 3 && this.#left >= 0; tries += 1) {
      this.#spend(STEPS_PER_CHARACTER * source.length);
      const text = samplePattern(source, this.#random);
      if (text !== undefined && this.#work.matches(source, text) !== false) return text;
    }
    return undefined;
  }

  #number(schema: JsonObject, near: JsonObject, whole: boolean): number {
    const bounds = [schema, near].flatMap((each) =>
      ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]
        .map((keyword) => each[keyword])
        .filter((bound): bound is number => typeof bound === "number"),
    );
    const close = bounds.flatMap((bound) => [bound, bound + 1, bound - 1, bound + 0.5, bound * 2]);
    const numbers = [0, 1, -1, 7, ...close].map((n) => (whole ? Math.round(n) : n));
    return this.#pick(this.#strays ? numbers : numbers.filter((n) => isWithin(schema, n))) ?? 0;
  }
}

function targetOf(root: JsonObject, reference: string): unknown {
  const tokens = fragmentTokens(reference);
  return tokens === undefined ? undefined : valueAt(root, tokens)?.value;
}

function memberOf(map: JsonObject, name: string): unknown {
  return Object.hasOwn(map, name) ? map[name] : undefined;
}

/** Returns the schemas of an array's first items, and of the remaining ones. */
function itemsOf({
  prefixItems,
  items,
  additionalItems,
}: JsonObject): [readonly unknown[], unknown] {
  const places = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
  return [places, Array.isArray(items) ? additionalItems : items];
}

function isOfType(type: string, value: unknown): boolean {
  if (value === null) return type === "null";
  if (Array.isArray(value)) return type === "array";
  if (typeof value === "number")
    return type === "number" || (type === "integer" && Number.isInteger(value));
  return typeof value === type;
}

function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : 0;
}

function isWithin(schema: JsonObject, value: number): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  return (
    !(typeof minimum === "number" && value < minimum) &&
    !(typeof maximum === "number" && value > maximum) &&
    !(typeof exclusiveMinimum === "number" && value <= exclusiveMinimum) &&
    !(typeof exclusiveMaximum === "number" && value >= exclusiveMaximum) &&
    !(typeof multipleOf === "number" && value % multipleOf !== 0)
  );
}

/** A value made from a schema, and how many values that took, including nested ones. */
export interface SampledValue {
  readonly value: unknown;
  readonly made: number;
}

/**
 * Makes a value: half of the time one that the schema should accept, otherwise one that it almost accepts. Never
 * throws.
 * @param beside another schema, whose bounds, names and values are then used as well
 * @param work the budget that several values share
 */
export function sampleInstance(
  schema: JsonObject,
  random: () => number,
  beside?: JsonObject,
  work: BoundedWork = new BoundedWork(MAX_STEPS),
): SampledValue {
  const sampler = new Sampler(schema, random, beside, work);
  const value = sampler.value(schema, beside);
  return { value, made: sampler.made };
}
