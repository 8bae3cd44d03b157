/** Escapes a reference token of a JSON Pointer (RFC 6901, section 3): `~` to `~0`, `/` to `~1`. */
export function escapePointer(token: string): string {
  if (!token.includes("~") && !token.includes("/")) return token;
  return token.replaceAll("~", "~0").replaceAll("/", "~1");
}

/**
 * Returns the name that a reference token stands for (RFC 6901, section 4). The reverse of {@link escapePointer}.
 */
export function unescapePointer(token: string): string {
  return token.includes("~") ? token.replaceAll("~1", "/").replaceAll("~0", "~") : token;
}

/** Returns the pointer to a member or an element of the value at `parent`; `""` is the root. */
export function joinPointer(parent: string, token: string | number): string {
  return `${parent}/${typeof token === "number" ? token : escapePointer(token)}`;
}

/** Returns the unescaped names and indexes in a JSON Pointer (RFC 6901); none for the root. */
export function pointerTokens(pointer: string): string[] {
  const tokens = pointer.split("/").slice(1);
  return pointer.includes("~") ? tokens.map(unescapePointer) : tokens;
}

/**
 * Returns the same for a JSON Pointer in a URI fragment with its `#` (RFC 6901, section 6). Returns undefined if its
 * percent-encoding is malformed or it is not such a fragment.
 */
export function fragmentTokens(fragment: string): string[] | undefined {
  if (!fragment.startsWith("#")) return undefined;
  try {
    const pointer = decodeURIComponent(fragment.slice(1));
    return pointer === "" || pointer.startsWith("/") ? pointerTokens(pointer) : undefined;
  } catch {
    return undefined;
  }
}

const INDEX = /^(?:0|[1-9][0-9]*)$/;

/** A value that was found. It is wrapped because it may be undefined. */
export interface Found {
  readonly value: unknown;
}

/**
 * Returns the own member of an object with this token as its name, or the element of an array with this token as its
 * index (RFC 6901, section 4); undefined if there is none.
 */
export function memberAt(container: unknown, token: string): Found | undefined {
  if (typeof container !== "object" || container === null) return undefined;
  if (Array.isArray(container) && !INDEX.test(token)) return undefined;
  if (!Object.hasOwn(container, token)) return undefined;
  return { value: (container as Readonly<Record<string, unknown>>)[token] };
}

/** Follows tokens with {@link memberAt} and returns the value found; undefined if there is none. */
export function valueAt(root: unknown, tokens: readonly string[]): Found | undefined {
  let found: Found | undefined = { value: root };
  for (const token of tokens) {
    found = memberAt(found.value, token);
    if (found === undefined) return undefined;
  }
  return found;
}
