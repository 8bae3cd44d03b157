import type { Dialect } from "../keywords/dialect.ts";
import type { CountKeyword, SchemaNode, WrittenKeyword } from "../keywords/node.ts";
import type { Keywords } from "./schema-reader.ts";

/** A node while it is made. */
export type Draft = { -readonly [K in keyof SchemaNode]: SchemaNode[K] } & {
  written?: Map<string, WrittenKeyword>;
  exactCounts?: Map<CountKeyword, string>;
};

/** What of the outside the assertions depend on. */
export interface AssertionOptions {
  readonly formats: boolean;
  /** The name under which a format of a dialect is checked; undefined where nothing is asserted. */
  formatOf(name: string, dialect: Dialect): string | undefined;
  isPattern(source: string): boolean;
  /** Most characters that the patterns of the schema may have together. Default: any number. */
  readonly maxPatternLength?: number;
}

/** Notes that the author wrote a keyword otherwise. */
export function noteWritten(node: Draft, canonical: string, keyword: string): void {
  node.written ??= new Map();
  const written = {
    keyword,
    get schemaPath(): string {
      return `${node.origin}/${keyword}`;
    },
  };
  node.written.set(canonical, written);
}

/** The keywords whose value is a count of what a value has, but for those beside `contains`. */
export const COUNTS = [
  "maxLength",
  "minLength",
  "maxItems",
  "minItems",
  "maxProperties",
  "minProperties",
] as const;

/** A keyword that counts. */
export function addCount(node: Draft, from: Keywords, keyword: CountKeyword): void {
  const count = from.count(keyword);
  if (count === undefined) return;
  node[keyword] = count;
  const exact = from.exactText(keyword);
  if (exact === undefined) return;
  node.exactCounts ??= new Map();
  node.exactCounts.set(keyword, exact);
}

/** A limit; in draft-04 a boolean beside it makes it exclusive (Validation, section 5.1.2). */
function limit(node: Draft, from: Keywords, bound: "maximum" | "minimum"): void {
  const exclusive = bound === "maximum" ? "exclusiveMaximum" : "exclusiveMinimum";
  const value = from.number(bound);
  if (from.place.resource.vocabulary.dialect === "draft-04") {
    const isExclusive = from.flag(exclusive) === true;
    if (value === undefined) return;
    node[isExclusive ? exclusive : bound] = value;
    if (isExclusive) noteWritten(node, exclusive, bound);
    return;
  }
  if (value !== undefined) node[bound] = value;
  const strict = from.number(exclusive);
  if (strict !== undefined) node[exclusive] = strict;
}

/**
 * Fills in the keywords that hold no schema (2020-12 Validation, sections 6, 7 and 9).
 * @param isPattern see {@link Keywords.pattern}
 */
export function addAssertions(
  node: Draft,
  from: Keywords,
  options: AssertionOptions,
  isPattern: (source: string) => boolean,
): void {
  const types = from.types();
  if (types !== undefined) node.type = types;
  const allowed = from.list("enum");
  if (allowed !== undefined) {
    node.enum = allowed.map((value, i) => from.equal(value, "enum", String(i)));
  }
  const only = from.value("const");
  if (only !== undefined) node.const = from.equal(only, "const");
  const title = from.annotation("title");
  if (typeof title === "string" && title !== "") node.title = title;
  const value = from.annotation("default");
  if (value !== undefined) node.default = from.equal(value, "default");
  const multipleOf = from.number("multipleOf");
  if (multipleOf !== undefined) node.multipleOf = multipleOf;
  limit(node, from, "maximum");
  limit(node, from, "minimum");
  for (const keyword of COUNTS) addCount(node, from, keyword);
  const unique = from.flag("uniqueItems");
  if (unique !== undefined) node.uniqueItems = unique;
  const required = from.value("required");
  if (required !== undefined) node.required = from.names(required, "required");
  const pattern = from.text("pattern");
  if (pattern !== undefined) node.pattern = from.pattern(pattern, isPattern, "pattern");
  const format = from.text("format");
  const { assertsFormat, dialect } = from.place.resource.vocabulary;
  if (format === undefined || !(options.formats || assertsFormat)) return;
  const checked = options.formatOf(format, dialect);
  if (checked !== undefined) node.format = checked;
}
