import {
  decodeStringStart,
  decodeUtf8,
  escapePointer,
  type Issue,
  isLossyNumber,
  type JsonRange,
  type JsonScan,
  LocatedMembers,
  locateJson,
  type ScanOptions,
  scanJson,
  scanJsonSteps,
} from "@touchstone/core/advanced";
import { OPEN_ARRAY, QUOTE } from "./bytes.ts";
import { commonName } from "./common-names.ts";
import { faultsOf } from "./faults.ts";
import type { Frame, FrameKind, FrameOptions, FrameRanges, FrameScan, KeyLimits } from "./frame.ts";
import { isLongerThan, MAX_ID_BYTES, readableIdKey } from "./id.ts";
import { longIdError, MAX_CURSOR_BYTES, SUBSCRIPTION_POINTERS } from "./long-ids.ts";
import {
  ERROR,
  FRAME_MEMBERS,
  FRAME_POINTERS,
  ID,
  META_PROTOCOL_VERSION,
  METHOD,
  RESULT,
} from "./plan.ts";

const NONE: readonly never[] = Object.freeze([]);
/** Far deeper than any check allows: this only bounds the memory that a scan uses. */
const MAX_DEPTH = 1_000_000;

/**
 * Maximum number of characters to read of a string that is only compared and shown. Nothing that it is compared with is so
 * long: no method, and no header.
 */
const READ_CHARACTERS = 16_384;

const VERSION_POINTER = `/params/_meta/${escapePointer(META_PROTOCOL_VERSION)}`;

function frameScan(bytes: Uint8Array, scan: JsonScan): FrameScan {
  const located = withNumbers(scan);
  if (scan.error !== undefined || bytes.length <= MAX_ID_BYTES) return located;
  const error = longIdError(located.members);
  return error === undefined ? located : { ...located, error };
}

function withNumbers(scan: JsonScan): FrameScan {
  const { members } = scan;
  if (members instanceof LocatedMembers) return scan as FrameScan;
  return { ...scan, members: LocatedMembers.of(FRAME_POINTERS, members) };
}

function kindOf(bytes: Uint8Array, scan: FrameScan): FrameKind {
  if (scan.error !== undefined) return "invalid";
  if (bytes[scan.root.start] === OPEN_ARRAY) return "batch";
  const { members } = scan;
  if (members.includes(METHOD)) return members.includes(ID) ? "request" : "notification";
  if (members.includes(RESULT)) return "response";
  return members.includes(ERROR) ? "error" : "invalid";
}

/** Returns what `read` returns; undefined if a string is not valid, as may occur in an outline. */
function ifValid(read: () => string | undefined): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

class ScannedFrame implements Frame {
  readonly bytes: Uint8Array;
  readonly scan: FrameScan;
  readonly kind: FrameKind;
  attached: unknown;
  #ranges: FrameRanges | undefined;
  #faults: readonly Issue[] | undefined;
  /** Cached, because they are read repeatedly; null until first read. */
  #method: string | undefined | null = null;
  #calledName: string | undefined | null = null;
  #id: string | undefined | null = null;
  #idKey: string | undefined | null = null;

  constructor(bytes: Uint8Array, scan: FrameScan) {
    this.bytes = bytes;
    this.scan = scan;
    this.kind = kindOf(bytes, scan);
  }

  range(pointer: string): JsonRange | undefined {
    return this.scan.members.get(pointer);
  }

  text(range: JsonRange): string {
    return decodeUtf8(this.bytes, range.start, range.end);
  }

