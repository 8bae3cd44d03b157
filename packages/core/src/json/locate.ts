import { CLOSE_OBJECT, COLON, COMMA, OPEN_OBJECT, QUOTE } from "./bytes.ts";
import { DuplicateFinder } from "./findings.ts";
import { MemberRecorder } from "./members.ts";
import { ScanPath } from "./path.ts";
import {
  type JsonRange,
  type JsonScan,
  type MemberPlan,
  NO_BYTES,
  NOT_BYTES,
  type ScanOptions,
  usableOptions,
} from "./range.ts";
import { ScriptSkipper, type Skipper, WasmSkipper } from "./skip.ts";
import { skipString } from "./string.ts";
import { encodingError, keysError } from "./syntax.ts";
import { DEFAULT_MAX_DEPTH, skipSpace, walkJson } from "./walk.ts";
import { type Located, WINDOW_BYTES } from "./wasm/scanner.ts";
import { noScanner, type ScannerSource, scanners } from "./wasm/source.ts";

/** From this size on, WebAssembly is faster. */
const WASM_BYTES = 32;

/**
 * What `locateJson` looks for, how deep it goes, and how many keys the objects with planned members may have in
 * total.
 */
export type LocateOptions = Pick<ScanOptions, "members" | "maxDepth" | "maxKeys">;

/** Longer keys are neither checked nor compared: planned members have short names. */
const KEY_BYTES = 1_024;

/** The location of values in a text whose grammar was not checked. */
export type JsonLocation = Pick<
  JsonScan,
  "error" | "members" | "root" | "depth" | "duplicates" | "duplicatesTruncated"
>;

// Locating is synchronous and never calls back into the caller, so one shared path is enough.
const path = new ScanPath();
const NO_MEMBERS: ReadonlyMap<string, JsonRange> = new Map();

/** Returns the offset after a number or a literal, without checking it, or -1 if there is none. */
function skipScalar(bytes: Uint8Array, at: number, end: number): number {
  let i = at;
  while (i < end) {
    const byte = bytes[i] as number;
    if (byte <= 0x20 || byte === COMMA || (byte | 0x20) === 0x7d) break;
    i++;
  }
  return i === at ? -1 : i;
}

/**
 * Walks through the planned objects and skips everything else. Returns undefined at the first fault, or the offset of
 * the key with which these objects exceed `maxKeys` in total.
 */
function walkPlanned(
  bytes: Uint8Array,
  maxDepth: number,
  skipper: Skipper,
  members: MemberRecorder | undefined,
  duplicates: DuplicateFinder | undefined,
  maxKeys: number = Number.POSITIVE_INFINITY,
): Omit<Located, "members"> | number | undefined {
  let keys = 0;
  const end = bytes.length;
  const start = skipSpace(bytes, 0, end);
  let i = start;
  let level = 0;
  let depth = 0;
  for (;;) {
    const byte = bytes[i];
    const entered = byte === OPEN_OBJECT && members !== undefined && members.open(level + 1);
    let nesting = 1;
    if (byte === QUOTE) {
      i = skipper.quoted(i);
    } else if (byte === undefined || (byte | 0x20) !== OPEN_OBJECT) {
      i = skipScalar(bytes, i, end);
    } else if (!entered) {
      i = skipper.skip(i);
      nesting = skipper.nesting;
    }
    if (i < 0) return undefined;
    if (level + nesting > depth) {
      depth = level + nesting;
      if (depth > maxDepth) return undefined;
    }
    if (entered) {
      level++;
      if (level === path.starts.length) path.grow();
      duplicates?.enter();
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
      duplicates?.leave();
      if (members !== undefined) members.top = level;
    }
    if (level === 0) break;
    if (behind) {
      if (bytes[i] !== COMMA) return undefined;
      i = skipSpace(bytes, i + 1, end);
    }

    if (bytes[i] !== QUOTE) return undefined;
    const near = Math.min(i + 1 + KEY_BYTES, end);
    const found = skipString(bytes, i + 1, near);
    // An escape or a character may be cut off at the end of what was looked at.
    const isLong = found < 0 && near < end && ~found > near - 6;
    const after = isLong ? skipper.quoted(i) : found;
    keys += 1;
    if (after < 0) return undefined;
    if (keys > maxKeys) return i;
    path.starts[level] = i + 1;
    path.ends[level] = after - 1;
    members?.key(bytes, i + 1, after - 1);
    if (!isLong) duplicates?.key(path, level, i + 1, after - 1);
    i = skipSpace(bytes, after, end);
    if (bytes[i] !== COLON) return undefined;
    i = skipSpace(bytes, i + 1, end);
    members?.value(i);
  }
  if (skipSpace(bytes, i, end) !== end) return undefined;
  return { root: { start, end: i }, depth };
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
  walkPlanned(bytes, Number.POSITIVE_INFINITY, skipperFor(bytes, source), members, undefined);
  path.trim();
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
  const skipper = skipperFor(bytes, source);
  const most = Number.POSITIVE_INFINITY;
  const located = walkPlanned(bytes, most, skipper, members, undefined, maxKeys);
  path.trim();
  return { members: members.found, all: typeof located === "object" };
}

