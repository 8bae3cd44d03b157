import type { SchemaError } from "../../engine/context.ts";
import { isObject } from "../../json/object.ts";
import type { Issue } from "../../result.ts";
import { plain, quote } from "../issues/quote.ts";
import { sourceOf } from "../issues/source.ts";
import { describeReceived, describeSchema, listTexts } from "./describe.ts";
import { exampleOf } from "./formats.ts";

/** An issue, and the engine's error behind it where that is known. */
export interface Source {
  readonly issue: Issue;
  readonly error?: SchemaError | undefined;
}

/** @param exact the digits that stand in the schema, where they are not those of the double */
function number(value: unknown, exact?: unknown): string {
  if (typeof exact === "string") return exact;
  return typeof value === "number" ? String(value) : "";
}

/** The number at the end of the message, if a double does not hold it: one of `1e-400` is 0, and `null` in JSON if it is infinite. */
function operand({ message, params = {} }: Issue, value: unknown): string {
  const { exact } = params;
  const isHeld = typeof exact === "string" || (Number.isFinite(value) && value !== 0);
  return isHeld ? number(value, exact) : plain(message.slice(message.lastIndexOf(" ") + 1), 80);
}

function items(value: unknown, exact?: unknown): string {
  return `${number(value, exact)} item${value === 1 ? "" : "s"}`;
}

function properties(value: unknown, exact?: unknown): string {
  return `${number(value, exact)} ${value === 1 ? "property" : "properties"}`;
}

/** Keywords of a schema that judge nothing. */
const SILENT: ReadonlySet<string> = new Set(["id", "origin", "written", "title", "default"]);

/** What must not be, where few words say all of it. */
function not({ error }: Source): string {
  const schema = error?.node.not;
  const keywords = Object.keys(schema ?? {}).filter((name) => !SILENT.has(name));
  const [only] = keywords.length === 1 ? keywords : [];
  const [name, ...names] = schema?.required ?? [];
  if (only === "required" && name !== undefined && names.length === 0) {
    return `must not have the property ${quote(name)}`;
  }
  const isPlain = only === "type" || only === "const" || only === "enum";
  const words = isPlain && schema !== undefined ? describeSchema(schema) : undefined;
  return `must not ${words === undefined ? 'match the schema in "not"' : `be ${words}`}`;
}

function format(name: unknown): string | undefined {
  if (typeof name !== "string") return undefined;
  const example = exampleOf(name);
  const like = example === undefined ? "" : `, like ${quote(example)}`;
  return `must be a valid ${quote(name)}${like}`;
}

function contains({ error, issue: { message, params = {} } }: Source): string {
  const { minContains: least = 1, maxContains: most } = params;
  const schema = error?.node.contains;
  const words = schema === undefined ? undefined : describeSchema(schema);
  const isOne = (most ?? least) === 1;
  const match = isOne ? "matches" : "match";
  const kind =
    words === undefined
      ? `${match} the schema in "contains"`
      : `${isOne ? "is" : "are each"} ${words}`;
  // The message has the digits of counts that no double holds.
  const counts = /at least (\S+)(?: and no more than (\S+))?/.exec(plain(message));
  const [, lower = number(least), upper = number(most)] = counts ?? [];
  const noun = isOne ? "item" : "items";
  const bounds =
    most === undefined
      ? `at least ${lower} ${noun}`
      : lower === upper
        ? `exactly ${lower} ${noun}`
        : `at least ${lower} and at most ${upper} ${noun}`;
  return `must contain ${bounds} that ${kind}`;
}

/** What tells the bounds apart: that of `minimum` is exclusive in draft-04 where `exclusiveMinimum` is true. */
const COMPARISONS: ReadonlyMap<unknown, string> = new Map([
  [">=", "at least"],
  ["<=", "at most"],
  [">", "more than"],
  ["<", "less than"],
]);

function branches(passing: unknown): string {
  if (!Array.isArray(passing) || passing.length < 2) return "";
  const names = passing.map((index) => `#${Number(index)}`).join(" and ");
  return ` (${names} match)`;
}

function demand(source: Source): string | undefined {
  const { keyword, params = {} } = source.issue;
  const { limit, exact } = params;
  switch (keyword) {
    case "minimum":
    case "maximum":
    case "exclusiveMinimum":
    case "exclusiveMaximum": {
      const bound = COMPARISONS.get(params["comparison"]);
      return bound === undefined ? undefined : `must be ${bound} ${operand(source.issue, limit)}`;
    }
    case "multipleOf":
      return `must be a multiple of ${operand(source.issue, params["multipleOf"])}`;
    case "const":
      return typeof exact === "string" ? `must be ${plain(exact, 80)}` : undefined;
    case "enum":
      return Array.isArray(exact) ? `must be ${listTexts(exact)}` : undefined;
    case "minLength":
      return `must have at least ${number(limit, exact)} character${limit === 1 ? "" : "s"}`;
    case "maxLength":
      return `must have at most ${number(limit, exact)} character${limit === 1 ? "" : "s"}`;
    case "minItems":
      return `must have at least ${items(limit, exact)}`;
    case "maxItems":
      return `must have at most ${items(limit, exact)}`;
    case "items":
    case "additionalItems":
    case "unevaluatedItems":
      // Nothing may follow a tuple.
      return typeof limit === "number" ? `must have at most ${items(limit)}` : undefined;
    case "minProperties":
      return `must have at least ${properties(limit, exact)}`;
    case "maxProperties":
      return `must have at most ${properties(limit, exact)}`;
    case "not":
      return not(source);
    case "uniqueItems":
      return `must not have equal items (items ${number(params["j"])} and ${number(params["i"])} are equal)`;
    case "pattern":
      return `must match the pattern ${quote(String(params["pattern"]), 120)}`;
    case "format":
      return format(params["format"]);
    case "contains":
      return contains(source);
    case "anyOf":
      return 'must match at least one schema in "anyOf"';
    case "oneOf":
      return `must match exactly one schema in "oneOf"${branches(params["passingSchemas"])}`;
    case "if":
      return `must match the schema in ${quote(String(params["failingKeyword"]), 16)}`;
    default:
      return undefined;
  }
}

/**
 * Returns what a keyword requires of a value, as a predicate: `must be at least 3`. Undefined for keywords that say
 * which types and values are allowed or which properties there may be, and for issues without `params`.
 */
export function demandOf(source: Source): string | undefined {
  return source.issue.params === undefined ? undefined : demand(source);
}

/** Keywords for which the length of what is there tells how far it is off. */
const SIZED: ReadonlySet<string> = new Set([
  "enum",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "items",
  "additionalItems",
  "unevaluatedItems",
  "pattern",
  "format",
  "contains",
]);

/** Keywords for which the number of its properties tells that. */
const COUNTED: ReadonlySet<string> = new Set(["minProperties", "maxProperties"]);

/** Returns the type and size of what is there, if that helps with what its keyword requires. Never the value. */
export function receivedFor({ issue, error = sourceOf(issue) }: Source): string | undefined {
  const { keyword = "" } = issue;
  const data = error?.data;
  if (COUNTED.has(keyword) && isObject(data)) return properties(Object.keys(data).length);
  return SIZED.has(keyword) ? describeReceived({ issue, error }) : undefined;
}
