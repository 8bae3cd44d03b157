/** Why what a caller without types gave for bytes is not a text. */
export const NOT_BYTES: ScanError = {
  code: "syntax",
  message: "The input is not bytes: give a Uint8Array",
  offset: 0,
};

export const NO_BYTES: Uint8Array = new Uint8Array(0);

/** Options as a caller without types may give them: what is of another type counts as not given. */
export function usableOptions(options: ScanOptions): ScanOptions {
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
 * The object members whose byte ranges a caller wants: a tree of member names, `true` at a leaf.
 * `{ id: true, params: { name: true } }` asks for `/id`, `/params` and `/params/name`.
 */
export interface MemberPlan {
  readonly [name: string]: true | MemberPlan;
}

/** A value in a text that is expected to satisfy a schema. */
export interface ExpectedValue {
  /** Where it begins: the offset of its first byte. */
  readonly start: number;
  /** The schema, as `CompiledSchema.image` gives it. */
  readonly image: Uint8Array;
}

/** A value that satisfies a schema: the bytes from `start` to `end` of a buffer. */
export interface AcceptedValue extends JsonRange {
  readonly buffer: ArrayBufferLike;
  readonly image: Uint8Array;
}

/** What a scan looks for. It costs less the less is asked of it. */
export interface ScanOptions {
  /** Members to locate. None by default. */
  readonly members?: MemberPlan;
  /** Stop with a `depth` error beyond this nesting. A scalar is 1, `{"a":1}` is 2. Default 10,000. */
  readonly maxDepth?: number;
  /**
   * Stop with a `keys` error at the first object with more keys than this. Looked for where `duplicates` are;
   * no limit by default. After it, members are located in the whole text, whose rest is not checked.
   */
  readonly maxObjectKeys?: number | undefined;
  /** Stop with a `keys` error once the whole text has more keys than this; as {@link maxObjectKeys}. */
  readonly maxKeys?: number | undefined;
  /** Report keys that stand twice in one object, at every level. Default false. */
  readonly duplicates?: boolean;
  /** Report numbers that an IEEE 754 double cannot hold. Default false. */
  readonly numbers?: boolean;
  /** Tell whether there are such numbers, where that costs little, without reporting them. Default false. */
  readonly exact?: boolean;
  /**
   * Tell whether no object has a key twice, where that costs little, without reporting those that do. Default
   * false.
   */
  readonly unique?: boolean;
  /**
   * Tell whether this value satisfies its schema, where the text is also found to be `exact` and
   * `unique`, for both of which it must be asked; else this does nothing. It takes little longer than
   * the scan of a value by itself.
   */
  readonly expected?: ExpectedValue | undefined;
}

/** A key that occurs twice in one object, compared after unescaping. */
export interface DuplicateKey {
  /** RFC 6901 pointer to the member. */
  readonly path: string;
  /** Byte offset of the second key's opening quote. */
  readonly offset: number;
}

/** A number whose decimal value differs from that of the double it parses to. */
export interface LossyNumber {
  /** RFC 6901 pointer to the number. */
  readonly path: string;
  /** The number as it is in the text. */
  readonly source: string;
  readonly offset: number;
}

/** Why a text is not acceptable JSON, and where. */
export interface ScanError {
  readonly code: "syntax" | "encoding" | "depth" | "keys" | "trailing";
  readonly message: string;
  /** Byte offset at which the fault was seen. */
  readonly offset: number;
  /** Of `keys`: what has too many, one object or the whole text. */
  readonly of?: "object" | "text";
  /** Of `keys`: the limit that the text goes over. */
  readonly limit?: number;
  /** Of `keys`: set where the objects in which members are planned have that many, so that some may be missing. */
  readonly isPlanned?: boolean;
}

/** What one pass over a JSON text has found. Offsets are bytes from the start of the text. */
export interface JsonScan {
  /** Absent when the bytes are one JSON text by RFC 8259 within `maxDepth`. */
  readonly error?: ScanError;
  /**
   * Ranges of the planned members that were found, by RFC 6901 pointer (`/params/name`); of a
   * duplicate, the last. After an error: those that had been read whole before it.
   */
  readonly members: ReadonlyMap<string, JsonRange>;
  /** The whole value without surrounding white space; after an error, up to the fault. */
  readonly root: JsonRange;
  /** Deepest nesting seen: a scalar 1, `{"a":1}` 2, an empty container 1. */
  readonly depth: number;
  /** Object members seen, at all levels. */
  readonly keys: number;
  /** In the order of the text, bounded as `scanJson` says. */
  readonly duplicates: readonly DuplicateKey[];
  /** Whether there were more than `duplicates` lists. */
  readonly duplicatesTruncated: boolean;
  /** Of a duplicated member, only what is inside the last one. */
  readonly lossyNumbers: readonly LossyNumber[];
  /** Whether there were more than `lossyNumbers` lists. */
  readonly lossyNumbersTruncated: boolean;
  /**
   * True if {@link ScanOptions.exact} asked for it, the text is without error, and a double holds
   * each of its numbers. Absence says nothing.
   */
  readonly exact?: true;
  /**
   * True if {@link ScanOptions.unique} asked for it, the text is without error, and no object has a
   * key twice. Absence says nothing.
   */
  readonly unique?: true;
  /** The value that was {@link ScanOptions.expected}, where it satisfies its schema. Absence says nothing. */
  readonly accepted?: AcceptedValue;
}
