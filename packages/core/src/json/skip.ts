import { BACKSLASH, COMMA, OPEN_OBJECT, QUOTE } from "./bytes.ts";
import type { MemberPlan } from "./range.ts";
import { type WasmScanner, WINDOW_BYTES } from "./wasm/scanner.ts";
import { type ScannerSource, wasmScanners } from "./wasm/source.ts";

/** Up to this length, a loop is faster than a call of `indexOf`. */
const SHORT = 32;

/** Finds the end of a container by its brackets alone. */
export interface Skipper {
  /** The depth of the last container: 1 if it is empty, 2 if it holds scalars. */
  readonly nesting: number;
  /**
   * Returns the offset after the container whose opening bracket is at `at`, or -1 if it is cut off, or deeper than
   * `maxDepth`; its nesting is then more than that.
   */
  skip(at: number, maxDepth?: number): number;
  /** Does what {@link skipQuoted} does. */
  quoted(at: number): number;
  /** Returns the offset after a number or a literal that continues at `at`, without checking it. */
  scalar(at: number): number;
  /** How many members {@link pass} passed, and the depth of the deepest value among them. */
  readonly passed: number;
  readonly passedDepth: number;
  /**
   * Passes members of an object that are not planned, if that is faster than walking through them.
   * @param at the offset of a key's opening quote
   * @param plan what is planned in the object
   * @param most how many members to pass
   * @returns the offset of the opening quote of the next key; `at` if none was passed
   */
  pass(at: number, plan: MemberPlan, most: number): number;
}

/**
 * Returns the offset after the string whose opening quote is at `at`, or -1 if it is cut off. Does not check what is
 * between the quotes.
 */
export function skipQuoted(bytes: Uint8Array, at: number): number {
  return Math.max(skipInQuotes(bytes, at + 1, bytes.length), -1);
}

/**
 * Continues {@link skipQuoted} inside of a string.
 * @param at an offset in the string that no backslash escapes
 * @param until where to pause if the string has not ended there; at most the length of `bytes`
 * @returns the offset after the string; if it has not ended, the complement (`~`) of where to continue
 */
export function skipInQuotes(bytes: Uint8Array, at: number, until: number): number {
  let i = at;
  while (i < until) {
    const near = Math.min(i + SHORT, bytes.length);
    while (i < near) {
      const byte = bytes[i];
      if (byte === QUOTE) return i + 1;
      i += byte === BACKSLASH ? 2 : 1;
    }
    const quote = i < bytes.length ? bytes.indexOf(QUOTE, i) : -1;
    if (quote < 0) return ~bytes.length;
    let run = quote;
    while (run > i && bytes[run - 1] === BACKSLASH) run--;
    if ((quote - run) % 2 === 0) return quote + 1;
    i = quote + 1;
  }
  return ~i;
}

/**
 * Runs {@link skipInQuotes} to the end of the string, in steps.
 * @param step the approximate number of bytes in one step
 * @returns the offset after the string, or -1 if it is cut off
 */
export function* skipInQuotesSteps(
  bytes: Uint8Array,
  at: number,
  step: number,
): Generator<void, number, void> {
  for (let i = at; i < bytes.length; ) {
    const after = skipInQuotes(bytes, i, Math.min(i + step, bytes.length));
    if (after >= 0) return after;
    i = ~after;
    yield;
  }
  return -1;
}

/** Returns the offset after a number or a literal, without checking it; `at` if there is none. */
export function skipScalar(bytes: Uint8Array, at: number, end: number): number {
  let i = at;
  while (i < end) {
    const byte = bytes[i] as number;
    if (byte <= 0x20 || byte === COMMA || (byte | 0x20) === 0x7d) break;
    i++;
  }
  return i;
}

/** Returns whether the next byte that is not white space, from `at` on, closes a container. */
function closesAt(bytes: Uint8Array, at: number): boolean {
  let i = at;
  let byte = bytes[i];
  while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) byte = bytes[++i];
  return byte !== undefined && (byte | 0x20) === 0x7d;
}

/** Implements {@link Skipper} in JavaScript. */
export class ScriptSkipper implements Skipper {
  nesting = 0;
  readonly passed = 0;
  readonly passedDepth = 0;
  private readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  quoted(at: number): number {
    return skipQuoted(this.bytes, at);
  }

  scalar(at: number): number {
    return skipScalar(this.bytes, at, this.bytes.length);
  }

  pass(at: number): number {
    return at;
  }

  skip(at: number, maxDepth: number = Number.POSITIVE_INFINITY): number {
    const { bytes } = this;
    const end = bytes.length;
    this.nesting = 0;
    let depth = 0;
    let deepest = 0;
    let filled = false;
    for (let i = at; i < end; ) {
      const byte = bytes[i] as number;
      if (byte === QUOTE) {
        i = skipQuoted(bytes, i);
        if (i < 0) return -1;
        continue;
      }
      i++;
      // '[' and '{' differ in one bit, and so do their closing brackets.
      const bracket = byte | 0x20;
      if (bracket === 0x7b) {
        depth++;
        if (depth > deepest) {
          deepest = depth;
          filled = false;
          if (depth > maxDepth) {
            this.nesting = depth;
            return -1;
          }
        }
        if (depth === deepest && !filled) filled = !closesAt(bytes, i);
      } else if (bracket === 0x7d) {
        depth--;
        if (depth === 0) {
          this.nesting = filled ? deepest + 1 : deepest;
          return i;
        }
      } else if (byte === BACKSLASH && (bytes[i] === QUOTE || bytes[i] === BACKSLASH)) {
        // JSON has no backslash outside strings. Here it escapes the next byte, as it does inside.
        i++;
      }
    }
    return -1;
  }
}

