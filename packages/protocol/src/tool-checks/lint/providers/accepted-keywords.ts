import type { JsonObject } from "@touchstone/core/advanced";
import { subschemasOf } from "../walk.ts";
import type { Provider } from "./provider.ts";

/** Returns whether a provider refuses a keyword at the top of the parameters, whatever it accepts below. */
export function isRefusedAtTop({ allowedAtTop, notAtTop }: Provider, keyword: string): boolean {
  return notAtTop?.includes(keyword) === true || allowedAtTop?.has(keyword) === false;
}

/**
 * Returns whether a provider accepts a keyword.
 * @param isTop whether at the top of the parameters; default: anywhere below
 */
export function acceptsKeyword(
  provider: Provider,
  keyword: string,
  isTop: boolean = false,
): boolean {
  if (isTop && isRefusedAtTop(provider, keyword)) return false;
  const { allowed, refused } = provider;
  return allowed === undefined ? !refused?.has(keyword) : allowed.has(keyword);
}

/** Returns whether the references of a schema can stay: the provider must accept their definitions at the top. */
export function takesReferences(provider: Provider, schema: JsonObject): boolean {
  if (!acceptsKeyword(provider, "$ref") || !acceptsKeyword(provider, "$defs", true)) return false;
  const rule = provider.places["ref-target"];
  return (
    rule === undefined || subschemasOf(schema, "").every((place) => rule(place, false).length === 0)
  );
}
