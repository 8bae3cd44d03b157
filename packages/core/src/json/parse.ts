import type { JsonRange, ScanError, ScanOptions } from "./range.ts";
import { scanJson } from "./scan.ts";
import { decodeUtf8, encodeUtf8 } from "./text.ts";

/** The value of a JSON text, or why it has none: `offset` counts bytes of UTF-8. */
export type ParsedJson =
  | { readonly ok: true; readonly value: unknown }
  | ({ readonly ok: false } & ScanError);

/**
 * Parses a JSON text (RFC 8259) by `JSON.parse`, under the grammar and the limits of
 * {@link scanJson}: bytes that are not UTF-8, or nest deeper than `maxDepth` (default 10,000), are
 * refused. Of duplicate keys the last one counts; a key `__proto__` becomes an own property.
 *
 * Never throws: what is neither text nor bytes is refused, and options of another type count as not given.
 */
export function parseJson(
  source: Uint8Array | string,
  options: Pick<ScanOptions, "maxDepth"> = {},
): ParsedJson {
  const bytes = typeof source === "string" ? encodeUtf8(source) : source;
  const { error } = scanJson(bytes, options);
  if (error !== undefined) return { ok: false, ...error };
  try {
    const value: unknown = JSON.parse(typeof source === "string" ? source : decodeUtf8(bytes));
    return { ok: true, value };
  } catch (cause) {
    // Text beyond what one string, or one value, of the engine holds.
    const message = `The text cannot be parsed: ${cause instanceof Error ? cause.message : cause}`;
    return { ok: false, code: "syntax", message, offset: 0 };
  }
}

/** The text in a range that {@link scanJson} gave for the same bytes. */
export function jsonText(bytes: Uint8Array, range: JsonRange): string {
  return decodeUtf8(bytes, range.start, range.end);
}
