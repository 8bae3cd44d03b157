import { UNSAFE_CHARACTERS } from "@touchstone/core/plain";

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Characters that hide, reorder or fake text, and those of private use. */
const HIDDEN = new RegExp(`[${UNSAFE_CHARACTERS}\\p{Co}]`, "gu");

/** Writes out invisible characters, such as `[U+202E]`. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (character) => {
    if (character === "\n" || character === "\t") return character;
    const code = character.codePointAt(0) ?? 0;
    return `[U+${code.toString(16).toUpperCase().padStart(4, "0")}]`;
  });
}

/** Escapes text for an element's content or a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}

/** Prepares text for reading in a page: escaped, with nothing hidden in it. */
export function readableHtml(text: string): string {
  return escapeHtml(visible(text));
}
