import { type MemberPlan, memberPointers } from "@touchstone/core/advanced";

/* Members of `_meta` that MCP reserves (2026-07-28, basic, "_meta"). */

/** The MCP revision of a request. */
export const META_PROTOCOL_VERSION = "io.modelcontextprotocol/protocolVersion";
/** Name and version of the client. */
export const META_CLIENT_INFO = "io.modelcontextprotocol/clientInfo";
/** The client's capabilities. */
export const META_CLIENT_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
/** The lowest severity of log messages that the client wants. */
export const META_LOG_LEVEL = "io.modelcontextprotocol/logLevel";
/** Name and version of the server. */
export const META_SERVER_INFO = "io.modelcontextprotocol/serverInfo";
/** The subscription that a notification belongs to. */
export const META_SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId";

/** The members located in every message. One plan for all, so that one scan serves both requests and responses. */
export const FRAME_MEMBERS: MemberPlan = {
  jsonrpc: true,
  id: true,
  method: true,
  params: {
    name: true,
    arguments: true,
    uri: true,
    cursor: true,
    taskId: true,
    task: true,
    requestId: true,
    progressToken: true,
    protocolVersion: true,
    clientInfo: true,
    capabilities: true,
    inputResponses: true,
    requestState: true,
    progress: true,
    total: true,
    message: true,
    // The result of a finished task, as reported by `notifications/tasks` (SEP-2663).
    result: { structuredContent: true, isError: true },
    _meta: {
      progressToken: true,
      [META_PROTOCOL_VERSION]: true,
      [META_CLIENT_INFO]: true,
      [META_CLIENT_CAPABILITIES]: true,
      [META_LOG_LEVEL]: true,
      [META_SUBSCRIPTION_ID]: true,
    },
  },
  result: {
    content: true,
    structuredContent: true,
    isError: true,
    resultType: true,
    inputRequests: true,
    requestState: true,
    nextCursor: true,
    tools: true,
    ttlMs: true,
    task: { taskId: true, status: true },
    taskId: true,
    status: true,
    // The result that a finished task carries in 2026-07-28.
    result: { structuredContent: true, isError: true, resultType: true },
    protocolVersion: true,
    serverInfo: true,
    capabilities: true,
    supportedVersions: true,
    _meta: { [META_SUBSCRIPTION_ID]: true },
  },
  error: { code: true, message: true, data: true },
};

/** The pointers of those members, indexed by number. */
export const FRAME_POINTERS: readonly string[] = memberPointers(FRAME_MEMBERS);

/** Returns the number under which a member is located in every message; -1 if it is not in the plan. */
export function memberNumber(pointer: string): number {
  return FRAME_POINTERS.indexOf(pointer);
}

export const JSONRPC: number = memberNumber("/jsonrpc");
export const ID: number = memberNumber("/id");
export const METHOD: number = memberNumber("/method");
export const PARAMS: number = memberNumber("/params");
export const RESULT: number = memberNumber("/result");
export const ERROR: number = memberNumber("/error");
