import { DIALECT_2020_12, type Revision } from "./revision.ts";

/**
 * https://modelcontextprotocol.io/specification/2026-07-28/changelog: stateless. No `initialize`, no sessions, and no
 * requests from the server (SEP-2322); structured content of any type (SEP-2106); headers that repeat the body
 * (SEP-2243).
 */
export const REVISION_2026_07_28: Revision = {
  version: "2026-07-28",
  era: "modern",
  handshake: false,
  batches: false,
  serverRequests: false,
  structuredContent: "any",
  defaultDialect: DIALECT_2020_12,
  resultType: true,
  requiredRequestMeta: [
    "io.modelcontextprotocol/protocolVersion",
    "io.modelcontextprotocol/clientCapabilities",
  ],
  invalidArguments: "result",
  http: "streamable",
  sessionHeader: false,
  versionHeader: true,
  routingHeaders: true,
};
