import type { OutgoingHttpHeader } from "node:http";
import {
  type Frame,
  LATEST,
  META_CLIENT_CAPABILITIES,
  META_CLIENT_INFO,
  META_PROTOCOL_VERSION,
  type ParamHeader,
} from "@touchstone/protocol/advanced";
import type { Era } from "../../eras/era.ts";
import { legacy } from "../../eras/legacy.ts";
import { modern } from "../../eras/modern.ts";

/** The client's name in records. */
export const CLIENT_INFO: { readonly name: string; readonly version: string } = {
  name: "touchstone-http",
  version: "1",
};

/** A connection of the gateway's own client to a server, in the server's era. */
export interface Connection {
  readonly era: Era;
  /** The revision that both sides speak; undefined before a handshake has agreed on one. */
  readonly revision: string | undefined;
  /** The headers of its session, which the server may end; undefined without one. */
  readonly session: Readonly<Record<string, string>> | undefined;
  /**
   * Returns the source text of a request's params, with the era's additions.
   * @param progressToken requests progress under this token
   */
  params(text: string, progressToken?: number): string;
  /**
   * Returns the headers of a POST.
   * @param declared the headers that the called tool's schema declares
   */
  headers(frame: Frame, declared?: readonly ParamHeader[]): Readonly<Record<string, string>>;
}

/** The `_meta` of every request in the latest revision (MCP 2026-07-28, Base Protocol, `_meta`). */
const META: Readonly<Record<string, unknown>> = {
  [META_PROTOCOL_VERSION]: LATEST.version,
  [META_CLIENT_INFO]: CLIENT_INFO,
  [META_CLIENT_CAPABILITIES]: {},
};

/** Inserts `_meta` before the members of an object's source text. */
function withMeta(text: string, meta: Readonly<Record<string, unknown>>): string {
  const rest = text.slice(1).trimStart();
  return `{"_meta":${JSON.stringify(meta)}${rest === "}" ? "" : ","}${rest}`;
}

/** A connection without a session. */
export const SESSIONLESS_CONNECTION: Connection = {
  era: modern,
  revision: LATEST.version,
  session: undefined,
  params: (text, progressToken) => withMeta(text, { ...META, progressToken }),
  headers: (frame, declared = []) => modern.messageHeaders(frame, declared),
};

const SESSION_HEADER = "mcp-session-id";
const VERSION_HEADER = "mcp-protocol-version";

/**
 * Returns a connection that begins, or has begun, with a handshake.
 * @param version the agreed revision
 * @param session its id, if the server sent one
 */
export function handshakeConnection(version?: string, session?: OutgoingHttpHeader): Connection {
  const headers: Record<string, string> = {};
  if (version !== undefined) headers[VERSION_HEADER] = version;
  if (typeof session === "string") headers[SESSION_HEADER] = session;
  return {
    era: legacy,
    revision: version,
    session: SESSION_HEADER in headers ? headers : undefined,
    params: (text, progressToken) =>
      progressToken === undefined ? text : withMeta(text, { progressToken }),
    headers: () => headers,
  };
}
