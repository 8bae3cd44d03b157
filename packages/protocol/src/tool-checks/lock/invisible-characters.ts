import { unicodeEscapes } from "@touchstone/core/advanced";
import { UNSAFE_CHARACTERS } from "@touchstone/core/plain";

/** Besides unsafe characters, those of private use, and those that Unicode does not know yet. */
const UNSEEN = new RegExp(`[${UNSAFE_CHARACTERS}\\p{Co}\\p{Cn}]`, "gu");

/** Returns a JSON text with invisible characters as escapes, except for line feeds between its tokens. */
export function showInvisible(json: string): string {
  return json.replace(UNSEEN, (character) =>
    character === "\n" ? character : unicodeEscapes(character),
  );
}
