import { unicodeEscapes } from "@touchstone/core/advanced";
import { UNSAFE_CHARACTERS } from "@touchstone/core/plain";

/** Unsafe characters, and also those of private use and code points that Unicode has not assigned yet. */
const UNSEEN = new RegExp(`[${UNSAFE_CHARACTERS}\\p{Co}\\p{Cn}]`, "gu");

/** Returns a JSON text with invisible characters as escapes, except for line feeds between its tokens. */
export function showInvisible(json: string): string {
  return json.replace(UNSEEN, (character) =>
    character === "\n" ? character : unicodeEscapes(character),
  );
}
