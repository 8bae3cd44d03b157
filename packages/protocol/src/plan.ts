import { type MemberPlan, memberPointers } from "@touchstone/core";

/* Members of `_meta` that MCP keeps for itself (2026-07-28, basic, "_meta"). */

/** The revision that a request is written for. */
export const META_PROTOCOL_VERSION = "io.modelcontextprotocol/protocolVersion";
/** Name and version of the client. */
export const META_CLIENT_INFO = "io.modelcontextprotocol/clientInfo";
/** What the client offers. */
export const META_CLIENT_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
/** The least severe log messages that are needed. */
export const META_LOG_LEVEL = "io.modelcontextprotocol/logLevel";
/** To which subscription a notification belongs. */
export const META_SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId";

/** What is located in every message: one plan, so that one scan serves requests and answers. */
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
    // The result of a finished task that `notifications/tasks` reports (SEP-2663).
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

/** The pointers of those members, by their numbers. */
export const FRAME_POINTERS: readonly string[] = memberPointers(FRAME_MEMBERS);

/** Returns the number by which a member is located in every message; -1 of one that is not planned. */
export function memberNumber(pointer: string): number {
  return FRAME_POINTERS.indexOf(pointer);
}

export const JSONRPC: number = memberNumber("/jsonrpc");
export const ID: number = memberNumber("/id");
export const METHOD: number = memberNumber("/method");
export const PARAMS: number = memberNumber("/params");
export const RESULT: number = memberNumber("/result");
export const ERROR: number = memberNumber("/error");
