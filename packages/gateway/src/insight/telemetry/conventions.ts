/**
 * Names of the OpenTelemetry semantic conventions for MCP (`docs/gen-ai/mcp.md` of
 * open-telemetry/semantic-conventions-genai, status Development), and our own.
 */
export const ATTRIBUTES = {
  method: "mcp.method.name",
  protocolVersion: "mcp.protocol.version",
  resourceUri: "mcp.resource.uri",
  sessionId: "mcp.session.id",
  toolName: "gen_ai.tool.name",
  promptName: "gen_ai.prompt.name",
  operationName: "gen_ai.operation.name",
  requestId: "jsonrpc.request.id",
  statusCode: "rpc.response.status_code",
  errorType: "error.type",
  transport: "network.transport",
  protocolName: "network.protocol.name",
  serverAddress: "server.address",
  serverPort: "server.port",
  /** The caller, as the gateway identified it. */
  caller: "enduser.id",
  /** The server's name in the configuration. */
  server: "touchstone.server.name",
  /** `allowed`, `warning` or `blocked`. */
  decision: "touchstone.decision",
  /** The outcome of the decisive check. */
  outcome: "touchstone.outcome",
  /** The direction of the check that objected: `input`, `output` or `protocol`. */
  direction: "touchstone.direction",
  /** The status of a call in its activity records. */
  status: "touchstone.status",
  /** `request_id` of the call's activity records. */
  activityRequest: "touchstone.request_id",
} as const;

/** How many characters of a name to keep: names come from outside. */
export const MAX_NAME_CHARACTERS = 256;
/** The value of `gen_ai.operation.name` for a tool call; not set otherwise. */
export const EXECUTE_TOOL = "execute_tool";
/** The value of `error.type` for a result with `isError: true`. */
export const TOOL_ERROR = "tool_error";
/** Replaces every value that is not kept as a label. */
export const OTHER_LABEL = "_OTHER";

/**
 * Codes of errors that the caller causes: they do not mark a server's span as failed (`rpc.response.status_code` of
 * `mcp.server`).
 */
export const CALLER_ERROR_CODES: ReadonlySet<number> = new Set([
  -32700, -32600, -32601, -32602, -32002,
]);

/** The methods of all revisions of MCP and of the Skills extension, including those in the conventions. */
export const KNOWN_METHODS: ReadonlySet<string> = new Set([
  "completion/complete",
  "elicitation/create",
  "initialize",
  "logging/setLevel",
  "notifications/cancelled",
  "notifications/elicitation/complete",
  "notifications/initialized",
  "notifications/message",
  "notifications/progress",
  "notifications/prompts/list_changed",
  "notifications/resources/list_changed",
  "notifications/resources/updated",
  "notifications/roots/list_changed",
  "notifications/subscriptions/acknowledged",
  "notifications/tasks/status",
  "notifications/tools/list_changed",
  "ping",
  "prompts/get",
  "prompts/list",
  "resources/directory/read",
  "resources/list",
  "resources/read",
  "resources/subscribe",
  "resources/templates/list",
  "resources/unsubscribe",
  "roots/list",
  "sampling/createMessage",
  "server/discover",
  "skills/get",
  "skills/list",
  "subscriptions/listen",
  "tasks/cancel",
  "tasks/get",
  "tasks/list",
  "tasks/result",
  "tools/call",
  "tools/list",
]);
