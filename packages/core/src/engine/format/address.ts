import { IsHostname, IsIdnHostname } from "typebox/format";

/** A lookup table of ASCII characters, instead of a regular expression. */
export type CharacterTable = Uint8Array;

export function characterTable(characters: string): CharacterTable {
  const out = new Uint8Array(128);
  for (const character of characters) out[character.charCodeAt(0)] = 1;
  return out;
}

export const DIGITS = "0123456789";
export const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Code units that format parsers look for. */
export const CODE_UNITS = {
  percent: 0x25,
  dot: 0x2e,
  backslash: 0x5c,
  quote: 0x22,
} as const;

const HEX = characterTable(`${DIGITS}ABCDEFabcdef`);

function isHex(code: number): boolean {
  return HEX[code] === 1;
}

/** Returns whether there is a percent sign with two hex digits at `at` (RFC 3986, section 2.1). */
export function isPercentEscape(text: string, at: number): boolean {
  return (
    text.charCodeAt(at) === CODE_UNITS.percent &&
    isHex(text.charCodeAt(at + 1)) &&
    isHex(text.charCodeAt(at + 2))
  );
}

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)$/;
const GROUP = /^[\da-f]{1,4}$/i;
/** The longest address has six groups and an IPv4 address. */
const MAX_IPV6_LENGTH = 45;

/** Checks for an `IPv4address` of RFC 3986, section 3.2.2: dotted-quad of RFC 2673, section 3.2. */
export function isIpv4(text: string): boolean {
  return text.length <= 15 && IPV4.test(text);
}

/** Checks for an address of RFC 4291, section 2.2, without a zone. */
export function isIpv6(text: string): boolean {
  if (text.length > MAX_IPV6_LENGTH) return false;
  const halves = text.split("::");
  if (halves.length > 2) return false;
  const groups = halves.map((half) => (half === "" ? [] : half.split(":")));
  const last = groups.at(-1)?.at(-1);
  let count = groups.flat().length;
  if (last?.includes(".")) {
    if (!isIpv4(last)) return false;
    groups.at(-1)?.pop();
    count++;
  }
  if (!groups.flat().every((group) => GROUP.test(group))) return false;
  return halves.length === 2 ? count <= 7 : count === 8;
}

/** Maximum length of a host name, in octets (RFC 1035, section 2.3.4), without the root's dot. */
const MAX_LENGTH = 253;
/** Maximum number of code units checked: ignorable characters do not count toward the length. */
const MAX_UNITS = 4 * MAX_LENGTH;
const LABEL = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/i;

/** Checks for a host name of RFC 1123, section 2.1: labels may contain hyphens anywhere inside. */
export function isRfc1123Hostname(text: string): boolean {
  return text.length <= MAX_LENGTH && text.split(".").every((label) => LABEL.test(label));
}

/** Checks for the same, but labels that start with `xn--` must be A-labels of RFC 5890, section 2.3.2.1. */
export function isHostname(text: string): boolean {
  return text.length <= MAX_LENGTH && IsHostname(text);
}

/** Checks for a host name with U-labels of RFC 5890, section 2.3.2.1. */
export function isIdnHostname(text: string): boolean {
  return text.length <= MAX_UNITS && IsIdnHostname(text);
}

/** `atext` of RFC 5322, section 3.2.3. */
const ATEXT = characterTable(`${LETTERS}${DIGITS}!#$%&'*+-/=?^_\`{|}~`);

/** `Dot-string` of RFC 5321, section 4.1.2, with the characters of RFC 6531 if requested. */
function isDotString(text: string, international: boolean): boolean {
  let open = true;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (ATEXT[code] === 1 || (international && code > 0x7f)) open = false;
    else if (code === CODE_UNITS.dot && !open) open = true;
    else return false;
  }
  return !open;
}

/** `Quoted-string` of RFC 5321, section 4.1.2, with the characters of RFC 6531 if requested. */
function isQuotedString(text: string, international: boolean): boolean {
  if (text.length < 2 || !text.startsWith('"') || !text.endsWith('"')) return false;
  const end = text.length - 1;
  const isPlain = (code: number): boolean =>
    (code >= 0x20 && code <= 0x7e) || (international && code > 0x7f);
  for (let at = 1; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code === CODE_UNITS.backslash) {
      if (++at === end || !isPlain(text.charCodeAt(at)) || text.charCodeAt(at) > 0x7e) return false;
    } else if (code === CODE_UNITS.quote || !isPlain(code)) return false;
  }
  return true;
}

/** `address-literal` of RFC 5321, section 4.1.3, except the general form, of which no instance exists. */
function isAddressLiteral(text: string): boolean {
  if (!text.startsWith("[") || !text.endsWith("]")) return false;
  const address = text.slice(1, -1);
  return /^IPv6:/i.test(address) ? isIpv6(address.slice(5)) : isIpv4(address);
}

function isMailbox(text: string, international: boolean): boolean {
  const at = text.lastIndexOf("@");
  if (at < 0) return false;
  const local = text.slice(0, at);
  const domain = text.slice(at + 1);
  return (
    (isAddressLiteral(domain) || (international ? isIdnHostname : isHostname)(domain)) &&
    (isDotString(local, international) || isQuotedString(local, international))
  );
}

/** Checks for a `Mailbox` of RFC 5321, section 4.1.2. */
export function isEmail(text: string): boolean {
  return isMailbox(text, false);
}

/** Checks for the same with the extensions of RFC 6531, section 3.3. */
export function isIdnEmail(text: string): boolean {
  return isMailbox(text, true);
}
