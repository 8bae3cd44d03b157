import type { Decimal } from "../json/decimal.ts";
import { decimalsOfTree, type ExactTree } from "../json/exact-tree.ts";
import { isObject, type JsonObject } from "../json/value.ts";
import type { Dialect } from "./dialect.ts";
import type {
  NodeDraft,
  NodeMap,
  SchemaNode,
  SchemaNumber,
  SchemaPattern,
  SchemaValue,
} from "./node.ts";

/**
 * Reads the keywords of one schema, but only those in its vocabulary. A reference may lead into an unknown keyword,
 * whose value no metaschema has checked. So the shape of each value is checked again here.
 */
export interface SchemaReader {
  readonly dialect: Dialect;
  /** Returns the value of a keyword; undefined if it is absent or unknown. */
  value(keyword: string): unknown;
  /** Returns the exact numbers at a place below the schema. */
  exact(...tokens: readonly string[]): ExactTree | undefined;
  /** Returns the node of a subschema. @throws SchemaFaultError if it is not a schema */
  schema(value: unknown, ...tokens: readonly string[]): SchemaNode;
  /** Returns another node for the same place. */
  beside(): NodeDraft;
  /** Returns the target of a reference; undefined if the keyword is absent. @throws SchemaFaultError */
  reference(keyword: string): SchemaNode | undefined;
  /** Like {@link reference}, by the dynamic scope. */
  dynamicReference(keyword: string): SchemaNode | undefined;
  /** @throws SchemaFaultError if it is not a regular expression or exceeds the limits on one */
  pattern(source: string, ...tokens: readonly string[]): SchemaPattern;
  /** Returns the name under which a format is checked; undefined if nothing is asserted. */
  format(name: string): string | undefined;
  /** Records that the author wrote a keyword differently. */
  written(node: NodeDraft, canonical: string, keyword: string): void;
  /** Returns a shape fault, worded like a metaschema's. */
  wrong(message: string, ...tokens: readonly string[]): Error;
}

/** How a keyword holds subschemas. `map` may also hold other values. */
export type SubschemaHolding = "schema" | "list" | "schema or list" | "map";

/** The form of a keyword's value: how it is read and written, and which schemas it contains. */
export interface KeywordShape<T> {
  readonly holds?: SubschemaHolding;
  /** Reads it; returns undefined if it is absent. @throws SchemaFaultError for another form */
  read(from: SchemaReader, keyword: string): T | undefined;
  /** Returns the value as 2020-12 JSON; undefined if it can be left out. */
  write(value: T, below: (schema: SchemaNode) => unknown): unknown;
  /** Returns the schemas in it. */
  schemas?(value: T): Iterable<SchemaNode>;
  /** Returns the schema for a name or index, if it has schemas by name or index. */
  at?(value: T, token: string | number): SchemaNode | undefined;
  /** Returns whether a double cannot hold one of its numbers. */
  isLossy?(value: T): boolean;
}

function reading<T>(is: (value: unknown) => value is T, message: string): KeywordShape<T>["read"] {
  return (from, keyword) => {
    const value = from.value(keyword);
    if (value === undefined || is(value)) return value;
    throw from.wrong(message, keyword);
  };
}

export const TEXT_SHAPE: KeywordShape<string> = {
  read: reading((value) => typeof value === "string", "must be a string"),
  write: (text) => text,
};

export const BOOLEAN_SHAPE: KeywordShape<boolean> = {
  read: reading((value) => typeof value === "boolean", "must be a boolean"),
  write: (flag) => flag,
};

/** A number of characters, items or members. */
export const COUNT_SHAPE: KeywordShape<number> = {
  read: reading(
    (value): value is number => typeof value === "number" && value >= 0,
    "must be a number that is at least 0",
  ),
  write: (count) => count,
};

const readNumber = reading((value) => typeof value === "number", "must be a number");

