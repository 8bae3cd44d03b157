const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)$/;
const GROUP = /^[\da-f]{1,4}$/i;
/** The longest is six groups and an IPv4 address. */
const MAX_IPV6_LENGTH = 45;

/** `IPv4address` of RFC 3986, section 3.2.2: dotted-quad of RFC 2673, section 3.2. */
export function isIpv4(text: string): boolean {
  return text.length <= 15 && IPV4.test(text);
}

/** An address of RFC 4291, section 2.2, without zone. */
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
