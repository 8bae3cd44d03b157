import { cacheablePage, page, params, result, retryParams, typedResult } from "./base.ts";
import {
  BOOLEAN,
  type Definitions,
  extend,
  listOf,
  mapOf,
  OBJECT,
  object,
  ref,
  STRING,
} from "./schema.ts";

const ARGUMENT = object({ name: STRING }, { description: STRING, required: BOOLEAN });
const PROMPT = object(
  { name: STRING },
  { description: STRING, arguments: listOf(ref("PromptArgument")) },
);
const MESSAGES = { messages: listOf(ref("PromptMessage")) };
const ARGUMENTS = { arguments: mapOf(STRING) };

/** MCP, Server Features, Prompts. */
export const PROMPTS_2024_11_05: Definitions = {
  PromptArgument: ARGUMENT,
  Prompt: PROMPT,
  PromptMessage: object({ role: ref("Role"), content: ref("ContentBlock") }),
  ListPromptsResult: page("prompts"),
  GetPromptRequestParams: params({ name: STRING }, ARGUMENTS),
  GetPromptResult: result(MESSAGES, { description: STRING }),
};

/** 2025-06-18: titles and `_meta`. */
export const PROMPTS_2025_06_18: Definitions = {
  ...PROMPTS_2024_11_05,
  PromptArgument: extend(ARGUMENT, { title: STRING }),
  Prompt: extend(PROMPT, { _meta: OBJECT, title: STRING }),
};

/** 2025-11-25: icons. */
export const PROMPTS_2025_11_25: Definitions = {
  ...PROMPTS_2025_06_18,
  Prompt: extend(PROMPT, { _meta: OBJECT, title: STRING, icons: listOf(ref("Icon")) }),
};

/** 2026-07-28: results that may be cached, and prompts that ask for input. */
export const PROMPTS_2026_07_28: Definitions = {
  ...PROMPTS_2025_11_25,
  ListPromptsResult: cacheablePage("prompts"),
  GetPromptRequestParams: retryParams({ name: STRING }, ARGUMENTS),
  GetPromptResult: typedResult(MESSAGES, { description: STRING }),
};
