import type { IncomingMessage } from "node:http";
import { isLoopback, parseUrl } from "@touchstone/util";
import type { JwtSettings } from "../../config/config.ts";
import type { AccessRefusal, AccessRules } from "./access.ts";
import { SERVER_PLACEHOLDER } from "./tokens.ts";

/** The path prefix of the metadata of protected resources (RFC 9728, section 3). */
export const METADATA_PATH = "/.well-known/oauth-protected-resource";

/** A path about one server. A proxy in front may have added a prefix. */
const OF_SERVER = /(?:^|\/)(?:mcp|servers)\/([^/]+)(?:\/|$)/;
/** The characters of a quoted-string in a header (RFC 9110, section 5.6.4) that occur in our texts. */
const NOT_QUOTED = /[^\x20\x21\x23-\x5b\x5d-\x7e]/g;

/** Returns the server that a path is about, percent-encoded as in the request. */
function serverOf(path: string): string | undefined {
  return OF_SERVER.exec(path)?.[1];
}

/**
 * Returns the URL by which clients know a server: the one in `auth.jwt.audience` if that names each server, else the
 * URL of the request. Beyond loopback it is https, because tokens must not be sent otherwise (MCP, Authorization).
 */
function resourceOf(server: string, request: IncomingMessage, { audience }: JwtSettings): URL {
  const ofServer = audience.includes(SERVER_PLACEHOLDER)
    ? parseUrl(audience.replace(SERVER_PLACEHOLDER, server))
    : undefined;
  if (ofServer !== undefined) return ofServer;
  const host = request.headers.host ?? "localhost";
  const name = host.replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1");
  return new URL(`${isLoopback(name.toLowerCase()) ? "http" : "https"}://${host}/mcp/${server}`);
}

/** Returns the metadata of the server that a path below {@link METADATA_PATH} is about; undefined if it is about none. */
export function metadataAt(
  path: string,
  request: IncomingMessage,
  settings: JwtSettings,
): Readonly<Record<string, unknown>> | undefined {
  const server = path.startsWith(`${METADATA_PATH}/`) ? serverOf(path) : undefined;
  if (server === undefined) return undefined;
  return {
    resource: resourceOf(server, request, settings).href,
    authorization_servers: [settings.issuer],
    bearer_methods_supported: ["header"],
  };
}

/**
 * Returns the challenge for a client that must send other credentials (RFC 6750, section 3; RFC 9728, section 5.1).
 */
export function challengeFor(
  { code, message }: AccessRefusal,
  request: IncomingMessage,
  path: string,
  { tokens }: AccessRules,
): string {
  if (tokens === undefined) return "Bearer";
  const parts: string[] = [];
  if (code !== "TOKEN_MISSING") {
    const description = message.replace(NOT_QUOTED, "'");
    parts.push('error="invalid_token"', `error_description="${description}"`);
  }
  const server = serverOf(path);
  if (server !== undefined) {
    const { origin, pathname } = resourceOf(server, request, tokens.settings);
    parts.push(`resource_metadata="${origin}${METADATA_PATH}${pathname}"`);
  }
  return parts.length === 0 ? "Bearer" : `Bearer ${parts.join(", ")}`;
}
