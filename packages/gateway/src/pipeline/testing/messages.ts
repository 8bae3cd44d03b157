export const LEGACY = "2025-11-25";
export const MODERN = "2026-07-28";

const HOUR_MS = 3_600_000;

/** Returns whether a revision is of the modern era. Dates compare as texts. */
export function isModern(revision: string | undefined): revision is string {
  return revision !== undefined && revision >= MODERN;
}

/** Returns `_meta` of a client that supports tasks. */
export function modernMeta(revision: string = MODERN): object {
  return {
    "io.modelcontextprotocol/protocolVersion": revision,
    "io.modelcontextprotocol/clientCapabilities": {
      extensions: { "io.modelcontextprotocol/tasks": {} },
    },
    "io.modelcontextprotocol/clientInfo": { name: "c", version: "1" },
  };
}

/** Returns a request with the members that its revision requires of every request. */
export function request(
  id: number | string,
  method: string,
  params: object,
  revision: string,
): object {
  const meta = isModern(revision) ? { _meta: modernMeta(revision) } : {};
  return { jsonrpc: "2.0", id, method, params: { ...params, ...meta } };
}

/** A call; `args` is source text, and left out if undefined. */
export function call(
  id: number | string,
  name: string,
  args?: string,
  more = "",
  revision: string = LEGACY,
): string {
  const given = args === undefined ? "" : `,"arguments":${args}`;
  const meta = isModern(revision) ? `,"_meta":${JSON.stringify(modernMeta(revision))}` : "";
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":"tools/call","params":{"name":${JSON.stringify(name)}${given}${more}${meta}}}`;
}

/** A response with this source text as its result. */
export function result(id: number | string, text: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${text}}`;
}

/**
 * Returns a call's result with all members that its revision requires; `more` is source text that begins with a
 * comma.
 */
export function toolResult(id: number | string, more = "", revision: string = LEGACY): string {
  const type = isModern(revision) ? '"resultType":"complete",' : "";
  return result(id, `{${type}"content":[]${more}}`);
}

/** A call's result with this source text as its structured content. */
export function structured(id: number | string, text: string, revision: string = LEGACY): string {
  return toolResult(id, `,"structuredContent":${text}`, revision);
}

/** The result of a `tools/list`. */
export function toolList(
  tools: readonly object[],
  revision: string = LEGACY,
  more: object = {},
): object {
  const modern = { resultType: "complete", ttlMs: HOUR_MS, cacheScope: "private" };
  return { ...(isModern(revision) ? modern : {}), tools, ...more };
}

/** Source text of the members of a task (MCP 2025-11-25, Tasks). */
export function taskMembers(taskId: string, status = "working"): string {
  const at = "2026-01-02T03:04:05Z";
  const task = { taskId, status, createdAt: at, lastUpdatedAt: at, ttl: null };
  return JSON.stringify(task).slice(1, -1);
}

/** The params of an `initialize`. */
export function initializeParams(protocolVersion: string = LEGACY): object {
  return { protocolVersion, capabilities: {}, clientInfo: { name: "me", version: "2" } };
}

/** A tool that adds numbers and returns `{sum}`. */
export const ADD = {
  name: "add",
  inputSchema: {
    type: "object",
    properties: { a: { type: "integer" }, b: { type: "integer" } },
    required: ["a"],
    additionalProperties: false,
  },
  outputSchema: {
    type: "object",
    properties: { sum: { type: "integer" } },
    required: ["sum"],
  },
};
export const PLAIN = { name: "plain", inputSchema: { type: "object" } };
