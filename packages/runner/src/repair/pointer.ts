/** The reference tokens of an RFC 6901 pointer, unescaped (section 4). */
export function pointerTokens(pointer: string): readonly string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The own value that tokens lead to, wrapped, since it may be undefined; undefined where there is none. */
export function valueAt(
  root: unknown,
  tokens: readonly string[],
): { readonly value: unknown } | undefined {
  let value = root;
  for (const token of tokens) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, token)) {
      return undefined;
    }
    value = (value as Readonly<Record<string, unknown>>)[token];
  }
  return { value };
}

/** The tokens of a JSON pointer in a URI fragment (RFC 6901, section 6); undefined where it is none. */
export function fragmentTokens(fragment: string): readonly string[] | undefined {
  if (!fragment.startsWith("#")) return undefined;
  try {
    return pointerTokens(decodeURIComponent(fragment.slice(1)));
  } catch {
    return undefined;
  }
}
