import { replaceUnsafe, visible } from "@touchstone/gateway/log";

/** Returns external text as one line that is safe to print on a terminal; unsafe characters become `\u{1b}`. */
export function safeText(text: string): string {
  return visible(text, Number.POSITIVE_INFINITY);
}

/** Applies {@link safeText} to each line of a text. */
export function safeLines(text: string): string {
  return text.split("\n").map(safeText).join("\n");
}

/** Returns whether {@link safeText} would change the text, apart from line breaks. */
export function hasUnsafeText(text: string): boolean {
  const line = text.replaceAll("\n", "");
  return safeText(line) !== line;
}

/**
 * Escapes the unsafe characters in the strings of a JSON text, or of YAML with double quotes, so that parsing returns
 * the same value: RFC 8259, section 7, and YAML 1.2.2, section 5.7. Line breaks between tokens stay.
 */
export function escapeUnsafe(text: string, syntax: "json" | "yaml"): string {
  return replaceUnsafe(text, (character) => {
    if (character === "\n") {
      return character;
    }
    const codePoint = character.codePointAt(0) ?? 0;
    return syntax === "yaml" && codePoint > 0xffff
      ? `\\U${hex(codePoint, 8)}`
      : Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
          .map((unit) => `\\u${hex(unit, 4)}`)
          .join("");
  });
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, "0");
}
