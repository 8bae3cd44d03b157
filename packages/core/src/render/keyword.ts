import { describeReceived, describeSchema, listTexts } from "../explain/describe.ts";
import type { Fact } from "../explain/fact.ts";
import { plain, quote } from "../issues/quote.ts";
import { isObject } from "../json/object.ts";
import { exampleOf } from "./formats.ts";

/** @param exact the digits that stand in the schema, where they are not those of the double */
function number(value: unknown, exact?: unknown): string {
  if (typeof exact === "string") return exact;
  return typeof value === "number" ? String(value) : "";
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
function not(fact: Fact): string {
  const schema = fact.error?.node.not;
  const keywords = Object.keys(schema ?? {}).filter((name) => !SILENT.has(name));
  const [only] = keywords.length === 1 ? keywords : [];
  const [name, ...names] = schema?.required ?? [];
  if (only === "required" && name !== undefined && names.length === 0) {
    return `it must not have the property ${quote(name)}`;
  }
  const isPlain = only === "type" || only === "const" || only === "enum";
  const words = isPlain && schema !== undefined ? describeSchema(schema) : undefined;
  return words === undefined ? plain(fact.issue.message) : `it must not be ${words}`;
}

function format(fact: Fact, name: unknown): string {
  if (typeof name !== "string") return plain(fact.issue.message);
  const example = exampleOf(name);
  const like = example === undefined ? "" : `, like ${quote(example)}`;
  return `it must be a valid ${quote(name)}${like}`;
}

function contains(fact: Fact): string {
  const { contains: schema, minContains: least = 1 } = fact.error?.node ?? {};
  const wanted = schema === undefined ? undefined : describeSchema(schema);
  const { params = {} } = fact.issue;
  if (wanted === undefined || "maxContains" in params) {
    return plain(fact.issue.message);
  }
  return `at least ${items(least, params["exact"])} in it must be ${wanted}`;
}

/** What tells the bounds apart: that of `minimum` is exclusive in draft-04 where `exclusiveMinimum` is true. */
const COMPARISONS: ReadonlyMap<unknown, string> = new Map([
  [">=", "at least"],
  ["<=", "at most"],
  [">", "more than"],
  ["<", "less than"],
]);

/** What a keyword asks of a value, with its limit: `it must be at least 3`. */
function demand(fact: Fact): string {
  const { keyword, message, params = {} } = fact.issue;
  const { limit, exact } = params;
  switch (keyword) {
    case "minimum":
    case "maximum":
    case "exclusiveMinimum":
    case "exclusiveMaximum": {
      const bound = COMPARISONS.get(params["comparison"]);
      return bound === undefined ? plain(message) : `it must be ${bound} ${number(limit, exact)}`;
    }
    case "multipleOf":
      return `it must be a multiple of ${number(params["multipleOf"], exact)}`;
    case "enum":
      return Array.isArray(exact) ? `must be ${listTexts(exact)}` : plain(message);
    case "minLength":
      return `it must have at least ${number(limit, exact)} character${limit === 1 ? "" : "s"}`;
    case "maxLength":
      return `it must have at most ${number(limit, exact)} character${limit === 1 ? "" : "s"}`;
    case "minItems":
      return `it must have at least ${items(limit, exact)}`;
    case "maxItems":
      return `it must have at most ${items(limit, exact)}`;
    case "items":
    case "additionalItems":
    case "unevaluatedItems":
      // Where nothing may stand behind a tuple.
      return typeof limit === "number" ? `it must have at most ${items(limit)}` : plain(message);
    case "minProperties":
      return `it must have at least ${properties(limit, exact)}`;
    case "maxProperties":
      return `it must have at most ${properties(limit, exact)}`;
    case "not":
      return not(fact);
    case "uniqueItems":
      return `its items must differ: items ${number(params["j"])} and ${number(params["i"])} are equal`;
    case "pattern":
      return `it must match the pattern ${quote(String(params["pattern"]), 120)}`;
    case "format":
      return format(fact, params["format"]);
    case "contains":
      return contains(fact);
    case "false schema":
      return "nothing is allowed here";
    default:
      return plain(message);
  }
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
]);

/** Keywords for which the number of its properties tells that. */
const COUNTED: ReadonlySet<string> = new Set(["minProperties", "maxProperties"]);

/** What one keyword asks, and the type and size of what is there instead. */
export function describeDemand(fact: Fact): string {
  const { keyword = "" } = fact.issue;
  const data = fact.error?.data;
  if (COUNTED.has(keyword) && isObject(data)) {
    return `${demand(fact)}; it has ${Object.keys(data).length}`;
  }
  const received = SIZED.has(keyword) ? describeReceived(fact) : undefined;
  return received === undefined ? demand(fact) : `${demand(fact)}; it is ${received}`;
}
