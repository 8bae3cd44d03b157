import { BACKSLASH, COMMA, OPEN_OBJECT, QUOTE } from "./bytes.ts";
import { ScriptSkipper, skipQuoted, WasmSkipper } from "./skip.ts";
import { WINDOW_BYTES } from "./wasm/scanner.ts";
import { type ScannerSource, scanners } from "./wasm/source.ts";

/** Up to here JavaScript is quicker. */
const NEAR = 32;
/** Up to this size a text is copied whole, which costs less than a view of a part of it. */
const SMALL = 4_096;
/** A container that ends within so many bytes is skipped in JavaScript. */
const SHORT_CONTAINER = 1_024;
/** Of a larger one so much is copied at first; then twice as much each time, as most strings end soon. */
const FIRST_WINDOW = 4_096;

/** {@link skipLongQuoted} with the scanner of a source, or in JavaScript where it has none. */
export function skipLongWith(bytes: Uint8Array, at: number, source: ScannerSource): number {
  let i = at + 1;
  const near = Math.min(i + NEAR, bytes.length);
  while (i < near) {
    const byte = bytes[i];
    if (byte === QUOTE) return i + 1;
    i += byte === BACKSLASH ? 2 : 1;
  }
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
 * The offset behind the string whose opening quote stands at `at`, or -1 where it is cut: like
 * {@link skipQuoted}, and many times quicker where it is long. What is between the quotes is not
 * checked.
 */
export function skipLongQuoted(bytes: Uint8Array, at: number): number {
  return skipLongWith(bytes, at, scanners);
}

/**
 * Returns the offset behind the value that begins at `at`, or -1 if it is cut, in a text that is JSON. Strings
 * and containers are skipped by their quotes and brackets alone, long ones in WebAssembly.
 */
export function skipLongValue(bytes: Uint8Array, at: number): number {
  const byte = bytes[at];
  if (byte === undefined) return -1;
  if (byte === QUOTE) return skipLongQuoted(bytes, at);
  if ((byte | 0x20) !== OPEN_OBJECT) {
    let i = at;
    for (let next = byte; next > 0x20 && next !== COMMA && (next | 0x20) !== 0x7d; ) {
      next = bytes[++i] ?? 0;
    }
    return i;
  }
  const near = bytes.subarray(at, at + SHORT_CONTAINER);
  const behind = new ScriptSkipper(near).skip(0);
  if (behind >= 0) return at + behind;
  const scanner = near.length < SHORT_CONTAINER ? undefined : scanners.get();
  return (scanner ? new WasmSkipper(bytes, scanner) : new ScriptSkipper(bytes)).skip(at);
}
