/** The differences between MCP revisions that a relay and its checks need to know. */
export interface Revision {
  /** The `protocolVersion` string. */
  readonly version: string;
  /** `legacy` starts with `initialize`; `modern` carries its context in every request's `_meta`. */
  readonly era: "legacy" | "modern";
  /** Whether a connection begins with `initialize`. If not, `server/discover` reports what a server can do. */
  readonly handshake: boolean;
  /** Whether a message may be a JSON-RPC batch. */
  readonly batches: boolean;
  /** Whether a server may send requests to the client. */
  readonly serverRequests: boolean;
  /**
   * Whether tools have `outputSchema` and results `structuredContent`, and what kind of value the latter may be;
   * false if the revision has neither.
   */
  readonly structuredContent: false | "object" | "any";
  /** The dialect of a tool's schema if it has no `$schema`; undefined if the revision names none. */
  readonly defaultDialect: string | undefined;
  /** Whether every result must carry `resultType`. */
  readonly resultType: boolean;
  /** Keys that `params._meta` must have in every request. */
  readonly requiredRequestMeta: readonly string[];
  /**
   * How the revision reports arguments that break a tool's input schema: as a JSON-RPC error -32602, or as a result
   * with `isError: true`.
   */
  readonly invalidArguments: "error" | "result";
  /** The HTTP transport. */
  readonly http: "http+sse" | "streamable";
  /** Whether a server over Streamable HTTP may assign an `Mcp-Session-Id`. */
  readonly sessionHeader: boolean;
  /** Whether a client over Streamable HTTP must send `MCP-Protocol-Version`. */
  readonly versionHeader: boolean;
  /** Whether `Mcp-Method`, `Mcp-Name` and `Mcp-Param-*` must repeat values from the body. */
  readonly routingHeaders: boolean;
}

/** The meta-schema that revisions since 2025-11-25 name as the default. */
export const DIALECT_2020_12 = "https://json-schema.org/draft/2020-12/schema";
