/**
 * What can move the cursor, reorder, hide or fake text on a terminal: control characters (Cc, with
 * line breaks and escape sequences), format characters (Cf, with bidirectional controls, see
 * Unicode TR 36, section 2.10), line and paragraph separators, lone surrogates, and every other
 * code point that shows as nothing (Default_Ignorable_Code_Point).
 */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Text from outside as one line that a terminal shows as it is; unsafe characters as `\u{1b}`. */
export function safeText(text: string): string {
  return text.replace(UNSAFE, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** Whether {@link safeText} would change the text, line breaks apart. */
export function hasUnsafeText(text: string): boolean {
  return text.replaceAll("\n", "").search(UNSAFE) !== -1;
}

/**
 * Writes the unsafe characters inside the strings of a JSON text, or of YAML with double quotes, as
 * escapes that read back as the same value: RFC 8259, section 7, and YAML 1.2.2, section 5.7. Line
 * breaks between tokens stay.
 */
export function escapeUnsafe(text: string, syntax: "json" | "yaml"): string {
  return text.replace(UNSAFE, (character) => {
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
