import {
  type Check,
  type CompiledSchema,
  closestIssues,
  isObject,
  unescapePointer,
} from "@touchstone/core/advanced";
import { follow, jsonAt, pointerIn } from "./agent.ts";
import { valueAtPointer } from "./values.ts";

const PLACE = String.raw`(?:the (?:arguments|value)|/[\w$.@/~-]*|"(?:[^"\\]|\\.)*")`;

function count(size: number, one: string): string {
  return `${size} ${one}${size === 1 ? "" : "s"}`;
}

/** Describes a value in the words of the texts. */
function described(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return `an array of ${count(value.length, "item")}`;
  if (value === "") return "an empty string";
  if (typeof value === "string") {
    return `a string of ${count([...value].length, "character")}`;
  }
  if (typeof value === "number") return Number.isInteger(value) ? "an integer" : "a number";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** Returns the nouns of the types that a value has. */
function nounsOf(value: unknown): readonly string[] {
  if (value === null) return ["null"];
  if (Array.isArray(value)) return ["an array"];
  if (Number.isInteger(value)) return ["an integer", "a number"];
  return [typeof value === "object" ? "an object" : `a ${typeof value}`];
}

/** Returns whether an object anywhere in the schema has a member with this name and value. */
function holds(schema: unknown, name: string, value?: string): boolean {
  if (typeof schema !== "object" || schema === null) return false;
  return Object.entries(schema).some(
    ([key, member]) =>
      (key === name && (value === undefined || JSON.stringify(member) === value)) ||
      holds(member, name, value),
  );
}

/** The facts with which a sentence is compared. */
interface Facts {
  readonly schema: CompiledSchema;
  readonly declared: unknown;
  readonly args: unknown;
}

const NUMBERS: readonly (readonly [RegExp, (value: number, limit: number) => boolean])[] = [
  [/must be at least (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)/, (value, limit) => value < limit],
  [/must be at most (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)/, (value, limit) => value > limit],
  [/must be more than (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)/, (value, limit) => value <= limit],
  [/must be less than (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)/, (value, limit) => value >= limit],
  [/must have at least (\d+) (?:items?|characters?|propert)/, (value, limit) => value < limit],
  [/must have at most (\d+) (?:items?|characters?|propert)/, (value, limit) => value > limit],
];

function sizeOf(value: unknown): number {
  if (typeof value === "number") return value;
  if (typeof value === "string") return [...value].length;
  return typeof value === "object" && value !== null ? Object.keys(value).length : Number.NaN;
}

const lastOf = (pointer: string): string => pointer.slice(pointer.lastIndexOf("/") + 1);
const above = (pointer: string): string => pointer.slice(0, pointer.lastIndexOf("/"));
const check = ({ schema }: Facts, args: unknown): Check =>
  schema.validateText(JSON.stringify(args));

/** Returns whether the issues of the closest branches name a place, or a place below it. */
function isWrong(facts: Facts, args: unknown, pointer: string): boolean {
  return closestIssues(check(facts, args).errors).some(
    ({ path }) => path === pointer || path.startsWith(`${pointer}/`),
  );
}

/**
 * What a union demands depends on the rest of the value, so texts make no statement about a place in a union that
 * fails.
 */
function isInUnion({ errors }: Check): boolean {
  return errors.some(({ keyword }) => keyword === "anyOf" || keyword === "oneOf");
}

function isOfWrongType(facts: Facts, args: unknown, pointer: string): boolean {
  const found = check(facts, args);
  if (isInUnion(found)) return false;
  return found.errors.some(({ path, keyword }) => keyword === "type" && path === pointer);
}

/** Returns whether a place is required in every branch of a union. */
function isAlwaysRequired(facts: Facts, args: unknown, pointer: string): boolean {
  const found = check(facts, args);
  if (isInUnion(found)) return false;
  return found.errors.some(({ path, rule }) => rule === "required" && path === pointer);
}

/** Returns why a line is not true of a call, or does not achieve what it promises; nothing if the line is right. */
export function untruths(line: string, facts: Facts): readonly string[] {
  const { args, declared } = facts;
  const found: string[] = [];
  const expect = (isTrue: boolean, what: string): void => {
    if (!isTrue) found.push(what);
  };
  const text = line
    .replace(/ \((?:~[01] stands for [^)]*)\)/, "")
    .replace(/^Then (\w)/, (_, letter: string) => letter.toUpperCase());
  const verb = /^\w+/.exec(text)?.[0];
  const pointer = pointerIn(
    new RegExp(`^(?:Add|Change|Rename|Remove) (${PLACE})`).exec(text)?.[1] ?? "the value",
  );
  const at = valueAtPointer(args, pointer);
  const { errors } = check(facts, args);
  if (verb === "Add") {
    expect(at === undefined, "it is there");
    expect(isObject(valueAtPointer(args, above(pointer))?.value), "no object can have it");
    const isMissing = errors.some(({ path, rule }) => rule === "required" && path === pointer);
    expect(isMissing, "no issue asks for it");
    for (const [, sent = ""] of text.matchAll(
      /(?:You sent |, | and )(\/[\w$.@/~-]+)(?=.* does not declare)/g,
    )) {
      expect(valueAtPointer(args, sent) !== undefined, `${sent} was not sent`);
    }
    if (/Did you mean \//.test(text)) {
      expect(!isWrong(facts, follow([line], args), pointer), "what it means is not valid");
    }
  }
  if (verb === "Rename" || verb === "Remove" || verb === "Change") {
    expect(at !== undefined, "it is not there");
  }
  if (verb === "Rename" && / to "/.test(text)) {
    const name = jsonAt(text.slice(text.indexOf(' to "') + 4))?.value as string;
    expect(
      !Object.hasOwn(Object(valueAtPointer(args, above(pointer))?.value), name),
      "the name is taken",
    );
    expect(
      holds(declared, name) || JSON.stringify(declared).includes(JSON.stringify(name)),
      "nothing has that name",
    );
  }
  if (verb === "Remove" && /is not declared|rename it/.test(text)) {
    expect(
      errors.some(({ path, rule }) => rule === "extra" && path === pointer),
      "no issue is about it",
    );
    const unused = /unused names are (.*?)(?: and \d+ more)?\./.exec(text)?.[1] ?? "";
    for (const [name] of unused.matchAll(/"(?:[^"\\]|\\.)*"/g)) {
      const one = JSON.parse(name) as string;
      expect(holds(declared, one), `${name} is not declared`);
      expect(
        !Object.hasOwn(Object(valueAtPointer(args, above(pointer))?.value), one),
        `${name} is used`,
      );
    }
  }
  if (verb === "Change" && at !== undefined) {
    expect(
      errors.some(({ path }) => path === pointer),
      "no issue is about it",
    );
    const got =
      /; (?:it is|they are) (an? [a-z ]*(?:of (?:more than )?\d+ \w+)?|null|an empty string)(?=[.:;(]|$)/.exec(
        text,
      )?.[1];
    if (got !== undefined && got !== "a number with a fraction") {
      expect(got.trim() === described(at.value), `it is ${described(at.value)}`);
    }
    const types =
      /(?:: |they |it )must be ((?:an? \w+|null)(?:(?:, | or )(?:an? \w+|null))*)(?=;|\.|$)/.exec(
        text,
      )?.[1];
    for (const noun of types?.split(/, | or /) ?? []) {
      expect(!nounsOf(at.value).includes(noun), `it is ${noun}`);
    }
    for (const [pattern, isBeyond] of NUMBERS) {
      const limit = pattern.exec(text)?.[1];
      if (limit !== undefined)
        expect(isBeyond(sizeOf(at.value), Number(limit)), `not beyond ${limit}`);
    }
    const isPromise =
      /Did you mean |: send (?:the number|true|false|null|the item|it |an array, with)/.test(text);
    const after = follow([line], args);
    if (isPromise) expect(!isWrong(facts, after, pointer), "what it suggests is not valid");
    if (/: send an? /.test(text))
      expect(!isOfWrongType(facts, after, pointer), "its type is wrong");
    if (/leave it out/.test(text))
      expect(!isAlwaysRequired(facts, after, pointer), "it is required");
  }
  const byDefault = /its default is (.*)$/.exec(text)?.[1];
  const value = byDefault === undefined ? undefined : jsonAt(byDefault)?.value;
  if (value !== undefined)
    expect(holds(declared, "default", JSON.stringify(value)), "no such default");
  if (/^(?:Read .*)?Move /.test(text)) {
    for (const [, from = "", to = ""] of text.matchAll(/(\/[\w$.@/~-]*) to (\/[\w$.@/~-]*)/g)) {
      const isText = text.startsWith("Read ");
      expect(isText || valueAtPointer(args, from) !== undefined, `${from} is not there`);
      expect(valueAtPointer(args, to) === undefined, `${to} is there`);
      expect(holds(declared, unescapePointer(lastOf(to))), `${to} is not declared`);
    }
  }
  return found;
}

/** Returns the texts of a value that its schema does not contain. */
export function secretsOf(value: unknown, schema: string): readonly string[] {
  if (typeof value === "string") return value.length < 6 || schema.includes(value) ? [] : [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap((member) => secretsOf(member, schema));
}
