import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  MINUS,
  NINE,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  ZERO,
} from "./bytes.ts";
import { DuplicateFinder, LossyFinder } from "./findings.ts";
import { hashKeySteps, LONG_KEY_BYTES } from "./keys.ts";
import { MemberRecorder } from "./members.ts";
import { skipNumber, skipNumberSteps } from "./number.ts";
import { ScanPath } from "./path.ts";
import type { JsonRange, JsonScan, ScanError, ScanOptions } from "./range.ts";
import { skipString, stringError } from "./string.ts";
import { depthError, encodingError, expectedError, keysError, trailingError } from "./syntax.ts";

/** The default of `maxDepth`. */
export const DEFAULT_MAX_DEPTH = 10_000;

// A scan in one step never calls back into the caller, so one shared path is enough.
const shared = new ScanPath();
const NO_MEMBERS: ReadonlyMap<string, JsonRange> = new Map();

/** Returns the offset of the first byte from `at` on that is not white space (RFC 8259, section 2). */
export function skipSpace(bytes: Uint8Array, at: number, end: number): number {
  let i = at;
  while (i < end) {
    const byte = bytes[i] as number;
    if (byte > 0x20 || (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09)) break;
    i++;
  }
  return i;
}

/** Returns the offset after `true`, `false` or `null` at `at`, or 0 if there is none. */
function skipLiteral(bytes: Uint8Array, at: number): number {
  const word = bytes[at] === 0x74 ? "true" : bytes[at] === 0x66 ? "false" : "null";
  for (let i = 0; i < word.length; i++) if (bytes[at + i] !== word.charCodeAt(i)) return 0;
  return at + word.length;
}

interface Walk {
  readonly error: ScanError | undefined;
  readonly start: number;
  readonly end: number;
  readonly depth: number;
  readonly keys: number;
}

/** The contents of a container that was checked as a whole. */
export interface CheckedContents {
  /** The offset after it. */
  readonly end: number;
  readonly depth: number;
  readonly keys: number;
}

/** How a text is walked in steps. */
export interface Stepping {
  /** The approximate number of bytes in one step; at least 16. */
  readonly bytes: number;
  /**
   * Checks the container at an offset as a whole, if that is faster than walking through it. Returns undefined if it is
   * not faster, or if there is anything to report.
   */
  pass(at: number, maxDepth: number, maxKeys: number): CheckedContents | undefined;
  /** Called for each number in a container that {@link pass} did not check as a whole. */
  number(start: number, end: number): void;
}

/** Runs {@link skipString} with this many bytes in each step. */
function* stringSteps(
  bytes: Uint8Array,
  start: number,
  end: number,
  step: number,
): Generator<void, number, void> {
  for (let at = start; ; ) {
    const until = Math.min(at + step, end);
    const after = skipString(bytes, at, until);
    // Near the end of a step, an escape or a character may just be cut off.
    if (after >= 0 || until === end || ~after < until - 6) return after;
    at = ~after;
    yield;
  }
}

interface WalkParts {
  readonly path: ScanPath;
  readonly members: MemberRecorder | undefined;
  readonly duplicates: DuplicateFinder | undefined;
  readonly lossy: LossyFinder | undefined;
  readonly maxDepth: number;
  readonly maxObjectKeys: number;
  readonly maxKeys: number;
  /** By default, in one step. */
  readonly stepping: Stepping | undefined;
}

