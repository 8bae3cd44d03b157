import { locateMembers, locateSome } from "./locate.ts";
import {
  type JsonScan,
  NO_BYTES,
  NOT_BYTES,
  type ScanError,
  type ScanOptions,
  usableOptions,
} from "./range.ts";
import { keysError } from "./syntax.ts";
import { DEFAULT_MAX_DEPTH, skipSpace, walkJson } from "./walk.ts";
import type { OverKeys } from "./wasm/scanner.ts";
import { noScanner, type ScannerSource, scanners } from "./wasm/source.ts";

/** From this size on WebAssembly is quicker. */
const WASM_BYTES = 32;
const NONE: readonly never[] = Object.freeze([]);

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Returns what is told about a text with too many keys: why, and where its members are. */
export function scanOver(
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

function isOver(found: object | undefined): found is OverKeys {
  return found !== undefined && "over" in found;
}

/** {@link scanJson} with the scanner of a source, or in JavaScript if it has none. */
export function scanWith(bytes: Uint8Array, options: ScanOptions, source: ScannerSource): JsonScan {
  const { members: plan, maxDepth = DEFAULT_MAX_DEPTH, expected } = options;
  const duplicates = options.duplicates === true;
  const numbers = options.numbers === true;
  const exact = options.exact === true;
  const unique = options.unique === true;
  const judged = exact && unique ? expected : undefined;
  const { maxObjectKeys, maxKeys } = options;
  const limits = duplicates ? { object: maxObjectKeys, text: maxKeys } : undefined;
  const over = ({ over: of, offset }: OverKeys): JsonScan => {
    const limit = (of === "object" ? maxObjectKeys : maxKeys) ?? 0;
    return scanOver(bytes, keysError(of, limit, offset), options, source);
  };
  const scan = source.use(bytes.length, (scanner): JsonScan | undefined => {
    const keys = duplicates || unique;
    const strict = scanner.check(bytes, maxDepth, keys, numbers || exact, plan, judged, limits);
    if (isOver(strict)) return over(strict);
    // What is to be told and not so is not a reason by itself to read the text in JavaScript.
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
  // Whatever is to be reported is found in JavaScript; most texts have nothing.
  const walked = scan ?? walkJson(bytes, options);
  const { error } = walked;
  return scan === undefined && error?.code === "keys"
    ? scanOver(bytes, error, options, source)
    : walked;
}

/**
 * Scans once through one JSON text (RFC 8259) in UTF-8 without building its value, in time linear
 * in its length and without recursion: how deep a text nests costs nothing but storage.
 *
 * The grammar is strict: a byte order mark, malformed UTF-8 (overlong forms, surrogates, beyond
 * U+10FFFF), comments, trailing commas and bytes after the value are errors. Escaped lone
 * surrogates (`"\ud800"`) are accepted, as the grammar has them. What it accepts, `JSON.parse`
 * accepts too.
 *
 * At most 1000 duplicate keys and 1000 lossy numbers are listed, and no more of a kind once its
 * pointers are 1,048,576 characters long together, those of numbers that a later key shadows among
 * them; `duplicatesTruncated` and `lossyNumbersTruncated` tell that there were more.
 *
 * Texts of up to 64 MiB are first read in WebAssembly, where the runtime has it, and once more in
 * JavaScript where that finds anything to report; the results are the same. A copy of the last text
 * stays in the WebAssembly memory, which nothing else reads, until another one takes its place.
 *
 * Never throws, whatever the bytes are; a fault is in `error`. Options of another type count as not
 * given. The plan in `options.members` is read on its first use and must not be changed afterwards.
 */
export function scanJson(bytes: Uint8Array, options: ScanOptions = {}): JsonScan {
  if (!ArrayBuffer.isView(bytes)) return { ...walkJson(NO_BYTES, {}), error: NOT_BYTES };
  const source = bytes.length < WASM_BYTES ? noScanner : scanners;
  return scanWith(bytes, usableOptions(options), source);
}
