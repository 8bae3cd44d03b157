import { fragmentTokens, isObject, type JsonObject, valueAt } from "@touchstone/core";

const MAX_DEPTH = 6;
const MAX_VALUES = 6_000;
const TEXTS = [
  "",
  "a",
  "abc",
  "2026-01-02",
  "2026-01-02T03:04:05Z",
  "a@b.example",
  "https://a.example/x",
];
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

/** Numbers from 0 up to 1 that look random, the same for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Makes values that a schema accepts, and others that it nearly does. */
class Sampler {
  readonly #root: JsonObject;
  readonly #random: () => number;
  /** Whether parts may be what the schema refuses: if there are many, some then nearly always are. */
  readonly #strays: boolean;
  #left = MAX_VALUES;

  constructor(root: JsonObject, random: () => number) {
    this.#root = root;
    this.#random = random;
    this.#strays = this.#chance(0.5);
  }

  /** How many values were made, those inside others counted as well. */
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

  value(schema: unknown, depth = 0): unknown {
    this.#left -= 1;
    if (!isObject(schema) || depth > MAX_DEPTH || this.#left < 0) return this.#pick(STRAY);
    if (this.#goesAstray(0.04)) return this.#pick(STRAY);
    const { const: only, enum: values } = schema;
    if (Object.hasOwn(schema, "const")) return only;
    if (Array.isArray(values) && values.length > 0) return this.#pick(values);
    const whole = this.#composed(schema, depth);
    const { type } = whole;
    const types = Array.isArray(type) ? type : type === undefined ? this.#guessed(whole) : [type];
    return this.#ofType(String(this.#pick(types)), whole, depth);
  }

  /** The schema with one branch of each composite written into it. */
  #composed(schema: JsonObject, depth: number): JsonObject {
    const parts: JsonObject[] = [];
    const add = (part: unknown): void => {
      if (isObject(part) && depth < MAX_DEPTH) parts.push(this.#composed(part, depth + 1));
    };
    const { $ref, allOf, anyOf, oneOf, then, else: other } = schema;
    if (typeof $ref === "string") add(this.#target($ref));
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
      if (isObject(part["properties"])) Object.assign(properties, part["properties"]);
      const names = part["required"];
      for (const name of Array.isArray(names) ? names : []) required.push(name);
    }
    if (Object.keys(properties).length > 0) merged["properties"] = properties;
    if (required.length > 0) merged["required"] = required;
    return merged;
  }

  #target(reference: string): unknown {
    const tokens = fragmentTokens(reference);
    return tokens === undefined ? undefined : valueAt(this.#root, tokens)?.value;
  }

  #guessed(schema: JsonObject): readonly string[] {
    if (schema["properties"] !== undefined || schema["required"] !== undefined) return ["object"];
    if (schema["items"] !== undefined || schema["prefixItems"] !== undefined) return ["array"];
    return ["string", "number", "integer", "boolean", "null", "array", "object"];
  }

  #ofType(type: string, schema: JsonObject, depth: number): unknown {
    if (Object.hasOwn(schema, "const")) return schema["const"];
    if (Array.isArray(schema["enum"])) return this.#pick(schema["enum"]);
    switch (type) {
      case "object":
        return this.#object(schema, depth);
      case "array":
        return this.#array(schema, depth);
      case "string":
        return this.#string(schema);
      case "integer":
        return this.#number(schema, true);
      case "number":
        return this.#number(schema, this.#chance(0.5));
      case "boolean":
        return this.#chance(0.5);
      default:
        return null;
    }
  }

  #object(schema: JsonObject, depth: number): unknown {
    const { properties, required } = schema;
    const made: Record<string, unknown> = {};
    const wanted = new Set(Array.isArray(required) ? required : []);
    for (const [name, value] of Object.entries(isObject(properties) ? properties : {})) {
      const isThere = wanted.has(name) ? !this.#goesAstray(0.03) : this.#chance(0.4);
      if (isThere) made[name] = this.value(value, depth + 1);
    }
    for (const name of wanted) {
      if (typeof name === "string" && !Object.hasOwn(made, name) && !this.#goesAstray(0.2))
        made[name] = "a";
    }
    if (this.#goesAstray(0.2))
      made["extra-1"] = this.value(schema["additionalProperties"], depth + 1);
    return made;
  }

  #array(schema: JsonObject, depth: number): unknown {
    const { prefixItems, items, minItems, maxItems } = schema;
    const places = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
    const rest = Array.isArray(items) ? schema["additionalItems"] : items;
    const least = typeof minItems === "number" ? minItems : 0;
    const most = typeof maxItems === "number" ? maxItems : least + 2;
    const near = [least, least - 1, least + 1, most, most + 1, places.length, places.length + 1];
    const lengths = this.#strays ? near : near.filter((n) => n >= least && n <= most);
    const length = Math.min(12, Math.max(0, this.#pick(lengths) ?? 0));
    return Array.from({ length }, (_, at) => this.value(places[at] ?? rest, depth + 1));
  }

  #string({ minLength, maxLength }: JsonObject): string {
    const text = this.#pick(TEXTS) ?? "";
    const lengths = [minLength, maxLength].filter(
      (n): n is number => typeof n === "number" && n < 500,
    );
    if (lengths.length === 0) return text;
    const length = Math.max(
      0,
      (this.#pick(lengths) ?? 0) + (this.#strays ? (this.#pick([-1, 0, 1]) ?? 0) : 0),
    );
    return text.padEnd(length, "x").slice(0, length);
  }

  #number(schema: JsonObject, whole: boolean): number {
    const bounds = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]
      .map((keyword) => schema[keyword])
      .filter((bound): bound is number => typeof bound === "number");
    const near = bounds.flatMap((bound) => [bound, bound + 1, bound - 1, bound + 0.5, bound * 2]);
    const numbers = [0, 1, -1, 7, ...near].map((n) => (whole ? Math.round(n) : n));
    return this.#pick(this.#strays ? numbers : numbers.filter((n) => isWithin(schema, n))) ?? 0;
  }
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

/** A value made from a schema, and how many it took, those inside it counted as well. */
export interface Sample {
  readonly value: unknown;
  readonly made: number;
}

/** One time in two a value that the schema accepts, as far as can be told, else one that it nearly does. Never throws. */
export function sampleInstance(schema: JsonObject, random: () => number): Sample {
  const sampler = new Sampler(schema, random);
  const value = sampler.value(schema);
  return { value, made: sampler.made };
}