/** Implements {@link Skipper} in WebAssembly, which sees the text through a window. */
export class WasmSkipper implements Skipper {
  nesting = 0;
  passed = 0;
  passedDepth = 0;
  private readonly bytes: Uint8Array;
  private readonly scanner: WasmScanner;
  /** The bytes `[base, end)` of the text are in the scanner's memory. */
  private base = 0;
  private end = 0;

  constructor(bytes: Uint8Array, scanner: WasmScanner) {
    this.bytes = bytes;
    this.scanner = scanner;
  }

  quoted(at: number): number {
    const { bytes, scanner } = this;
    const i = nearQuote(bytes, at);
    if (i < 0) return ~i;
    for (let from = i; from < bytes.length; ) {
      if (from < this.base || from >= this.end) this.move(from);
      const behind = scanner.exports.endQuoted(from - this.base, this.end - this.base);
      if (behind >= 0) return this.base + behind;
      from = this.base + ~behind;
    }
    return -1;
  }

  scalar(at: number): number {
    const { bytes, scanner } = this;
    for (let i = at; ; i = this.end) {
      if (i < this.base || i >= this.end) this.move(i);
      const behind = this.base + scanner.exports.endScalar(i - this.base, this.end - this.base);
      if (behind < this.end || this.end === bytes.length) return behind;
    }
  }

  pass(at: number, plan: MemberPlan, most: number): number {
    const { bytes, scanner } = this;
    this.passed = 0;
    this.passedDepth = 0;
    if (bytes.length <= WINDOW_BYTES) return at;
    if (at < this.base || at >= this.end) this.move(at);
    const passed = scanner.pass(at - this.base, this.end - this.base, plan, most);
    if (passed === undefined) return at;
    this.passed = passed.members;
    this.passedDepth = passed.depth;
    return this.base + passed.next;
  }

  private move(to: number): void {
    const { bytes, scanner } = this;
    this.base = bytes.length <= WINDOW_BYTES ? 0 : to;
    this.end = Math.min(this.base + WINDOW_BYTES, bytes.length);
    scanner.place(bytes.subarray(this.base, this.end));
  }

  skip(start: number, maxDepth: number = Number.POSITIVE_INFINITY): number {
    const { scanner, bytes } = this;
    const { begin, walk, nesting } = scanner.exports;
    begin();
    this.nesting = 0;
    let at = start;
    for (;;) {
      // Only the last block of the text may be incomplete.
      let size = this.end - at;
      if (this.end < bytes.length) size -= size % 64;
      if (at >= this.base && size > 0) {
        const from = at - this.base;
        const behind = walk(from, from + size);
        if (behind >= 0) {
          this.nesting = nesting();
          return this.base + behind;
        }
        at += size;
        if (nesting() > maxDepth) {
          this.nesting = nesting();
          return -1;
        }
        if (at >= bytes.length) return -1;
      }
      this.move(at);
    }
  }
}

/** Up to this length, JavaScript is faster. */
const NEAR = 32;

/**
 * Looks for the end of the string whose opening quote is at `at`, among its first bytes.
 * @returns the complement of the offset after its closing quote; if there is none, where the string continues
 */
function nearQuote(bytes: Uint8Array, at: number): number {
  let i = at + 1;
  const near = Math.min(i + NEAR, bytes.length);
  while (i < near) {
    const byte = bytes[i];
    if (byte === QUOTE) return ~(i + 1);
    i += byte === BACKSLASH ? 2 : 1;
  }
  return i;
}

/** A text of up to this size is copied whole, which costs less than a view of a part. */
const SMALL = 4_096;
/** A container that ends within this many bytes is skipped in JavaScript. */
const SHORT_CONTAINER = 1_024;
/** This much of a larger one is copied first, then twice as much each time, since most strings end soon. */
const FIRST_WINDOW = 4_096;

/** Runs {@link skipLongQuoted} with the scanner of a source, or in JavaScript if it has none. */
export function skipLongQuotedWith(bytes: Uint8Array, at: number, source: ScannerSource): number {
  let i = nearQuote(bytes, at);
  if (i < 0) return ~i;
  const scanner = source.get();
  if (scanner === undefined) return skipQuoted(bytes, at);
  if (bytes.length <= SMALL) return Math.max(scanner.endQuoted(bytes, i), -1);
  for (let size = FIRST_WINDOW; i < bytes.length; size = Math.min(size * 2, WINDOW_BYTES)) {
    const behind = scanner.endQuoted(bytes.subarray(i, i + size), 0);
    if (behind >= 0) return i + behind;
    i += ~behind;
  }
  return -1;
}

/**
 * Returns the offset after the string whose opening quote is at `at`, or -1 if it is cut off. Like {@link
 * skipQuoted}, but many times faster for long strings. Does not check what is between the quotes.
 */
export function skipLongQuoted(bytes: Uint8Array, at: number): number {
  return skipLongQuotedWith(bytes, at, wasmScanners);
}

/**
 * Returns the offset after the value that begins at `at` in a JSON text, or -1 if it is cut off. Skips strings and
 * containers by their quotes and brackets alone, long ones in WebAssembly.
 */
export function skipLongValue(bytes: Uint8Array, at: number): number {
  const byte = bytes[at];
  if (byte === undefined) return -1;
  if (byte === QUOTE) return skipLongQuoted(bytes, at);
  if ((byte | 0x20) !== OPEN_OBJECT) {
    return skipScalar(bytes, at, bytes.length);
  }
  const near = bytes.subarray(at, at + SHORT_CONTAINER);
  const behind = new ScriptSkipper(near).skip(0);
  if (behind >= 0) return at + behind;
  const scanner = near.length < SHORT_CONTAINER ? undefined : wasmScanners.get();
  return (scanner ? new WasmSkipper(bytes, scanner) : new ScriptSkipper(bytes)).skip(at);
}
