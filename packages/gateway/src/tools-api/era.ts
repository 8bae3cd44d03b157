import {
  LATEST,
  META_CLIENT_CAPABILITIES,
  META_CLIENT_INFO,
  META_PROTOCOL_VERSION,
} from "@touchstone/protocol";

/** Who asks, as records show it. */
export const CLIENT_INFO: { readonly name: string; readonly version: string } = {
  name: "touchstone-http",
  version: "1",
};

/** How a server is spoken to: from 2026-07-28 on without a session, before that mostly with one. */
export type Era =
  | { readonly kind: "modern" }
  | { readonly kind: "legacy"; readonly headers: Readonly<Record<string, string>> };

export const MODERN: Era = { kind: "modern" };

/** `_meta` of every request under the latest revision (MCP 2026-07-28, Base Protocol, `_meta`). */
const MODERN_META: string = JSON.stringify({
  [META_PROTOCOL_VERSION]: LATEST.version,
  [META_CLIENT_INFO]: CLIENT_INFO,
  [META_CLIENT_CAPABILITIES]: {},
});

/** Puts `_meta` into the source text of params that have members, or none. */
export function withMeta(params: string): string {
  const rest = params.slice(1).trimStart();
  return `{"_meta":${MODERN_META}${rest === "}" ? "" : ","}${rest}`;
}