/** Locates members in JavaScript with the given skipper. Returns undefined at the first fault. */
function locateByWalk(
  bytes: Uint8Array,
  plan: MemberPlan | undefined,
  maxDepth: number,
  skipper: Skipper,
  maxKeys: number | undefined,
): JsonLocation | undefined {
  const members = plan === undefined ? undefined : new MemberRecorder(plan);
  const duplicates = plan === undefined ? undefined : new DuplicateFinder(bytes, undefined);
  const located = walkPlanned(bytes, maxDepth, skipper, members, duplicates, maxKeys);
  path.trim();
  if (located === undefined) return undefined;
  if (typeof located === "number") {
    return {
      error: { ...keysError("text", maxKeys ?? 0, located), isPlanned: true },
      members: members?.found ?? NO_MEMBERS,
      root: { start: skipSpace(bytes, 0, bytes.length), end: located },
      depth: 0,
      duplicates: [],
      duplicatesTruncated: false,
    };
  }
  return {
    members: members?.found ?? NO_MEMBERS,
    root: located.root,
    depth: located.depth,
    duplicates: duplicates?.findings.list ?? [],
    duplicatesTruncated: duplicates?.findings.truncated ?? false,
  };
}

/** Runs {@link locateJson} with the scanner of a source, or in JavaScript if it has none. */
export function locateWith(
  bytes: Uint8Array,
  options: LocateOptions,
  source: ScannerSource,
): JsonLocation {
  const { members: plan, maxDepth = DEFAULT_MAX_DEPTH, maxKeys } = options;
  const size = bytes.length;
  const readable = encodingError(bytes) === undefined;
  if (readable && plan !== undefined && size <= WINDOW_BYTES) {
    const located = source.use(size, (scanner) => {
      scanner.place(bytes);
      return scanner.locate(size, plan);
    });
    if (located !== undefined && !(located.depth > maxDepth)) {
      const { members, root, depth } = located;
      return { members, root, depth, duplicates: [], duplicatesTruncated: false };
    }
  }
  if (readable) {
    const located = locateByWalk(bytes, plan, maxDepth, skipperFor(bytes, source), maxKeys);
    if (located !== undefined) return located;
  }
  // Only a text that is not JSON or is too deep gets here. A full scan finds the fault.
  const { error, members, root, depth } = walkJson(bytes, options);
  const none = { duplicates: [], duplicatesTruncated: false };
  return { ...(error && { error }), members, root, depth, ...none };
}

/**
 * Locates the planned members of a JSON text (RFC 8259) in UTF-8 and measures its depth. It only follows strings and
 * brackets, so it is many times faster than {@link scanJson} or `JSON.parse` on a large text.
 *
 * For a text that `scanJson` accepts, it returns the same members, root and depth, and the duplicate keys of objects
 * with planned members, except for keys of more than 1,024 bytes. Text that is not JSON may pass: it only checks the
 * keys of up to 1,024 bytes, the colons and commas of the planned objects, and that all brackets and strings are
 * closed, not what is inside other values. If it refuses a text, `error`, `members`, `root` and `depth` are those of
 * `scanJson`, and no duplicates are listed.
 *
 * Never throws, whatever the bytes are. Options of the wrong type are ignored. The plan is read on its first use and
 * must not be changed afterward.
 */
export function locateJson(bytes: Uint8Array, options: LocateOptions = {}): JsonLocation {
  if (!ArrayBuffer.isView(bytes)) {
    return { ...locateWith(NO_BYTES, {}, noScanner), error: NOT_BYTES };
  }
  const source = bytes.length < WASM_BYTES ? noScanner : scanners;
  return locateWith(bytes, usableOptions(options), source);
}
