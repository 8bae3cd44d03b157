import type { Revision } from "./revision.ts";

/** https://modelcontextprotocol.io/specification/2024-11-05 */
export const REVISION_2024_11_05: Revision = {
  version: "2024-11-05",
  era: "legacy",
  handshake: true,
  batches: false,
  serverRequests: true,
  structuredContent: false,
  defaultDialect: undefined,
  resultType: false,
  requiredRequestMeta: [],
  invalidArguments: "error",
  http: "http+sse",
  sessionHeader: false,
  versionHeader: false,
  routingHeaders: false,
};
