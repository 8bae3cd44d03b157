import {
  CLIENT_CAPABILITIES,
  elicitation,
  IMPLEMENTATION,
  inputs,
  OBJECT,
  sampling,
  TASK,
  URL_ELICITATION,
} from "./fixture-values.ts";

/** Params by method. */
export function paramsOf(version: string): Record<string, Record<string, unknown>[]> {
  const named = { name: "n", arguments: { a: "x" } };
  return {
    initialize: [
      { protocolVersion: version, capabilities: CLIENT_CAPABILITIES, clientInfo: IMPLEMENTATION },
    ],
    "tools/call": [{ ...named, ...inputs(version), task: { ttl: 5 } }],
    "resources/read": [{ uri: "file:///a", ...inputs(version) }],
    "resources/subscribe": [{ uri: "file:///a" }],
    "resources/unsubscribe": [{ uri: "file:///a" }],
    "prompts/get": [{ ...named, ...inputs(version) }],
    "completion/complete": [
      {
        ref: { type: "ref/prompt", name: "n", title: "t" },
        argument: { name: "a", value: "v" },
        context: { arguments: { b: "x" } },
      },
      { ref: { type: "ref/resource", uri: "file:///{a}" }, argument: { name: "a", value: "v" } },
    ],
    "logging/setLevel": [{ level: "debug" }],
    "sampling/createMessage": [sampling(version)],
    "elicitation/create": [
      elicitation(version),
      ...(version >= "2025-11-25" ? [URL_ELICITATION] : []),
    ],
    "tasks/get": [{ taskId: "t" }],
    "tasks/result": [{ taskId: "t" }],
    "tasks/cancel": [{ taskId: "t" }],
    "subscriptions/listen": [
      {
        notifications: {
          promptsListChanged: true,
          resourcesListChanged: true,
          toolsListChanged: false,
          resourceSubscriptions: ["file:///a"],
        },
      },
    ],
    "notifications/cancelled": [{ requestId: 1, reason: "r" }],
    "notifications/progress": [{ progressToken: "p", progress: 0.5, total: 1, message: "m" }],
    "notifications/message": [{ level: "info", logger: "l", data: OBJECT }],
    "notifications/resources/updated": [{ uri: "file:///a" }],
    "notifications/tasks/status": [TASK],
    "notifications/elicitation/complete": [{ elicitationId: "e" }],
    "notifications/subscriptions/acknowledged": [{ notifications: { toolsListChanged: true } }],
  };
}