export const NUMBER_SHAPE: KeywordShape<SchemaNumber> = {
  read(from, keyword) {
    const value = readNumber(from, keyword);
    if (value === undefined) return undefined;
    const exact: Decimal | undefined = from.exact(keyword)?.exact;
    return exact === undefined ? { value } : { value, exact };
  },
  write: ({ value }) => value,
  isLossy: ({ exact }) => exact !== undefined,
};

function literal(from: SchemaReader, value: unknown, ...tokens: readonly string[]): SchemaValue {
  const exact = from.exact(...tokens);
  return exact === undefined ? { value } : { value, decimals: decimalsOfTree(exact) };
}

/** Any value. */
export const ANY_VALUE_SHAPE: KeywordShape<SchemaValue> = {
  read(from, keyword) {
    const value = from.value(keyword);
    return value === undefined ? undefined : literal(from, value, keyword);
  },
  write: ({ value }) => value,
  isLossy: ({ decimals }) => decimals !== undefined,
};

const readList = reading<readonly unknown[]>((value) => Array.isArray(value), "must be an array");

export const VALUES_SHAPE: KeywordShape<readonly SchemaValue[]> = {
  read: (from, keyword) =>
    readList(from, keyword)?.map((value, i) => literal(from, value, keyword, String(i))),
  write: (values) => values.map(({ value }) => value),
  isLossy: (values) => values.some(({ decimals }) => decimals !== undefined),
};

/** Returns a list of names at a place below a schema. */
export function namesAt(
  from: SchemaReader,
  value: unknown,
  ...tokens: readonly string[]
): readonly string[] {
  if (Array.isArray(value) && value.every((name) => typeof name === "string")) return value;
  throw from.wrong("must be an array of strings", ...tokens);
}

export const NAMES_SHAPE: KeywordShape<readonly string[]> = {
  read(from, keyword) {
    const value = from.value(keyword);
    return value === undefined ? undefined : namesAt(from, value, keyword);
  },
  write: (names) => (names.length === 0 ? undefined : [...names]),
};

/** Reads the members of a keyword that holds an object. */
export const readMap: (from: SchemaReader, keyword: string) => JsonObject | undefined = reading(
  isObject,
  "must be object",
);

export const NAMES_MAP_SHAPE: KeywordShape<ReadonlyMap<string, readonly string[]>> = {
  read(from, keyword) {
    const map = readMap(from, keyword);
    if (map === undefined) return undefined;
    const entries = Object.entries(map);
    return new Map(entries.map(([name, value]) => [name, namesAt(from, value, keyword, name)]));
  },
  write: (lists) => Object.fromEntries([...lists].map(([name, names]) => [name, [...names]])),
};

export const SCHEMA_SHAPE: KeywordShape<SchemaNode> = {
  holds: "schema",
  read(from, keyword) {
    const value = from.value(keyword);
    return value === undefined ? undefined : from.schema(value, keyword);
  },
  write: (schema, below) => below(schema),
  schemas: (schema) => [schema],
};

export const SCHEMA_LIST_SHAPE: KeywordShape<readonly SchemaNode[]> = {
  holds: "list",
  read: (from, keyword) =>
    readList(from, keyword)?.map((value, i) => from.schema(value, keyword, String(i))),
  write: (schemas, below) => (schemas.length === 0 ? undefined : schemas.map(below)),
  schemas: (schemas) => schemas,
  at: (schemas, index) => schemas[Number(index)],
};

export const SCHEMA_MAP_SHAPE: KeywordShape<NodeMap> = {
  holds: "map",
  read(from, keyword) {
    const map = readMap(from, keyword);
    if (map === undefined) return undefined;
    const entries = Object.entries(map);
    return new Map(entries.map(([name, value]) => [name, from.schema(value, keyword, name)]));
  },
  write: (schemas, below) =>
    Object.fromEntries([...schemas].map(([name, schema]) => [name, below(schema)])),
  schemas: (schemas) => schemas.values(),
  at: (schemas, name) => schemas.get(String(name)),
};
