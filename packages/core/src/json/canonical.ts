import { type CanonicalOptions, writeCanonicalSteps } from "./canonical-writer.ts";
import { scanJson } from "./scan.ts";
import { decodeUtf8, encodeUtf8 } from "./text.ts";
import { runSteps } from "./walk.ts";

/** Returns {@link canonicalText} of a text that `scanJson` accepts, in steps of less than a millisecond. */
export function* canonicalTextSteps(
  source: string | Uint8Array,
  options: CanonicalOptions = {},
): Generator<void, string, void> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  const bytes = typeof source === "string" ? encodeUtf8(wellFormed(source)) : source;
  yield* writeCanonicalSteps(
    bytes,
    (piece) => {
      pieces.push(piece.slice());
      size += piece.length;
    },
    options,
  );
  const written = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    written.set(piece, at);
    at += piece.length;
  }
  return decodeUtf8(written);
}

/** Returns a JSON text with lone surrogates escaped, since UTF-8 has none. They occur only in strings. */
function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.replaceAll(/\p{Surrogate}/gu, escaped);
}

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16)}`;

/**
 * Returns the canonical form of a JSON text (RFC 8259). It is the same for texts that differ only in white space, in
 * key order, and in the spelling of strings and numbers. If doubles hold all numbers and no object has a duplicate
 * key, it is the form of RFC 8785 (JSON Canonicalization Scheme). Other numbers keep all of their digits, and members
 * with the same name keep their order, since readers differ in which of them they use.
 * @param source a text, or its UTF-8 bytes
 * @param indent indentation for each level, if the text is to span several lines
 * @returns undefined if the source is not JSON, or nests deeper than 10,000 levels
 */
export function canonicalText(source: string | Uint8Array, indent = ""): string | undefined {
  const bytes = typeof source === "string" ? encodeUtf8(source) : source;
  if (scanJson(bytes).error !== undefined) return undefined;
  return runSteps(canonicalTextSteps(source, { indent }));
}
