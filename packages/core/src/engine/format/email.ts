import { CODE, DIGITS, LETTERS, table } from "./characters.ts";
import { isHostname, isIdnHostname } from "./hostname.ts";
import { isIpv4, isIpv6 } from "./ip.ts";

/** `atext` of RFC 5322, section 3.2.3. */
const ATEXT = table(`${LETTERS}${DIGITS}!#$%&'*+-/=?^_\`{|}~`);

/** `Dot-string` of RFC 5321, section 4.1.2, with the characters of RFC 6531 where asked. */
function isDotString(text: string, international: boolean): boolean {
  let open = true;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (ATEXT[code] === 1 || (international && code > 0x7f)) open = false;
    else if (code === CODE.dot && !open) open = true;
    else return false;
  }
  return !open;
}

/** `Quoted-string` of RFC 5321, section 4.1.2, with the characters of RFC 6531 where asked. */
function isQuotedString(text: string, international: boolean): boolean {
  if (text.length < 2 || !text.startsWith('"') || !text.endsWith('"')) return false;
  const end = text.length - 1;
  const isPlain = (code: number): boolean =>
    (code >= 0x20 && code <= 0x7e) || (international && code > 0x7f);
  for (let at = 1; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code === CODE.backslash) {
      if (++at === end || !isPlain(text.charCodeAt(at)) || text.charCodeAt(at) > 0x7e) return false;
    } else if (code === CODE.quote || !isPlain(code)) return false;
  }
  return true;
}

/** `address-literal` of RFC 5321, section 4.1.3, without the general form, of which none exists. */
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

/** `Mailbox` of RFC 5321, section 4.1.2. */
export function isEmail(text: string): boolean {
  return isMailbox(text, false);
}

/** The same with the extensions of RFC 6531, section 3.3. */
export function isIdnEmail(text: string): boolean {
  return isMailbox(text, true);
}
