/*
 * Bytes of JSON text in UTF-8 (RFC 8259, section 2). The build inlines them where they are used. It cannot do that
 * with those of another package, so they are not in core.
 */

export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_ARRAY = 0x5b;
export const CLOSE_ARRAY = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;
export const MINUS = 0x2d;
export const SPACE = 0x20;
