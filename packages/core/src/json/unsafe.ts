/**
 * The inside of a character class, for patterns with the flag `u` or `v`: characters that move the cursor, or reorder,
 * hide or fake text. These are control characters (Cc, including line breaks and escape sequences), format characters
 * (Cf, including bidirectional controls, see Unicode TR 36, section 2.10), lone surrogates, line and paragraph
 * separators, and every other invisible code point (Default_Ignorable_Code_Point).
 */
export const UNSAFE_CHARACTERS: string =
  "\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}";
