/** Escapes one reference token of a JSON Pointer (RFC 6901, section 3): `~` to `~0`, `/` to `~1`. */
export function escapePointer(token: string): string {
  if (!token.includes("~") && !token.includes("/")) return token;
  return token.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** Returns the name that a reference token stands for (RFC 6901, section 4): {@link escapePointer} undone. */
export function unescapePointer(token: string): string {
  return token.includes("~") ? token.replaceAll("~1", "/").replaceAll("~0", "~") : token;
}

/** Returns the pointer to a member or an element of what `parent` points to; `""` is the root. */
export function joinPointer(parent: string, token: string | number): string {
  return `${parent}/${typeof token === "number" ? token : escapePointer(token)}`;
}

/** Returns the names and indexes that a JSON Pointer (RFC 6901) leads through, unescaped; none to the root. */
export function pointerTokens(pointer: string): string[] {
  const tokens = pointer.split("/").slice(1);
  return pointer.includes("~") ? tokens.map(unescapePointer) : tokens;
}

/**
 * Returns the same of a JSON Pointer in a URI fragment, `#` in front (RFC 6901, section 6); undefined if its
 * percent-encoding is malformed or it is no such fragment.
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

/** A value that was found; wrapped, since it may be undefined. */
export interface Found {
  readonly value: unknown;
}

/**
 * Returns the own member of an object that a token names, or the element of an array that it is the index of
 * (RFC 6901, section 4); undefined if there is none.
 */
export function memberAt(container: unknown, token: string): Found | undefined {
  if (typeof container !== "object" || container === null) return undefined;
  if (Array.isArray(container) && !INDEX.test(token)) return undefined;
  if (!Object.hasOwn(container, token)) return undefined;
  return { value: (container as Readonly<Record<string, unknown>>)[token] };
}

/** Returns what tokens lead to, each by {@link memberAt}; undefined if they lead nowhere. */
export function valueAt(root: unknown, tokens: readonly string[]): Found | undefined {
  let found: Found | undefined = { value: root };
  for (const token of tokens) {
    found = memberAt(found.value, token);
    if (found === undefined) return undefined;
  }
  return found;
}
