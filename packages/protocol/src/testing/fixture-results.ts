import { blocksOf, RESOURCE } from "./fixture-parts.ts";
import {
  CACHED,
  ELICITED,
  elicitation,
  ICONS,
  IMPLEMENTATION,
  NOTIFIED,
  OBJECT,
  PAGE,
  RESULT,
  ROOTS,
  SERVER_CAPABILITIES,
  sampled,
  sampling,
  TASK,
  TOOL,
  URL_ELICITATION,
} from "./fixture-values.ts";

const RESOURCE_CONTENTS = { uri: "file:///a", mimeType: "text/plain", _meta: {} };

/** Results by the method of the request. */
export function resultsOf(version: string): Record<string, Record<string, unknown>[]> {
  const blocks = blocksOf(version);
  const asks = {
    ...RESULT,
    resultType: "input_required",
    requestState: "s",
    inputRequests: {
      a: { method: "elicitation/create", params: elicitation(version) },
      b: { method: "elicitation/create", params: URL_ELICITATION },
      c: { method: "sampling/createMessage", params: sampling(version) },
      d: { method: "roots/list", params: { _meta: {} } },
    },
  };
  const input = version >= "2026-07-28" ? [asks] : [];
  const announced = version === "2025-11-25" ? [{ task: TASK, _meta: {} }] : [];
  const contents = [
    { ...RESOURCE_CONTENTS, text: "t" },
    { ...RESOURCE_CONTENTS, blob: "AA==" },
  ];
  return {
    initialize: [
      {
        protocolVersion: version,
        capabilities: SERVER_CAPABILITIES,
        serverInfo: IMPLEMENTATION,
        instructions: "i",
        _meta: {},
      },
    ],
    "server/discover": [
      {
        ...CACHED,
        supportedVersions: [version],
        capabilities: SERVER_CAPABILITIES,
        instructions: "i",
      },
    ],
    "tools/list": [{ ...PAGE, tools: [TOOL, { name: "u", inputSchema: { type: "object" } }] }],
    "tools/call": [
      { ...RESULT, content: blocks, structuredContent: OBJECT, isError: false },
      ...input,
      ...announced,
    ],
    "resources/list": [{ ...PAGE, resources: [RESOURCE] }],
    "resources/templates/list": [
      { ...PAGE, resourceTemplates: [{ ...RESOURCE, uriTemplate: "file:///{a}" }] },
    ],
    "resources/read": [{ ...CACHED, contents }, ...input],
    "prompts/list": [
      {
        ...PAGE,
        prompts: [
          {
            name: "p",
            title: "t",
            description: "d",
            icons: ICONS,
            _meta: {},
            arguments: [{ name: "a", title: "t", description: "d", required: true }],
          },
        ],
      },
    ],
    "prompts/get": [
      {
        ...RESULT,
        description: "d",
        messages: blocks.map((content) => ({ role: "user", content })),
      },
      ...input,
    ],
    "completion/complete": [
      { ...RESULT, completion: { values: ["a", "b"], total: 2, hasMore: false } },
    ],
    "sampling/createMessage": [sampled(version), ...announced],
    "roots/list": [ROOTS],
    "elicitation/create": [ELICITED, ...announced],
    "tasks/get": [{ ...TASK, _meta: {} }],
    "tasks/cancel": [{ ...TASK, _meta: {} }],
    "tasks/result": [{ content: blocks, _meta: {} }],
    "tasks/list": [{ ...PAGE, tasks: [TASK] }],
    "subscriptions/listen": [
      {
        resultType: "complete",
        _meta: { ...NOTIFIED, "io.modelcontextprotocol/serverInfo": IMPLEMENTATION },
      },
    ],
  };
}
