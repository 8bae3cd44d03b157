import { params, result } from "./base.ts";
import {
  arrayOr,
  type Definitions,
  extend,
  FRACTION,
  INTEGER,
  listOf,
  literal,
  NUMBER,
  OBJECT,
  object,
  type Properties,
  ref,
  type Schema,
  STRING,
  unionByMember,
} from "./schema.ts";

const REQUEST_REQUIRED = { messages: listOf(ref("SamplingMessage")), maxTokens: INTEGER };
const REQUEST_OPTIONAL = {
  includeContext: literal("allServers", "none", "thisServer"),
  metadata: OBJECT,
  modelPreferences: ref("ModelPreferences"),
  stopSequences: listOf(STRING),
  systemPrompt: STRING,
  temperature: NUMBER,
};
const BLOCKS_2024_11_05: Properties = { text: ref("TextContent"), image: ref("ImageContent") };

function answer(content: Schema): Properties {
  return { role: ref("Role"), model: STRING, content };
}

/** MCP, Client Features, Sampling. */
export const SAMPLING_2024_11_05: Definitions = {
  SamplingMessageContentBlock: unionByMember("type", BLOCKS_2024_11_05),
  SamplingMessage: object({ role: ref("Role"), content: ref("SamplingMessageContentBlock") }),
  ModelPreferences: object(
    {},
    {
      hints: listOf(object({}, { name: STRING })),
      costPriority: FRACTION,
      speedPriority: FRACTION,
      intelligencePriority: FRACTION,
    },
  ),
  CreateMessageRequestParams: params(REQUEST_REQUIRED, REQUEST_OPTIONAL),
  CreateMessageResult: result(answer(ref("SamplingMessageContentBlock")), { stopReason: STRING }),
};

const BLOCKS_2025_03_26: Properties = { ...BLOCKS_2024_11_05, audio: ref("AudioContent") };

/** 2025-03-26: audio. */
export const SAMPLING_2025_03_26: Definitions = {
  ...SAMPLING_2024_11_05,
  SamplingMessageContentBlock: unionByMember("type", BLOCKS_2025_03_26),
};

const BLOCK = ref("SamplingMessageContentBlock");
const ONE_OR_MORE = arrayOr(BLOCK, BLOCK);
const TOOL_USE = {
  tools: listOf(ref("Tool")),
  toolChoice: object({}, { mode: literal("auto", "none", "required") }),
};

/** 2025-11-25: tools (SEP-1577), tasks, and several blocks in one message. */
export const SAMPLING_2025_11_25: Definitions = {
  ...SAMPLING_2025_03_26,
  SamplingMessageContentBlock: unionByMember("type", {
    ...BLOCKS_2025_03_26,
    tool_use: ref("ToolUseContent"),
    tool_result: ref("ToolResultContent"),
  }),
  SamplingMessage: object({ role: ref("Role"), content: ONE_OR_MORE }, { _meta: OBJECT }),
  CreateMessageRequestParams: params(REQUEST_REQUIRED, {
    ...REQUEST_OPTIONAL,
    ...TOOL_USE,
    task: ref("TaskMetadata"),
  }),
  CreateMessageResult: result(answer(ONE_OR_MORE), { stopReason: STRING }),
};

/** 2026-07-28: no longer a separate request, but requested through a result (SEP-2322). */
export const SAMPLING_2026_07_28: Definitions = {
  ...SAMPLING_2025_11_25,
  CreateMessageRequestParams: object(REQUEST_REQUIRED, { ...REQUEST_OPTIONAL, ...TOOL_USE }),
  CreateMessageResult: extend(object(answer(ONE_OR_MORE)), { stopReason: STRING, _meta: OBJECT }),
};
