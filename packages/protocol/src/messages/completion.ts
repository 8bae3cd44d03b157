import { params, result, statelessParams, typedResult } from "./base.ts";
import {
  BOOLEAN,
  byMember,
  type Definitions,
  extend,
  INTEGER,
  listOf,
  mapOf,
  object,
  ref,
  STRING,
} from "./schema.ts";

const PROMPT_REFERENCE = object({ name: STRING });
const REQUEST = {
  ref: byMember("type", {
    "ref/prompt": ref("PromptReference"),
    "ref/resource": ref("ResourceTemplateReference"),
  }),
  argument: object({ name: STRING, value: STRING }),
};
const CONTEXT = { context: object({}, { arguments: mapOf(STRING) }) };

function completion(values: object): { readonly completion: ReturnType<typeof object> } {
  const list = { ...listOf(STRING), ...values };
  return { completion: object({ values: list }, { total: INTEGER, hasMore: BOOLEAN }) };
}

/** MCP, Server Features, Completion. */
export const COMPLETION_2024_11_05: Definitions = {
  PromptReference: PROMPT_REFERENCE,
  ResourceTemplateReference: object({ uri: STRING }),
  CompleteRequestParams: params(REQUEST),
  CompleteResult: result(completion({})),
};

/** 2025-06-18: the arguments that are already resolved. */
export const COMPLETION_2025_06_18: Definitions = {
  ...COMPLETION_2024_11_05,
  PromptReference: extend(PROMPT_REFERENCE, { title: STRING }),
  CompleteRequestParams: params(REQUEST, CONTEXT),
};

/** 2026-07-28: at most 100 values. */
export const COMPLETION_2026_07_28: Definitions = {
  ...COMPLETION_2025_06_18,
  CompleteRequestParams: statelessParams(REQUEST, CONTEXT),
  CompleteResult: typedResult(completion({ maxItems: 100 })),
};
