/** Escapes one reference token of a JSON Pointer (RFC 6901, section 3): `~` to `~0`, `/` to `~1`. */
export function escapePointer(token: string): string {
  if (!token.includes("~") && !token.includes("/")) return token;
  return token.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** The pointer to a member or an element of what `parent` points to; `""` is the root. */
export function joinPointer(parent: string, token: string | number): string {
  return `${parent}/${typeof token === "number" ? token : escapePointer(token)}`;
}
