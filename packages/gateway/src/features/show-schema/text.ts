import { decodeUtf8 } from "@touchstone/core/advanced";
import { visible } from "@touchstone/util/plain";

/** Largest schema that is shown, in bytes without white space, and the largest text that is shortened to get there. */
const MAX_SCHEMA = 2_048;
const MAX_SPACED = 16_384;

/** A string of a JSON text, or white space between its tokens. */
const STRING_OR_SPACE = /"(?:[^"\\]|\\.)*"|\s+/g;

/** Returns a schema as a line of a text for a model; undefined if it is not small without white space. */
export function schemaLine(text: Uint8Array | undefined): string | undefined {
  if (text === undefined || text.length > MAX_SPACED) return undefined;
  const written = decodeUtf8(text);
  const small = written.replaceAll(STRING_OR_SPACE, (part) => (part[0] === '"' ? part : ""));
  if (Buffer.byteLength(small) > MAX_SCHEMA) return undefined;
  return `The tool's input schema: ${visible(small, 2 * MAX_SCHEMA)}`;
}
