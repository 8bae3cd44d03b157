import { isNumberText, type JsonRange, normaliseNumber } from "@touchstone/core/advanced";

/**
 * The longest text of a JSON-RPC id, progress token, task id or subscription id, in bytes with its quotes. They are
 * kept as map keys and sent back, so a message with a longer one is not read.
 */
export const MAX_ID_BYTES = 16_384;

/** Returns whether a text has more bytes than a bound allows. */
export function isLongerThan({ start, end }: JsonRange, most: number = MAX_ID_BYTES): boolean {
  return end - start > most;
}

/** An integer that reads the same after normalization. */
const PLAIN_INTEGER = /^(?:0|-?[1-9][0-9]{0,14})$/;

function numberKey(text: string): string | undefined {
  if (PLAIN_INTEGER.test(text)) return text;
  if (!isNumberText(text)) return undefined;
  const { negative, digits, exponent } = normaliseNumber(text);
  if (!Number.isSafeInteger(exponent)) return text;
  const sign = negative ? "-" : "";
  return exponent >= 0 && digits.length + exponent <= 15
    ? `${sign}${digits === "" ? "0" : digits}${"0".repeat(exponent)}`
    : `${sign}${digits}e${exponent}`;
}

function stringKey(text: string): string | undefined {
  if (!text.includes("\\")) return text.slice(1, -1);
  try {
    return JSON.parse(text) as string;
  } catch {
    return undefined;
  }
}

/** Returns {@link idKey}; undefined if the text begins like a JSON string or number but is not one. */
export function readableIdKey(text: string): string | undefined {
  const isString = text.startsWith('"');
  if (!isString && !/^[-0-9]/.test(text)) return `x${text}`;
  const key = isString ? stringKey(text) : numberKey(text);
  return key === undefined ? undefined : `${isString ? "s" : "n"}${key}`;
}

/**
 * Returns one text per value of a JSON-RPC id, for use as a map key: `"a"` and `"\u0061"` give the same text, and so
 * do `1`, `1.0` and `10e-1`; `1` and `"1"` do not. Numbers keep every digit.
 * @param text the id's source text, a valid JSON value.
 */
export function idKey(text: string): string {
  return readableIdKey(text) ?? `x${text}`;
}
