import { isLossyToken } from "./number.ts";
import { type JsonScan, NO_BYTES, NOT_BYTES, type ScanOptions, validScanOptions } from "./range.ts";
import { scanJson, scanWith, scanWithTooManyKeys } from "./scan.ts";
import { WasmSkipper } from "./skip.ts";
import { type CheckedContents, type Stepping, scanInScript } from "./walk.ts";
import type { WasmScanner } from "./wasm/scanner.ts";
import { type ScannerSource, wasmScanners } from "./wasm/source.ts";

/** The size of steps, and of what is checked as a whole, in bytes. */
export interface StepSizes {
  /** A text of up to this size is scanned in one step. */
  readonly whole: number;
  /** The approximate number of bytes in one step. */
  readonly step: number;
  /** A container that ends within this size is checked as a whole in WebAssembly. */
  readonly passed: number;
  /** For a smaller container, looking ahead costs as much as walking through it. */
  readonly least: number;
}

const SIZES: StepSizes = { whole: 262_144, step: 131_072, passed: 262_144, least: 256 };

/** For a longer number, it is not determined whether a double holds it. */
const LONG_NUMBER = 65_536;

/** The search for the end of a container first goes this far, then four times as far each time. */
const FIRST_LOOK = 4_096;

/** Checks containers of a text in WebAssembly if that is faster than walking through them. */
class Passing implements Stepping {
  readonly bytes: number;
  /** Whether a double holds every number so far. */
  exact = true;
  private readonly text: Uint8Array;
  private readonly source: ScannerSource;
  private readonly options: ScanOptions;
  private readonly sizes: StepSizes;
  private readonly tracksKeys: boolean;
  /** Containers before this offset are walked through. */
  private from = 0;

  constructor(text: Uint8Array, options: ScanOptions, source: ScannerSource, sizes: StepSizes) {
    this.bytes = sizes.step;
    this.text = text;
    this.source = source;
    this.options = options;
    this.sizes = sizes;
    this.tracksKeys = options.duplicates === true || options.unique === true;
  }

  number(start: number, end: number): void {
    if (this.exact && this.options.exact === true) {
      this.exact = end - start <= LONG_NUMBER && !isLossyToken(this.text, start, end);
    }
  }

  pass(at: number, maxDepth: number, maxKeys: number): CheckedContents | undefined {
    if (at < this.from || this.sizes.passed < this.sizes.least) return undefined;
    const scanner = this.source.get();
    if (scanner === undefined) return undefined;
    const end = this.endOf(at, scanner);
    if (end - at < this.sizes.least) {
      // After a small container, the next ones are mostly small too. In a large one, the nested ones are mostly large
      // too.
      this.from = at + (end < 0 ? this.sizes.passed >> 4 : FIRST_LOOK);
      return undefined;
    }
    const { exact, numbers, duplicates, maxObjectKeys } = this.options;
    const limits = duplicates === true ? { object: maxObjectKeys, text: maxKeys } : undefined;
    const found = scanner.check(
      this.text.subarray(at, end),
      maxDepth,
      this.tracksKeys,
      exact === true || numbers === true,
      undefined,
      undefined,
      limits,
    );
    if (found !== undefined && !("over" in found)) {
      return { end, depth: found.depth, keys: found.keys };
    }
    // If there is anything to report, walking through the container finds it.
    this.from = end;
    return undefined;
  }

  /** Returns the offset after a container, or -1 if it is not within reach. */
  private endOf(at: number, scanner: WasmScanner): number {
    const { passed } = this.sizes;
    for (let size = Math.min(FIRST_LOOK, passed); ; size *= 4) {
      const near = this.text.subarray(at, at + Math.min(size, passed));
      const end = new WasmSkipper(near, scanner).skip(0);
      if (end >= 0) return at + end;
      if (size >= passed || at + size >= this.text.length) return -1;
    }
  }
}

/** Runs {@link scanJsonSteps} with the scanner of a source and other step sizes. */
export function* scanStepsWith(
  bytes: Uint8Array,
  options: ScanOptions,
  source: ScannerSource,
  sizes: StepSizes,
): Generator<void, JsonScan, void> {
  if (bytes.length <= sizes.whole) return scanWith(bytes, options, source);
  const { duplicates, numbers, unique, exact } = options;
  const passing = new Passing(bytes, options, source, sizes);
  const tracks = duplicates === true || numbers === true || unique === true;
  const scan = yield* scanInScript(bytes, options, tracks, passing);
  const { error, duplicates: twice, duplicatesTruncated, lossyNumbers } = scan;
  if (error?.code === "keys") return scanWithTooManyKeys(bytes, error, options, source);
  const sound = error === undefined;
  return {
    ...scan,
    ...(duplicates === true ? {} : { duplicates: [], duplicatesTruncated: false }),
    ...(sound && exact === true && passing.exact && lossyNumbers.length === 0 && { exact: true }),
    ...(sound && unique === true && twice.length === 0 && !duplicatesTruncated && { unique: true }),
  };
}

/**
 * Runs {@link scanJson} in steps of a few milliseconds, so that the caller can do other things in between. Returns
 * what `scanJson` returns, except `accepted`, and `exact` of a text with a number of more than 64 KiB. The bytes must not
 * change meanwhile.
 */
export function* scanJsonSteps(
  bytes: Uint8Array,
  options: ScanOptions = {},
): Generator<void, JsonScan, void> {
  if (!ArrayBuffer.isView(bytes)) return { ...scanJson(NO_BYTES), error: NOT_BYTES };
  return yield* scanStepsWith(bytes, validScanOptions(options), wasmScanners, SIZES);
}
