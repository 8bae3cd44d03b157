import { CLOSE_OBJECT, COLON, COMMA, OPEN_OBJECT, QUOTE } from "./bytes.ts";
import { MemberRecorder } from "./members.ts";
import {
  type JsonRange,
  type JsonScan,
  type MemberPlan,
  NO_BYTES,
  NOT_BYTES,
  type ScanError,
  type ScanOptions,
  validScanOptions,
} from "./range.ts";
import { ScriptSkipper, type Skipper, skipScalar, WasmSkipper } from "./skip.ts";
import { skipString } from "./string.ts";
import { depthError, encodingError, keysError, trailingError } from "./syntax.ts";
import { DEFAULT_MAX_DEPTH, skipSpace, walkJson } from "./walk.ts";
import { type LocateResult, WINDOW_BYTES } from "./wasm/scanner.ts";
import { type ScannerSource, scriptOnlyScanner, wasmScanners } from "./wasm/source.ts";

/** From this size on, WebAssembly is faster. */
const WASM_BYTES = 32;

/**
 * What `locateJson` searches for, how deep it goes, and how many keys the objects with planned members may have in
 * total.
 */
export type LocateOptions = Pick<ScanOptions, "members" | "maxDepth" | "maxKeys">;

/** Longer keys are neither checked nor compared: planned members have short names. */
const KEY_BYTES = 1_024;

/** The end of a longer number is found in WebAssembly. */
const SHORT_SCALAR = 1_024;
/** A larger text with a fault is not scanned for it. */
const SCANNED_BYTES = 1_048_576;

/** The location of values in a text whose grammar was not checked. */
export type JsonLocation = Pick<JsonScan, "error" | "members" | "root" | "depth">;

const NO_MEMBERS: ReadonlyMap<string, JsonRange> = new Map();

/** Returns the offset after a number or a literal, without checking it, or -1 if there is none. */
function afterScalar(bytes: Uint8Array, at: number, skipper: Skipper): number {
  const near = Math.min(at + SHORT_SCALAR, bytes.length);
  const end = skipScalar(bytes, at, near);
  if (end === at) return -1;
  return end === near && near < bytes.length ? skipper.scalar(end) : end;
}

/** Why a walk ended before the end of the text, and the offset there. */
interface Stop {
  readonly why: "fault" | "rest" | "depth" | "keys";
  readonly at: number;
}

/**
 * Walks through the planned objects and skips everything else. Stops at the first fault, and at the key with which
 * these objects exceed `maxKeys` in total.
 */
function walkPlanned(
  bytes: Uint8Array,
  maxDepth: number,
  skipper: Skipper,
  members: MemberRecorder | undefined,
  maxKeys: number = Number.POSITIVE_INFINITY,
): Omit<LocateResult, "members"> | Stop {
  let keys = 0;
  const end = bytes.length;
  const start = skipSpace(bytes, 0, end);
  let i = start;
  let level = 0;
  let depth = 0;
  for (;;) {
    const byte = bytes[i];
    const value = i;
    const entered = byte === OPEN_OBJECT && members !== undefined && members.open(level + 1);
    let nesting = 1;
    if (byte === QUOTE) {
      i = skipper.quoted(i);
    } else if (byte === undefined || (byte | 0x20) !== OPEN_OBJECT) {
      i = afterScalar(bytes, i, skipper);
    } else if (!entered) {
      i = skipper.skip(i, maxDepth - level);
      nesting = skipper.nesting;
    }
    if (level + nesting > depth) {
      depth = level + nesting;
      if (depth > maxDepth) return { why: "depth", at: value };
    }
    if (i < 0) return { why: "fault", at: value };
    if (entered) {
      level++;
      i = skipSpace(bytes, i + 1, end);
    }

    // After a value, or after the opening bracket of a planned object.
    let behind = !entered;
    while (level > 0) {
      if (behind) {
        members?.end(i);
        i = skipSpace(bytes, i, end);
      }
      if (bytes[i] !== CLOSE_OBJECT) break;
      i++;
      level--;
      behind = true;
      if (members !== undefined) members.top = level;
    }
    if (level === 0) break;
    if (behind) {
      if (bytes[i] !== COMMA) return { why: "fault", at: i };
      i = skipSpace(bytes, i + 1, end);
    }

    if (members !== undefined) {
      i = skipper.pass(i, members.plan, maxKeys - keys);
      keys += skipper.passed;
      depth = Math.max(depth, level + skipper.passedDepth);
      if (depth > maxDepth) return { why: "depth", at: i };
    }
    if (bytes[i] !== QUOTE) return { why: "fault", at: i };
    const near = Math.min(i + 1 + KEY_BYTES, end);
    const found = skipString(bytes, i + 1, near);
    // At the end of the checked bytes, an escape or a character may be cut off.
    const isLong = found < 0 && near < end && ~found > near - 6;
    const after = isLong ? skipper.quoted(i) : found;
    keys += 1;
    if (after < 0) return { why: "fault", at: i };
    if (keys > maxKeys) return { why: "keys", at: i };
    members?.key(bytes, i + 1, after - 1);
    i = skipSpace(bytes, after, end);
    if (bytes[i] !== COLON) return { why: "fault", at: i };
    i = skipSpace(bytes, i + 1, end);
    members?.value(i);
  }
  const rest = skipSpace(bytes, i, end);
  return rest === end ? { root: { start, end: i }, depth } : { why: "rest", at: rest };
}

