import type { Provider } from "../providers/provider.ts";

/**
 * Returns whether a provider accepts a keyword.
 * @param isTop whether at the top of the parameters; default: anywhere below
 */
export function takes(
  { allowed, refused, allowedAtTop, notAtTop }: Provider,
  keyword: string,
  isTop: boolean = false,
): boolean {
  if (isTop && (notAtTop?.includes(keyword) || allowedAtTop?.has(keyword) === false)) return false;
  return allowed === undefined ? !refused?.has(keyword) : allowed.has(keyword);
}

/** Returns whether references may stay: their definitions are at the top. */
export function takesReferences(provider: Provider): boolean {
  return takes(provider, "$ref") && takes(provider, "$defs", true);
}