  #string(range: JsonRange | undefined): string | undefined {
    if (range === undefined || this.bytes[range.start] !== QUOTE) return undefined;
    const known = commonName(this.bytes, range.start + 1, range.end - 1);
    if (known !== undefined) return known;
    const text = this.text(range);
    return text.includes("\\") ? ifValid(() => JSON.parse(text)) : text.slice(1, -1);
  }

  /** Returns {@link #string}; of a very long one, only the beginning, followed by `…`. */
  #name(range: JsonRange | undefined): string | undefined {
    if (range === undefined || range.end - range.start <= READ_CHARACTERS) {
      return this.#string(range);
    }
    if (this.bytes[range.start] !== QUOTE) return undefined;
    const { bytes } = this;
    const read = (): string | undefined =>
      decodeStringStart(bytes, range.start + 1, range.end - 1, READ_CHARACTERS);
    const beginning = ifValid(read);
    return beginning === undefined ? this.#string(range) : `${beginning}…`;
  }

  /** Returns the string in a range; undefined if it is longer than any cursor that is read. */
  #token(range: JsonRange | undefined): string | undefined {
    if (range === undefined || isLongerThan(range, MAX_CURSOR_BYTES)) return undefined;
    return this.#string(range);
  }

  /** The source text of an id; undefined if it is too long. */
  #source(range: JsonRange | undefined): string | undefined {
    return range === undefined || isLongerThan(range) ? undefined : this.text(range);
  }

  #key(range: JsonRange | undefined): string | undefined {
    const text = this.#source(range);
    return text === undefined ? undefined : readableIdKey(text);
  }

  get ranges(): FrameRanges {
    this.#ranges ??= {
      id: this.range("/id"),
      method: this.range("/method"),
      params: this.range("/params"),
      arguments: this.range("/params/arguments"),
      meta: this.range("/params/_meta"),
      progressToken: this.#progressToken,
      requestId:
        this.method === "notifications/cancelled" ? this.range("/params/requestId") : undefined,
      subscriptionId: SUBSCRIPTION_POINTERS.map((pointer) => this.range(pointer)).find(Boolean),
      result: this.range("/result"),
      structuredContent: this.range("/result/structuredContent"),
      tools: this.range("/result/tools"),
      error: this.range("/error"),
    };
    return this.#ranges;
  }

  get faults(): readonly Issue[] {
    this.#faults ??= faultsOf(this);
    return this.#faults;
  }

  get jsonrpc(): string | undefined {
    return this.#name(this.range("/jsonrpc"));
  }
  get id(): string | undefined {
    if (this.#id === null) this.#id = this.#source(this.range("/id"));
    return this.#id;
  }
  get idKey(): string | undefined {
    if (this.#idKey === null)
      this.#idKey = this.id === undefined ? undefined : readableIdKey(this.id);
    return this.#idKey;
  }
  get method(): string | undefined {
    if (this.#method === null) this.#method = this.#name(this.scan.members.at(METHOD));
    return this.#method;
  }
  get name(): string | undefined {
    if (this.#calledName === null) this.#calledName = this.#name(this.range("/params/name"));
    return this.#calledName;
  }
  get toolName(): string | undefined {
    return this.method === "tools/call" ? this.name : undefined;
  }
  get uri(): string | undefined {
    return this.#name(this.range("/params/uri"));
  }
  get hasCursor(): boolean {
    return this.range("/params/cursor") !== undefined;
  }
  get protocolVersion(): string | undefined {
    return this.#name(this.range(VERSION_POINTER));
  }
  get initializeVersion(): string | undefined {
    const answers = this.kind === "response";
    return this.#name(this.range(answers ? "/result/protocolVersion" : "/params/protocolVersion"));
  }
  get requestIdKey(): string | undefined {
    return this.#key(this.ranges.requestId);
  }
  get progressTokenKey(): string | undefined {
    return this.#key(this.#progressToken);
  }
  get #progressToken(): JsonRange | undefined {
    return this.method === "notifications/progress"
      ? this.range("/params/progressToken")
      : this.range("/params/_meta/progressToken");
  }
  get subscriptionIdKey(): string | undefined {
    return this.#key(this.ranges.subscriptionId);
  }
  get isError(): boolean {
    const range = this.range("/result/isError");
    return range !== undefined && range.end - range.start === 4 && this.text(range) === "true";
  }
  get resultType(): string | undefined {
    return this.#name(this.range("/result/resultType"));
  }
  get nextCursor(): string | undefined {
    return this.#token(this.range("/result/nextCursor"));
  }
  get announcesTask(): boolean {
    return this.range("/result/task") !== undefined || this.resultType === "task";
  }
  get taskId(): string | undefined {
    return (
      this.#token(this.range("/params/taskId")) ??
      this.#token(this.range("/result/task/taskId")) ??
      this.#token(this.range("/result/taskId"))
    );
  }
  get errorCode(): number | undefined {
    const range = this.range("/error/code");
    if (range === undefined || isLongerThan(range)) return undefined;
    const text = this.text(range);
    const code = Number(text);
    return Number.isSafeInteger(code) && !isLossyNumber(text) ? code : undefined;
  }
}

const NO_OPTIONS: FrameOptions = {};

function outlined(bytes: Uint8Array, keyLimits: KeyLimits | undefined): JsonScan {
  const maxKeys = keyLimits?.object;
  const located = locateJson(bytes, { members: FRAME_MEMBERS, maxDepth: MAX_DEPTH, maxKeys });
  const { error, members, root, depth } = located;
  // Lists the members instead of using a spread: a copied object that gets more members later is slow to create and to
  // read.
  const scan: JsonScan = {
    members,
    root,
    depth,
    keys: 0,
    duplicates: NONE,
    duplicatesTruncated: false,
    lossyNumbers: NONE,
    lossyNumbersTruncated: false,
  };
  return error === undefined ? scan : { error, ...scan };
}

/** Returns the options for the scan. */
function scanOptions({ duplicates, exact, expected, keyLimits }: FrameOptions): ScanOptions {
  return {
    members: FRAME_MEMBERS,
    maxDepth: MAX_DEPTH,
    duplicates: duplicates === true,
    exact: exact === true,
    unique: duplicates === true && exact === true,
    expected,
    maxObjectKeys: keyLimits?.object,
    maxKeys: keyLimits?.message,
  };
}

function frameOf(bytes: Uint8Array, scan: JsonScan, { keyLimits }: FrameOptions): Frame {
  if (scan.error?.code === "keys" && scan.error.isPlanned !== true) {
    const { code: _, limit = 0, message } = scan.error;
    const outline = frameScan(bytes, outlined(bytes, keyLimits));
    return new ScannedFrame(bytes, { ...outline, overKeys: { limit, message } });
  }
  return new ScannedFrame(bytes, frameScan(bytes, scan));
}

/**
 * Reads one JSON-RPC message from its raw bytes in one pass, without parsing its values. Never throws: what is wrong
 * with it is in `faults`, and bytes that are not JSON give a frame of kind `invalid` in which the part before the fault
 * can still be read (so that an incomplete response can be matched to its request by `idKey`).
 *
 * The frame keeps the bytes and reads from them when asked; they must not change meanwhile.
 */
export function readFrame(bytes: Uint8Array, options: FrameOptions = {}): Frame {
  // An untyped caller may pass null.
  const given = options ?? NO_OPTIONS;
  if (given.outline === true)
    return new ScannedFrame(bytes, frameScan(bytes, outlined(bytes, given.keyLimits)));
  return frameOf(bytes, scanJson(bytes, scanOptions(given)), given);
}

/**
 * {@link readFrame} in steps of a few milliseconds each, between which the caller may do other things. Ignores
 * `outline`.
 */
export function* readFrameSteps(
  bytes: Uint8Array,
  options: FrameOptions = {},
): Generator<void, Frame, void> {
  const given = options ?? NO_OPTIONS;
  return frameOf(bytes, yield* scanJsonSteps(bytes, scanOptions(given)), given);
}

/**
 * Returns a frame over bytes that were scanned before, without reading them again.
 * @param bytes the bytes of `scan`, or bytes that differ from them only inside the id
 * @param scan of a frame that {@link readFrame} or {@link readFrameSteps} returned
 */
export function frameOfScan(bytes: Uint8Array, scan: FrameScan): Frame {
  return new ScannedFrame(bytes, scan);
}
