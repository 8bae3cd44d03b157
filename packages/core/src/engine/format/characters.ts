/** A table of ASCII characters, for a look-up without a regular expression. */
export type CharacterTable = Uint8Array;

export function table(characters: string): CharacterTable {
  const out = new Uint8Array(128);
  for (const character of characters) out[character.charCodeAt(0)] = 1;
  return out;
}

export const DIGITS = "0123456789";
export const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Code units of characters that parsers of formats ask for. */
export const CODE = {
  percent: 0x25,
  dot: 0x2e,
  backslash: 0x5c,
  quote: 0x22,
} as const;

const HEX = table(`${DIGITS}ABCDEFabcdef`);

function isHex(code: number): boolean {
  return HEX[code] === 1;
}

/** Whether a percent sign with its two digits stands there (RFC 3986, section 2.1). */
export function isEscape(text: string, at: number): boolean {
  return (
    text.charCodeAt(at) === CODE.percent &&
    isHex(text.charCodeAt(at + 1)) &&
    isHex(text.charCodeAt(at + 2))
  );
}