function skipperFor(bytes: Uint8Array, source: ScannerSource): Skipper {
  const scanner = source.get();
  return scanner === undefined ? new ScriptSkipper(bytes) : new WasmSkipper(bytes, scanner);
}

/** Returns the ranges of planned members in a text that the WebAssembly scan accepted. */
export function locateMembers(
  bytes: Uint8Array,
  plan: MemberPlan | undefined,
  source: ScannerSource,
): ReadonlyMap<string, JsonRange> {
  if (plan === undefined) return NO_MEMBERS;
  const members = new MemberRecorder(plan);
  walkPlanned(bytes, Number.POSITIVE_INFINITY, skipperFor(bytes, source), members);
  return members.found;
}

/**
 * Locates planned members in a text with very many keys, until its planned objects have more than `maxKeys` keys in
 * total.
 * @returns what was found, and whether that is all
 */
export function locateSome(
  bytes: Uint8Array,
  plan: MemberPlan | undefined,
  source: ScannerSource,
  maxKeys: number,
): { readonly members: ReadonlyMap<string, JsonRange>; readonly all: boolean } {
  const members = new MemberRecorder(plan ?? {});
  const most = Number.POSITIVE_INFINITY;
  const located = walkPlanned(bytes, most, skipperFor(bytes, source), members, maxKeys);
  return { members: members.found, all: "root" in located };
}

/** Returns the error for a walk that stopped in a large text. */
function stopError({ why, at }: Stop, maxDepth: number): ScanError {
  if (why === "rest") return trailingError(at);
  if (why === "depth") return depthError(maxDepth, at);
  return {
    code: "syntax",
    message: `A key or value has a fault or no end, from byte ${at} on`,
    offset: at,
  };
}

/** Locates members with the given skipper. Returns undefined at a fault that a full scan has to find. */
function locateByWalk(
  bytes: Uint8Array,
  { members: plan, maxDepth = DEFAULT_MAX_DEPTH, maxKeys }: LocateOptions,
  skipper: Skipper,
): JsonLocation | undefined {
  const recorder = plan === undefined ? undefined : new MemberRecorder(plan);
  const located = walkPlanned(bytes, maxDepth, skipper, recorder, maxKeys);
  const members = recorder?.found ?? NO_MEMBERS;
  if ("root" in located) return { members, root: located.root, depth: located.depth };
  const isOver = located.why === "keys";
  if (!isOver && bytes.length <= SCANNED_BYTES) return undefined;
  const root = { start: skipSpace(bytes, 0, bytes.length), end: located.at };
  const error: ScanError = isOver
    ? { ...keysError("text", maxKeys ?? 0, located.at), isPlanned: true }
    : stopError(located, maxDepth);
  return { error, members, root, depth: 0 };
}

/** Runs {@link locateJson} with the scanner of a source, or in JavaScript if it has none. */
export function locateWith(
  bytes: Uint8Array,
  options: LocateOptions,
  source: ScannerSource,
): JsonLocation {
  const { members: plan, maxDepth = DEFAULT_MAX_DEPTH } = options;
  const size = bytes.length;
  const readable = encodingError(bytes) === undefined;
  if (readable && plan !== undefined && size <= WINDOW_BYTES) {
    const located = source.use(size, (scanner) => {
      scanner.place(bytes);
      return scanner.locate(size, plan);
    });
    if (located !== undefined && !(located.depth > maxDepth)) return located;
  }
  if (readable) {
    const located = locateByWalk(bytes, options, skipperFor(bytes, source));
    if (located !== undefined) return located;
  }
  // Only a text that is not JSON or is too deep gets here. A full scan finds the fault.
  const { error, members, root, depth } = walkJson(bytes, options);
  return { ...(error && { error }), members, root, depth };
}

/**
 * Locates the planned members of a JSON text (RFC 8259) in UTF-8 and measures its depth. It only follows strings and
 * brackets, so it is many times faster than {@link scanJson} or `JSON.parse` on a large text.
 *
 * For a text that `scanJson` accepts, it returns the same members, root and depth. Text that is not JSON may pass: it
 * only checks the keys of up to 1,024 bytes, the colons and commas of the planned objects, and that all brackets and
 * strings are closed, not what is inside other values. If it refuses a text of up to 1 MiB, `error`, `members`, `root`
 * and `depth` are those of `scanJson`. For a larger one, which takes long to scan, `error` says where the key or value
 * with the fault begins.
 *
 * Never throws, whatever the bytes are. Options of the wrong type are ignored. The plan is read on its first use and
 * must not be changed afterward.
 */
export function locateJson(bytes: Uint8Array, options: LocateOptions = {}): JsonLocation {
  if (!ArrayBuffer.isView(bytes)) {
    return { ...locateWith(NO_BYTES, {}, scriptOnlyScanner), error: NOT_BYTES };
  }
  const source = bytes.length < WASM_BYTES ? scriptOnlyScanner : wasmScanners;
  return locateWith(bytes, validScanOptions(options), source);
}
