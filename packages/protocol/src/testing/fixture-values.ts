import { fieldsOf, samplingBlocksOf } from "./fixture-parts.ts";

/** A part of a message. */
export type Part = Readonly<Record<string, unknown>>;

export const OBJECT: Part = { any: [1, "x"] };
export const ICONS: readonly Part[] = [
  { src: "https://a.example/i.png", mimeType: "image/png", sizes: ["48x48"], theme: "dark" },
];
export const IMPLEMENTATION: Part = {
  name: "n",
  version: "1",
  title: "t",
  description: "d",
  icons: ICONS,
  websiteUrl: "https://a.example",
};
const TASK_SIDES: Part = { cancel: {}, list: {} };
export const CLIENT_CAPABILITIES: Part = {
  experimental: { x: OBJECT },
  extensions: { "a/b": OBJECT },
  roots: { listChanged: true },
  sampling: { context: {}, tools: {} },
  elicitation: { form: {}, url: {} },
  tasks: {
    ...TASK_SIDES,
    requests: { elicitation: { create: {} }, sampling: { createMessage: {} } },
  },
};
export const SERVER_CAPABILITIES: Part = {
  experimental: { x: OBJECT },
  extensions: { "a/b": OBJECT },
  logging: {},
  completions: {},
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: false },
  tools: { listChanged: true },
  tasks: { ...TASK_SIDES, requests: { tools: { call: {} } } },
};
export const META: Part = {
  progressToken: "p",
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": IMPLEMENTATION,
  "io.modelcontextprotocol/clientCapabilities": CLIENT_CAPABILITIES,
  "io.modelcontextprotocol/logLevel": "info",
  "vendor.example/x": OBJECT,
};
export const SHORT_META: Part = {
  progressToken: 1,
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};
export const NOTIFIED: Part = { "io.modelcontextprotocol/subscriptionId": "s", x: 1 };
export const RESULT: Part = {
  resultType: "complete",
  _meta: { "io.modelcontextprotocol/serverInfo": IMPLEMENTATION, x: OBJECT },
};
export const CACHED: Part = { ...RESULT, ttlMs: 60_000, cacheScope: "private" };
export const PAGE: Part = { ...CACHED, nextCursor: "c" };
export const SCHEMA: Part = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: { a: { type: "string" }, b: { type: "integer" } },
  required: ["a"],
};
export const TOOL: Part = {
  name: "t",
  title: "T",
  description: "d",
  inputSchema: SCHEMA,
  outputSchema: SCHEMA,
  annotations: {
    title: "t",
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  execution: { taskSupport: "optional" },
  icons: ICONS,
  _meta: OBJECT,
};
export const TASK: Part = {
  taskId: "t",
  status: "working",
  statusMessage: "m",
  createdAt: "2026-01-01T00:00:00Z",
  lastUpdatedAt: "2026-01-01T00:00:00Z",
  ttl: 1000,
  pollInterval: 10,
};

export function elicitation(version: string): Record<string, unknown> {
  const requestedSchema = {
    $schema: SCHEMA["$schema"],
    type: "object",
    properties: fieldsOf(version),
    required: ["text"],
  };
  return { mode: "form", message: "m", requestedSchema, task: { ttl: 1 } };
}

export const URL_ELICITATION: Part = {
  mode: "url",
  message: "m",
  url: "https://a.example",
  elicitationId: "e",
  task: { ttl: 1 },
};

export function sampling(version: string): Record<string, unknown> {
  const blocks = samplingBlocksOf(version);
  const several = version >= "2025-11-25" ? [{ role: "user", content: blocks, _meta: {} }] : [];
  return {
    messages: [...blocks.map((content) => ({ role: "assistant", content })), ...several],
    maxTokens: 100,
    includeContext: "none",
    metadata: OBJECT,
    modelPreferences: {
      hints: [{ name: "m" }],
      costPriority: 0,
      speedPriority: 0.5,
      intelligencePriority: 1,
    },
    stopSequences: ["x"],
    systemPrompt: "s",
    temperature: 0.7,
    tools: [TOOL],
    toolChoice: { mode: "auto" },
    task: { ttl: 1 },
  };
}

export const ELICITED: Part = { action: "accept", content: { a: "x", b: 1, c: true }, _meta: {} };
export const ROOTS: Part = { roots: [{ uri: "file:///a", name: "n", _meta: {} }], _meta: {} };

export function sampled(version: string): Record<string, unknown> {
  const content = samplingBlocksOf(version)[0];
  return { role: "assistant", model: "m", content, stopReason: "endTurn", _meta: {} };
}

export function inputs(version: string): Record<string, unknown> {
  const inputResponses = { a: ELICITED, b: ROOTS, c: sampled(version) };
  return { requestState: "s", inputResponses };
}
