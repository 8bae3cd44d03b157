import type { Fixture } from "./fixtures.ts";

type Json = Readonly<Record<string, unknown>>;
type MakeFixture = (example: Json) => Omit<Fixture, "name">;

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};
const CACHE = { resultType: "complete", ttlMs: 1, cacheScope: "public" };

const asResponse =
  (requestMethod: string): MakeFixture =>
  (message) => ({ message, sender: "server", requestMethod });
const asResult =
  (requestMethod: string, around: (example: Json) => Json = (example) => example): MakeFixture =>
  (example) => ({
    message: { jsonrpc: "2.0", id: 1, result: around(example) },
    sender: "server",
    requestMethod,
  });
const asRequest =
  (method: string, around: (example: Json) => Json = (example) => example): MakeFixture =>
  (example) => ({
    message: { jsonrpc: "2.0", id: 1, method, params: around(example) },
    sender: "client",
  });
const asNotice =
  (method: string): MakeFixture =>
  (params) => ({ message: { jsonrpc: "2.0", method, params }, sender: "server" });
const asError: MakeFixture = (error) => ({
  message: "jsonrpc" in error ? error : { jsonrpc: "2.0", id: 1, error },
  sender: "server",
});
const asInput = (name: string): MakeFixture =>
  asResult("tools/call", (params) => ({
    resultType: "input_required",
    inputRequests: { a: name === "" ? params : { method: name, params } },
  }));
const asField: MakeFixture = (field) => {
  const requestedSchema = { type: "object", properties: { field } };
  return asInput("elicitation/create")({ message: "m", requestedSchema });
};
const asBlock = asResult("tools/call", (block) => ({ resultType: "complete", content: [block] }));
const asSaid = (message: Json): Json => ({ messages: [message], maxTokens: 1 });
const asSampled: MakeFixture = (content) =>
  asInput("sampling/createMessage")(asSaid({ role: "user", content }));
const asAnswer = asRequest("tools/call", (answer) => ({
  _meta: META,
  name: "t",
  inputResponses: { a: answer },
}));
const asListed = (method: string, member: string): MakeFixture =>
  asResult(method, (item) => ({ ...CACHE, [member]: [item] }));
const asContents = asResult("resources/read", (item) => ({ ...CACHE, contents: [item] }));
const asCapabilities = (member: string): MakeFixture =>
  member === "client"
    ? asRequest("server/discover", (capabilities) => ({
        _meta: { ...META, "io.modelcontextprotocol/clientCapabilities": capabilities },
      }))
    : asResult("server/discover", (capabilities) => ({
        ...CACHE,
        supportedVersions: [],
        capabilities,
      }));

const METHODS: Readonly<Record<string, string>> = {
  CallTool: "tools/call",
  ListTools: "tools/list",
  ListPrompts: "prompts/list",
  GetPrompt: "prompts/get",
  ListResources: "resources/list",
  ListResourceTemplates: "resources/templates/list",
  ReadResource: "resources/read",
  Complete: "completion/complete",
  Discover: "server/discover",
  SubscriptionsListen: "subscriptions/listen",
};

/** Functions that put a part of a message into a whole message, by the name of the part's definition. */
const PLACES: Readonly<Record<string, MakeFixture>> = {
  TextContent: asBlock,
  ImageContent: asBlock,
  AudioContent: asBlock,
  EmbeddedResource: asBlock,
  ResourceLink: asBlock,
  ToolUseContent: asSampled,
  ToolResultContent: asSampled,
  SamplingMessage: (message) => asInput("sampling/createMessage")(asSaid(message)),
  ModelPreferences: (modelPreferences) =>
    asInput("sampling/createMessage")({ messages: [], maxTokens: 1, modelPreferences }),
  CreateMessageRequestParams: asInput("sampling/createMessage"),
  CreateMessageRequest: asInput(""),
  ElicitRequest: asInput(""),
  ListRootsRequest: asInput(""),
  ElicitRequestFormParams: asInput("elicitation/create"),
  ElicitRequestURLParams: asInput("elicitation/create"),
  InputRequests: asResult("tools/call", (inputRequests) => ({
    resultType: "input_required",
    inputRequests,
  })),
  InputRequiredResult: asResult("tools/call"),
  InputResponses: asRequest("tools/call", (inputResponses) => ({
    _meta: META,
    name: "t",
    inputResponses,
  })),
  CreateMessageResult: asAnswer,
  ListRootsResult: asAnswer,
  ElicitResult: asAnswer,
  Root: (root) => asAnswer({ roots: [root] }),
  StringSchema: asField,
  NumberSchema: asField,
  BooleanSchema: asField,
  TextResourceContents: asContents,
  BlobResourceContents: asContents,
  Resource: asListed("resources/list", "resources"),
  Tool: asListed("tools/list", "tools"),
  ClientCapabilities: asCapabilities("client"),
  ServerCapabilities: asCapabilities("server"),
  PaginatedRequestParams: asRequest("tools/list"),
  CancelledNotificationParams: asNotice("notifications/cancelled"),
  ProgressNotificationParams: asNotice("notifications/progress"),
  ResourceUpdatedNotificationParams: asNotice("notifications/resources/updated"),
  LoggingMessageNotificationParams: asNotice("notifications/message"),
};

function placeOf(name: string): MakeFixture | undefined {
  const known = PLACES[name];
  if (known !== undefined) return known;
  if (name.endsWith("EnumSchema")) return asField;
  if (name.endsWith("Error")) return asError;
  const [, stem = "", kind] =
    /^(.*?)(ResultResponse|Result|Request|RequestParams)$/.exec(name) ?? [];
  const method = METHODS[stem];
  if (name.endsWith("Notification")) return (message) => ({ message, sender: "server" });
  if (method === undefined) return undefined;
  if (kind === "ResultResponse") return asResponse(method);
  if (kind === "Result") return asResult(method);
  return kind === "RequestParams"
    ? asRequest(method)
    : (message) => ({ message, sender: "client" });
}

/** An official example of 2026-07-28 as a whole message, or undefined if none could hold it. */
export function exampleMessage(name: string, example: unknown): Fixture | undefined {
  const placed = placeOf(name)?.(example as Json);
  return placed === undefined ? undefined : { name, ...placed };
}
