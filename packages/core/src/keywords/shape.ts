import type { Decimal } from "../json/decimal.ts";
import { decimalsBelow, type ExactTree } from "../json/exact-tree.ts";
import { isObject, type JsonObject } from "../json/value.ts";
import type { Dialect } from "./dialect.ts";
import type {
  Draft,
  NodeMap,
  SchemaNode,
  SchemaNumber,
  SchemaPattern,
  SchemaValue,
} from "./node.ts";

/**
 * Reads the keywords of one schema: only those that its vocabulary knows. What a pointer into an
 * unknown keyword reaches has been checked by no metaschema, so that each shape is checked again.
 */
export interface SchemaReader {
  readonly dialect: Dialect;
  /** The value of a keyword; undefined if it is absent or unknown. */
  value(keyword: string): unknown;
  /** The exact numbers at a place below the schema. */
  exact(...tokens: readonly string[]): ExactTree | undefined;
  /** The node of a subschema. @throws FaultError if it is none */
  schema(value: unknown, ...tokens: readonly string[]): SchemaNode;
  /** A further node for the same place. */
  beside(): Draft;
  /** What a reference leads to; undefined if the keyword is absent. @throws FaultError */
  reference(keyword: string): SchemaNode | undefined;
  /** As {@link reference}, by the dynamic scope. */
  dynamicReference(keyword: string): SchemaNode | undefined;
  /** @throws FaultError if it is not a regular expression, or is beyond the limits on one */
  pattern(source: string, ...tokens: readonly string[]): SchemaPattern;
  /** The name under which a format is checked; undefined if nothing is asserted. */
  format(name: string): string | undefined;
  /** Remembers that the author wrote a keyword otherwise. */
  written(node: Draft, canonical: string, keyword: string): void;
  /** A fault of shape, in the words of a metaschema. */
  wrong(message: string, ...tokens: readonly string[]): Error;
}

/** How a keyword holds subschemas; `map` may hold other values beside them. */
export type Holding = "schema" | "list" | "schema or list" | "map";

/** The form of a keyword's value: how it is read, how it is written again, and which schemas are in it. */
export interface Shape<T> {
  readonly holds?: Holding;
  /** Reads it; undefined if it is absent. @throws FaultError for another form */
  read(from: SchemaReader, keyword: string): T | undefined;
  /** The value as JSON in 2020-12; undefined if it can be left out. */
  write(value: T, below: (schema: SchemaNode) => unknown): unknown;
  /** The schemas in it. */
  schemas?(value: T): Iterable<SchemaNode>;
  /** The schema for one name or index, if it has some by these. */
  at?(value: T, token: string | number): SchemaNode | undefined;
  /** Whether a double does not hold one of its numbers. */
  isLossy?(value: T): boolean;
}

function reading<T>(is: (value: unknown) => value is T, message: string): Shape<T>["read"] {
  return (from, keyword) => {
    const value = from.value(keyword);
    if (value === undefined || is(value)) return value;
    throw from.wrong(message, keyword);
  };
}

export const TEXT: Shape<string> = {
  read: reading((value) => typeof value === "string", "must be a string"),
  write: (text) => text,
};

export const FLAG: Shape<boolean> = {
  read: reading((value) => typeof value === "boolean", "must be a boolean"),
  write: (flag) => flag,
};

/** A number of characters, items or members. */
export const COUNT: Shape<number> = {
  read: reading(
    (value): value is number => typeof value === "number" && value >= 0,
    "must be a number that is at least 0",
  ),
  write: (count) => count,
};

const readNumber = reading((value) => typeof value === "number", "must be a number");

export const NUMBER: Shape<SchemaNumber> = {
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
  return exact === undefined ? { value } : { value, decimals: decimalsBelow(exact) };
}

/** Any value. */
export const VALUE: Shape<SchemaValue> = {
  read(from, keyword) {
    const value = from.value(keyword);
    return value === undefined ? undefined : literal(from, value, keyword);
  },
  write: ({ value }) => value,
  isLossy: ({ decimals }) => decimals !== undefined,
};

const readList = reading<readonly unknown[]>((value) => Array.isArray(value), "must be an array");

export const VALUES: Shape<readonly SchemaValue[]> = {
  read: (from, keyword) =>
    readList(from, keyword)?.map((value, i) => literal(from, value, keyword, String(i))),
  write: (values) => values.map(({ value }) => value),
  isLossy: (values) => values.some(({ decimals }) => decimals !== undefined),
};

/** Returns a list of names that is at a place below a schema. */
export function namesAt(
  from: SchemaReader,
  value: unknown,
  ...tokens: readonly string[]
): readonly string[] {
  if (Array.isArray(value) && value.every((name) => typeof name === "string")) return value;
  throw from.wrong("must be an array of strings", ...tokens);
}

export const NAMES: Shape<readonly string[]> = {
  read(from, keyword) {
    const value = from.value(keyword);
    return value === undefined ? undefined : namesAt(from, value, keyword);
  },
  write: (names) => (names.length === 0 ? undefined : [...names]),
};

/** The members of a keyword that holds an object. */
export const readMap: (from: SchemaReader, keyword: string) => JsonObject | undefined = reading(
  isObject,
  "must be object",
);

export const NAMES_MAP: Shape<ReadonlyMap<string, readonly string[]>> = {
  read(from, keyword) {
    const map = readMap(from, keyword);
    if (map === undefined) return undefined;
    const entries = Object.entries(map);
    return new Map(entries.map(([name, value]) => [name, namesAt(from, value, keyword, name)]));
  },
  write: (lists) => Object.fromEntries([...lists].map(([name, names]) => [name, [...names]])),
};

export const SCHEMA: Shape<SchemaNode> = {
  holds: "schema",
  read(from, keyword) {
    const value = from.value(keyword);
    return value === undefined ? undefined : from.schema(value, keyword);
  },
  write: (schema, below) => below(schema),
  schemas: (schema) => [schema],
};

export const LIST: Shape<readonly SchemaNode[]> = {
  holds: "list",
  read: (from, keyword) =>
    readList(from, keyword)?.map((value, i) => from.schema(value, keyword, String(i))),
  write: (schemas, below) => (schemas.length === 0 ? undefined : schemas.map(below)),
  schemas: (schemas) => schemas,
  at: (schemas, index) => schemas[Number(index)],
};

export const MAP: Shape<NodeMap> = {
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
