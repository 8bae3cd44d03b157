/** The error if an untyped caller passes something other than bytes. */
export const NOT_BYTES: ScanError = {
  code: "syntax",
  message: "The input is not bytes: give a Uint8Array",
  offset: 0,
};

export const NO_BYTES: Uint8Array = new Uint8Array(0);

/** Returns the options of a possibly untyped caller. Those of the wrong type are ignored. */
export function validScanOptions(options: ScanOptions): ScanOptions {
  if (typeof options !== "object" || options === null) return {};
  const { members, maxDepth } = options;
  const isPlan = members === undefined || (typeof members === "object" && members !== null);
  const isDepth =
    maxDepth === undefined || (typeof maxDepth === "number" && !Number.isNaN(maxDepth));
  if (isPlan && isDepth) return options;
  const { members: _members, maxDepth: _maxDepth, ...others } = options;
  return { ...others, ...(isPlan && { members }), ...(isDepth && { maxDepth }) } as ScanOptions;
}

/** A half-open span of bytes, `[start, end)`, counted from the first byte of the scanned text. */
export interface JsonRange {
  readonly start: number;
  readonly end: number;
}

/**
 * The object members whose byte ranges a caller wants: a tree of member names with `true` at the leaves. `{ id: true,
 * params: { name: true } }` asks for `/id`, `/params` and `/params/name`.
 */
export interface MemberPlan {
  readonly [name: string]: true | MemberPlan;
}

/** A value in a text that should satisfy a schema. */
export interface ExpectedValue {
  /** The offset of its first byte. */
  readonly start: number;
  /** The schema, as returned by `CompiledSchema.image`. */
  readonly image: Uint8Array;
}

/** A value that satisfies a schema: the bytes from `start` to `end` of a buffer. */
export interface AcceptedValue extends JsonRange {
  readonly buffer: ArrayBufferLike;
  readonly image: Uint8Array;
}

/** What a scan looks for. The less it is asked for, the less it costs. */
export interface ScanOptions {
  /** Members to locate. None by default. */
  readonly members?: MemberPlan;
  /** Stop with a `depth` error beyond this nesting depth. A scalar is 1, `{"a":1}` is 2. Default 10,000. */
  readonly maxDepth?: number;
  /**
   * Stop with a `keys` error at the first object with more keys than this. Only checked with `duplicates`; no limit
   * by default. After the error, members are still located in the whole text, but the rest is not checked.
   */
  readonly maxObjectKeys?: number | undefined;
  /** Stop with a `keys` error if the whole text has more keys than this; otherwise like {@link maxObjectKeys}. */
  readonly maxKeys?: number | undefined;
  /** Report keys that occur twice in one object, at every level. Default false. */
  readonly duplicates?: boolean;
  /** Report numbers that an IEEE 754 double cannot hold. Default false. */
  readonly numbers?: boolean;
  /** Report whether there are such numbers, if that is cheap, without listing them. Default false. */
  readonly exact?: boolean;
  /** Report whether no object has duplicate keys, if that is cheap, without listing them. Default false. */
  readonly unique?: boolean;
  /**
   * Report whether this value satisfies its schema. Requires `exact` and `unique`, and only has a result if the text
   * is found to be both. Takes little longer than the scan alone.
   */
  readonly expected?: ExpectedValue | undefined;
}

/** A key that occurs twice in one object, compared after unescaping. */
export interface DuplicateKey {
  /** RFC 6901 pointer to the member. Of a name of more than 4,096 characters it has the beginning, followed by `…`. */
  readonly path: string;
  /** Byte offset of the second key's opening quote. */
  readonly offset: number;
}

/** A number whose decimal value differs from that of the double that it parses to. */
export interface LossyNumber {
  /** RFC 6901 pointer to the number. */
  readonly path: string;
  /** The number as written in the text. */
  readonly source: string;
  readonly offset: number;
}

/** Why a text is not acceptable JSON, and where. */
export interface ScanError {
  /** `size`: a reader of messages found a value that is longer than it reads; no scan returns it. */
  readonly code: "syntax" | "encoding" | "depth" | "keys" | "trailing" | "size";
  readonly message: string;
  /** Byte offset at which the fault was found. */
  readonly offset: number;
  /** For `keys`: what has too many, one object or the whole text. */
  readonly of?: "object" | "text";
  /** For `keys`: the limit that was exceeded. */
  readonly limit?: number;
  /** For `keys`: set if the objects with planned members have that many keys, so some members may be missing. */
  readonly isPlanned?: boolean;
  /** For `size`: the RFC 6901 pointer of the value. */
  readonly path?: string;
}

/** The result of one pass over a JSON text. Offsets are bytes from the start of the text. */
export interface JsonScan {
  /** Absent if the bytes are one JSON text by RFC 8259 within `maxDepth`. */
  readonly error?: ScanError;
  /**
   * Ranges of the planned members that were found, by RFC 6901 pointer (`/params/name`); for a duplicate, the last.
   * After an error: the members that were read completely before it.
   */
  readonly members: ReadonlyMap<string, JsonRange>;
  /** The whole value without surrounding white space; after an error, up to the fault. */
  readonly root: JsonRange;
  /** Deepest nesting found: a scalar 1, `{"a":1}` 2, an empty container 1. */
  readonly depth: number;
  /** Number of object members found, at all levels. */
  readonly keys: number;
  /** In text order, limited as described for `scanJson`. */
  readonly duplicates: readonly DuplicateKey[];
  /** Whether there were more than `duplicates` lists. */
  readonly duplicatesTruncated: boolean;
  /** The numbers that a double cannot hold. If a member occurs twice, only those in the last one. */
  readonly lossyNumbers: readonly LossyNumber[];
  /** Whether there were more than `lossyNumbers` lists. */
  readonly lossyNumbersTruncated: boolean;
  /**
   * True if {@link ScanOptions.exact} was set, the text has no error, and a double holds each of its numbers. If
   * absent, nothing is known.
   */
  readonly exact?: true;
  /**
   * True if {@link ScanOptions.unique} was set, the text has no error, and no object has a duplicate key. If absent,
   * nothing is known.
   */
  readonly unique?: true;
  /** The {@link ScanOptions.expected} value, if it satisfies its schema. If absent, nothing is known. */
  readonly accepted?: AcceptedValue;
}
