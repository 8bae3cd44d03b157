import type { SettingsLevel } from "../../config/edit/modes.ts";

/** Where the API stands on a gateway. */
export const ADMIN_API_PATH = "/api/v1";
/** Where the gateway's own API is described, out of the way of the tool API's documents. */
export const OPENAPI_PATH: string = `${ADMIN_API_PATH}/openapi.json`;

/** What a path of the API names. */
export type Resource =
  | { readonly kind: "servers" | "settings" | "gateways" | "openapi" }
  | { readonly kind: "sign-in"; readonly what: "token" | "code" }
  | { readonly kind: "server"; readonly server: string }
  | { readonly kind: "modes"; readonly level: SettingsLevel }
  | { readonly kind: "unknown" };

const OWN = ["servers", "modes", "settings", "gateways", "openapi.json", "sign-in"];

/**
 * What a request's path names; undefined where it is not one of this API's. Names are whole segments,
 * percent-encoded (RFC 3986, section 2.1), so that a tool's name may hold a slash as `%2F`.
 * @param path percent-encoded, without the query
 */
export function resourceOf(path: string): Resource | undefined {
  if (!path.startsWith(`${ADMIN_API_PATH}/`)) return undefined;
  const segments = path
    .slice(ADMIN_API_PATH.length + 1)
    .replace(/\/$/, "")
    .split("/");
  const [first = "", ...rest] = segments;
  if (!OWN.includes(first)) return undefined;
  const names = decoded(rest);
  if (names === undefined) return { kind: "unknown" };
  if (names.length === 0 && (first === "settings" || first === "gateways")) return { kind: first };
  if (names.length === 0 && first === "openapi.json") return { kind: "openapi" };
  if (first === "sign-in" && names.length === 0) return { kind: "sign-in", what: "token" };
  if (first === "sign-in" && names.join("/") === "codes") return { kind: "sign-in", what: "code" };
  if (first === "modes" && names.length === 0) return { kind: "modes", level: {} };
  return first === "servers" ? ofServers(names) : { kind: "unknown" };
}

function ofServers([server, what, tool, last, ...more]: readonly string[]): Resource {
  if (server === undefined) return { kind: "servers" };
  if (what === undefined) return { kind: "server", server };
  if (what === "modes" && tool === undefined) return { kind: "modes", level: { server } };
  if (what === "tools" && tool !== undefined && last === "modes" && more.length === 0) {
    return { kind: "modes", level: { server, tool } };
  }
  return { kind: "unknown" };
}

function decoded(segments: readonly string[]): readonly string[] | undefined {
  try {
    return segments.map(decodeURIComponent);
  } catch {
    return undefined;
  }
}
