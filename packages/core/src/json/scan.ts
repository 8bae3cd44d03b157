import { locateMembers, locateSome } from "./locate.ts";
import {
  type JsonScan,
  NO_BYTES,
  NOT_BYTES,
  type ScanError,
  type ScanOptions,
  validScanOptions,
} from "./range.ts";
import { keysError } from "./syntax.ts";
import { DEFAULT_MAX_DEPTH, skipSpace, walkJson } from "./walk.ts";
import type { TooManyKeys } from "./wasm/scanner.ts";
import { type ScannerSource, scriptOnlyScanner, wasmScanners } from "./wasm/source.ts";

/** From this size on, WebAssembly is faster. */
const WASM_BYTES = 32;
const NONE: readonly never[] = Object.freeze([]);

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Returns the scan result for a text with too many keys: the error, and the located members. */
export function scanWithTooManyKeys(
  bytes: Uint8Array,
  error: ScanError,
  { members }: ScanOptions,
  source: ScannerSource,
): JsonScan {
  const located = locateSome(bytes, members, source, error.limit ?? 0);
  return {
    error: located.all ? error : { ...error, isPlanned: true },
    members: located.members,
    root: { start: skipSpace(bytes, 0, bytes.length), end: error.offset },
    depth: 0,
    keys: 0,
    duplicates: NONE,
    duplicatesTruncated: false,
    lossyNumbers: NONE,
    lossyNumbersTruncated: false,
  };
}

function isOver(found: object | undefined): found is TooManyKeys {
  return found !== undefined && "over" in found;
}

/** Runs {@link scanJson} with the scanner of a source, or in JavaScript if it has none. */
export function scanWith(bytes: Uint8Array, options: ScanOptions, source: ScannerSource): JsonScan {
  const { members: plan, maxDepth = DEFAULT_MAX_DEPTH, expected } = options;
  const duplicates = options.duplicates === true;
  const numbers = options.numbers === true;
  const exact = options.exact === true;
  const unique = options.unique === true;
  const judged = exact && unique ? expected : undefined;
  const { maxObjectKeys, maxKeys } = options;
  const limits = duplicates ? { object: maxObjectKeys, text: maxKeys } : undefined;
  const over = ({ over: of, offset }: TooManyKeys): JsonScan => {
    const limit = (of === "object" ? maxObjectKeys : maxKeys) ?? 0;
    return scanWithTooManyKeys(bytes, keysError(of, limit, offset), options, source);
  };
  const scan = source.use(bytes.length, (scanner): JsonScan | undefined => {
    const keys = duplicates || unique;
    const strict = scanner.check(bytes, maxDepth, keys, numbers || exact, plan, judged, limits);
    if (isOver(strict)) return over(strict);
    // Failing `exact` or `unique` alone is not a reason to read the text in JavaScript.
    const again = strict === undefined && ((exact && !numbers) || (unique && !duplicates));
    const good = again
      ? scanner.check(bytes, maxDepth, duplicates, numbers, plan, undefined, limits)
      : strict;
    if (good === undefined) return undefined;
    if (isOver(good)) return over(good);
    const found: Mutable<JsonScan> = {
      members: good.members ?? locateMembers(bytes, plan, source),
      root: { start: good.start, end: good.end },
      depth: good.depth,
      keys: good.keys,
      duplicates: NONE,
      duplicatesTruncated: false,
      lossyNumbers: NONE,
      lossyNumbersTruncated: false,
    };
    if (exact && strict !== undefined) found.exact = true;
    if (unique && strict !== undefined) found.unique = true;
    if (judged !== undefined && good.acceptedEnd > 0) {
      const { buffer, byteOffset } = bytes;
      const start = byteOffset + judged.start;
      found.accepted = { buffer, start, end: byteOffset + good.acceptedEnd, image: judged.image };
    }
    return found;
  });
  // JavaScript finds anything to report; most texts have nothing.
  const walked = scan ?? walkJson(bytes, options);
  const { error } = walked;
  return scan === undefined && error?.code === "keys"
    ? scanWithTooManyKeys(bytes, error, options, source)
    : walked;
}

/**
 * Scans a JSON text (RFC 8259) in UTF-8 once without building its value, in linear time and without recursion: deep
 * nesting only costs storage.
 *
 * The grammar is strict: a byte order mark, malformed UTF-8 (overlong forms, surrogates, beyond U+10FFFF), comments,
 * trailing commas and bytes after the value are errors. Escaped lone surrogates (`"\ud800"`) are accepted, as in the
 * grammar. `JSON.parse` accepts whatever this accepts.
 *
 * Lists at most 1000 duplicate keys and 1000 lossy numbers, and no more of a kind once its pointers total 1,048,576
 * characters, including those of numbers that a later key shadows. `duplicatesTruncated` and `lossyNumbersTruncated`
 * report that there were more.
 *
 * Texts of up to 64 MiB are first read in WebAssembly, if the runtime has it, and again in JavaScript if there is
 * anything to report. The results are the same. A copy of the last text stays in the WebAssembly memory, which
 * nothing else reads, until another text replaces it.
 *
 * Never throws, whatever the bytes are; a fault is in `error`. Options of the wrong type are ignored. The plan in
 * `options.members` is read on its first use and must not be changed afterward.
 */
export function scanJson(bytes: Uint8Array, options: ScanOptions = {}): JsonScan {
  if (!ArrayBuffer.isView(bytes)) return { ...walkJson(NO_BYTES, {}), error: NOT_BYTES };
  const source = bytes.length < WASM_BYTES ? scriptOnlyScanner : wasmScanners;
  return scanWith(bytes, validScanOptions(options), source);
}