/** Walks the text once and passes what it finds to the three collectors. */
function* walk(
  bytes: Uint8Array,
  { path, members, duplicates, lossy, maxDepth, maxObjectKeys, maxKeys, stepping }: WalkParts,
): Generator<void, Walk, void> {
  const end = bytes.length;
  const step = stepping?.bytes ?? end;
  let pause = step;
  let { starts, ends } = path;
  const start = skipSpace(bytes, 0, end);
  let i = start;
  let level = 0;
  let inObject = false;
  let depth = 0;
  let keys = 0;
  const stop = (error: ScanError | undefined, at: number): Walk => ({
    error,
    start,
    end: at,
    depth,
    keys,
  });
  const fail = (error: ScanError): Walk => stop(error, error.offset);

  const mark = encodingError(bytes);
  if (mark !== undefined) return fail(mark);

  for (;;) {
    if (i > pause) {
      pause = i + step;
      yield;
    }
    if (inObject) {
      if (bytes[i] !== QUOTE) return fail(expectedError(bytes[i], i, "a key in double quotes"));
      const until = Math.min(i + 1 + step, end);
      let after = skipString(bytes, i + 1, until);
      if (after < 0 && until < end) after = yield* stringSteps(bytes, i + 1, end, step);
      if (after < 0) return fail(stringError(bytes[~after], ~after));
      keys++;
      starts[level] = i + 1;
      ends[level] = after - 1;
      if (members !== undefined && members.top === level) members.key(bytes, i + 1, after - 1);
      if (duplicates !== undefined) {
        const hash =
          after - i > LONG_KEY_BYTES
            ? yield* hashKeySteps(bytes, i + 1, after - 1, step)
            : undefined;
        const own = duplicates.key(path, level, i + 1, after - 1, hash);
        if (own > maxObjectKeys) return fail(keysError("object", maxObjectKeys, i));
        if (keys > maxKeys) return fail(keysError("text", maxKeys, i));
      }
      i = skipSpace(bytes, after, end);
      if (bytes[i] !== COLON) return fail(expectedError(bytes[i], i, "a colon after the key"));
      i = skipSpace(bytes, i + 1, end);
      if (members !== undefined && members.top === level) members.value(i);
    }

    const byte = i < end ? (bytes[i] as number) : -1;
    const isObject = byte === OPEN_OBJECT;
    const isContainer = isObject || byte === OPEN_ARRAY;
    const passed =
      isContainer && stepping !== undefined && members?.entersAt(level) !== true
        ? stepping.pass(i, maxDepth - level, maxKeys - keys)
        : undefined;
    if (passed !== undefined) {
      keys += passed.keys;
      depth = Math.max(depth, level + passed.depth);
      i = passed.end;
      if (members !== undefined && members.top === level && level > 0) members.end(i);
      if (level > 0) i = skipSpace(bytes, i, end);
    } else if (isContainer) {
      level++;
      if (level > depth) {
        depth = level;
        if (depth > maxDepth) return fail(depthError(maxDepth, i));
      }
      if (level === starts.length) {
        path.grow();
        ({ starts, ends } = path);
      }
      inObject = isObject;
      starts[level] = isObject ? 0 : -1;
      ends[level] = 0;
      if (isObject) {
        if (members !== undefined && members.top === level - 1) members.open(level);
        if (duplicates !== undefined) duplicates.enter();
      }
      i = skipSpace(bytes, i + 1, end);
      if (bytes[i] !== (isObject ? CLOSE_OBJECT : CLOSE_ARRAY)) continue;
      // The loop below closes it.
    } else {
      let after: number;
      if (byte === QUOTE) {
        const until = Math.min(i + 1 + step, end);
        after = skipString(bytes, i + 1, until);
        if (after < 0 && until < end) after = yield* stringSteps(bytes, i + 1, end, step);
        if (after < 0) return fail(stringError(bytes[~after], ~after));
      } else if (byte === MINUS || (byte >= ZERO && byte <= NINE)) {
        after = skipNumber(bytes, i, Math.min(i + step, end));
        const reached = after < 0 ? ~after : after;
        if (reached - i >= step - 2 && end - i > step) {
          after = yield* skipNumberSteps(bytes, i, end, step);
        }
        if (after < 0) return fail(expectedError(bytes[~after], ~after, "a digit"));
        if (lossy !== undefined) lossy.number(path, level, i, after);
        if (stepping !== undefined) stepping.number(i, after);
      } else {
        after = byte < 0 ? 0 : skipLiteral(bytes, i);
        if (after === 0) return fail(expectedError(bytes[i], i, "a value"));
      }
      if (level >= depth) {
        depth = level + 1;
        if (depth > maxDepth) return fail(depthError(maxDepth, i));
      }
      i = after;
      if (members !== undefined && members.top === level && level > 0) members.end(i);
      if (level > 0) i = skipSpace(bytes, i, end);
    }

    // After a value, or at the end of an empty container.
    for (;;) {
      if (level === 0) {
        const rest = skipSpace(bytes, i, end);
        if (rest === end) return stop(undefined, i);
        return stop(trailingError(rest), i);
      }
      const next = bytes[i];
      if (next === COMMA) {
        if (!inObject) ends[level] = (ends[level] as number) + 1;
        i = skipSpace(bytes, i + 1, end);
        break;
      }
      if (next !== (inObject ? CLOSE_OBJECT : CLOSE_ARRAY)) {
        const close = inObject ? "'}'" : "']'";
        return fail(expectedError(bytes[i], i, `a comma or ${close}`));
      }
      if (inObject) {
        if (duplicates !== undefined) duplicates.leave();
        if (members !== undefined && members.top === level) members.top = level - 1;
      }
      level--;
      inObject = level > 0 && (starts[level] as number) >= 0;
      i++;
      if (members !== undefined && members.top === level && level > 0) members.end(i);
      if (level > 0) i = skipSpace(bytes, i, end);
    }
  }
}

