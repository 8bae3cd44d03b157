/** With three more for decimals, a double holds them, whatever they are. */
const MAX_DIGITS = 12;
const DECIMALS = "000";
const ZERO = 0x30;
const NINE = 0x39;
const POINT = 0x2e;

/** To compare a piece is several times faster than `startsWith`. */
export function has(text: string, at: number, part: string): boolean {
  return text.slice(at, at + part.length) === part;
}

/** Where `null` or a whole number ends that a double holds; -1 where none begins. */
export function integerEnd(text: string, from: number): number {
  if (!isDigit(text, from)) return has(text, from, "null") ? from + 4 : -1;
  const end = digitsEnd(text, from);
  if (end - from > MAX_DIGITS) return -1;
  return text.charCodeAt(from) === ZERO && end - from > 1 ? -1 : end;
}

/** Where the digits behind a point end, of which there are no more than three; else where it stands. */
export function fractionEnd(text: string, point: number): number {
  if (text.charCodeAt(point) !== POINT) return point;
  const end = digitsEnd(text, point + 1);
  return end > point + 1 && end <= point + 1 + DECIMALS.length ? end : point;
}

function digitsEnd(text: string, from: number): number {
  let at = from;
  while (isDigit(text, at)) at += 1;
  return at;
}

export function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= ZERO && code <= NINE;
}

export function digits(text: string, from: number, end: number): string {
  return isDigit(text, from) ? text.slice(from, end) : "";
}

export function thousandths(text: string, from: number, point: number, end: number): string {
  if (!isDigit(text, from)) return "";
  const decimals = text.slice(point + 1, end);
  return text.slice(from, point) + decimals + DECIMALS.slice(decimals.length);
}
