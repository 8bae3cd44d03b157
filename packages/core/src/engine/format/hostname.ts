import { IsHostname, IsIdnHostname } from "typebox/format";

/** Longest host name, in octets (RFC 1035, section 2.3.4), without the dot of the root. */
const MAX_LENGTH = 253;
/** Code units that are looked at: ignorable characters do not count towards the length. */
const MAX_UNITS = 4 * MAX_LENGTH;
const LABEL = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/i;

/** A host name of RFC 1123, section 2.1: labels with hyphens anywhere inside. */
export function isRfc1123Hostname(text: string): boolean {
  return text.length <= MAX_LENGTH && text.split(".").every((label) => LABEL.test(label));
}

/** The same, where labels that start with `xn--` are A-labels of RFC 5890, section 2.3.2.1. */
export function isHostname(text: string): boolean {
  return text.length <= MAX_LENGTH && IsHostname(text);
}

/** A host name with U-labels of RFC 5890, section 2.3.2.1. */
export function isIdnHostname(text: string): boolean {
  return text.length <= MAX_UNITS && IsIdnHostname(text);
}