/** Runs `scanJson` in JavaScript only: for every text, with the same results. */
export function walkJson(bytes: Uint8Array, options: ScanOptions): JsonScan {
  const scan = runSteps(scanInScript(bytes, options, options.duplicates === true));
  if (options.numbers !== true || options.duplicates === true) return scan;
  // Numbers inside a shadowed member do not count, so keys are only compared if there are numbers.
  if (scan.lossyNumbers.length === 0) return scan;
  return {
    ...runSteps(scanInScript(bytes, options, true)),
    duplicates: [],
    duplicatesTruncated: false,
  };
}

/**
 * Runs the scan in JavaScript: see `scanJson`.
 * @param trackKeys whether keys are compared; without `options.duplicates`, only to ignore numbers in a shadowed
 *   member
 * @param stepping in one step by default; with it, the scan can pause after each step
 */
export function* scanInScript(
  bytes: Uint8Array,
  options: ScanOptions,
  trackKeys: boolean,
  stepping?: Stepping,
): Generator<void, JsonScan, void> {
  const path = stepping === undefined ? shared : new ScanPath();
  const members = options.members === undefined ? undefined : new MemberRecorder(options.members);
  const lossy = options.numbers === true ? new LossyFinder(bytes) : undefined;
  const duplicates = trackKeys
    ? new DuplicateFinder(bytes, lossy, stepping !== undefined)
    : undefined;
  const counts = options.duplicates === true;
  const { error, start, end, depth, keys } = yield* walk(bytes, {
    path,
    members,
    duplicates,
    lossy,
    maxDepth: options.maxDepth ?? DEFAULT_MAX_DEPTH,
    maxObjectKeys: (counts ? options.maxObjectKeys : undefined) ?? Number.POSITIVE_INFINITY,
    maxKeys: (counts ? options.maxKeys : undefined) ?? Number.POSITIVE_INFINITY,
    stepping,
  });
  path.trim();
  const scan: JsonScan = {
    members: members?.found ?? NO_MEMBERS,
    root: { start, end },
    depth,
    keys,
    duplicates: duplicates?.findings.list ?? [],
    duplicatesTruncated: duplicates?.findings.truncated ?? false,
    lossyNumbers: lossy?.findings.list ?? [],
    lossyNumbersTruncated: lossy?.findings.truncated ?? false,
  };
  return error === undefined ? scan : { error, ...scan };
}

/** Runs all steps at once and returns the result. */
export function runSteps<T>(steps: Iterator<unknown, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
