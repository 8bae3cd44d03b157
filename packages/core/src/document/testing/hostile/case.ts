/** A schema and a value that try to make a check slow, and the outcomes that are right for them. */
export interface HostileCase {
  readonly name: string;
  /** A value, or the schema's text if no value in memory can express it. */
  readonly schema: () => { readonly value: unknown } | { readonly text: string };
  /** JSON text. */
  readonly value: () => string;
  /** A smaller value of the same kind, which takes a tenth of the time. */
  readonly small?: () => string;
  /** The expected outcome if the check has no deadline, or enough time. */
  readonly outcome: RegExp;
}

/** Limits for values that are larger and deeper than the usual limits allow. */
export const HOSTILE_LIMITS = { maxBytes: 64 * 1024 * 1024, maxDepth: 10_000 } as const;

/** Makes a list with this many items. */
export const many = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
/** Makes an object with this many members, whose names end in numbers. */
export const object = (count: number, make: (i: number) => unknown, name = "p") =>
  Object.fromEntries(many(count, (i) => [`${name}${i}`, make(i)]));
/** Puts a text into this many pairs of brackets. */
export const nested = (open: string, inner: string, close: string, depth: number) =>
  open.repeat(depth) + inner + close.repeat(depth);
/** The JSON text of an object that nests this deep. */
export const deep = (depth: number) => nested('{"a":', "1", "}", depth);
/** The JSON text of a string that repeats a unit. */
export const text = (length: number, unit = "a", end = "!") =>
  JSON.stringify(unit.repeat(length / unit.length) + end);

/** A case whose schema is a value. */
export const row = (
  name: string,
  schema: () => unknown,
  value: () => string,
  outcome: RegExp,
  small?: () => string,
): HostileCase => ({
  ...{ name, schema: () => ({ value: schema() }), value, outcome },
  ...(small ? { small } : {}),
});
