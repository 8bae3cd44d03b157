import { params, result, statelessParams, typedResult } from "./base.ts";
import {
  BOOLEAN,
  type Definitions,
  extend,
  INTEGER,
  listOf,
  mapOf,
  object,
  ref,
  STRING,
  unionByMember,
} from "./schema.ts";

const PROMPT_REFERENCE = object({ name: STRING });
const REQUEST = {
  ref: unionByMember("type", {
    "ref/prompt": ref("PromptReference"),
    "ref/resource": ref("ResourceTemplateReference"),
  }),
  argument: object({ name: STRING, value: STRING }),
};
const CONTEXT = { context: object({}, { arguments: mapOf(STRING) }) };

/** At most 100 values: the text of every revision says so, the JSON Schema only since 2026-07-28. */
const COMPLETION = {
  completion: object(
    { values: { ...listOf(STRING), maxItems: 100 } },
    { total: INTEGER, hasMore: BOOLEAN },
  ),
};

/** MCP, Server Features, Completion. */
export const COMPLETION_2024_11_05: Definitions = {
  PromptReference: PROMPT_REFERENCE,
  ResourceTemplateReference: object({ uri: STRING }),
  CompleteRequestParams: params(REQUEST),
  CompleteResult: result(COMPLETION),
};

/** 2025-06-18: the arguments that are already resolved. */
export const COMPLETION_2025_06_18: Definitions = {
  ...COMPLETION_2024_11_05,
  PromptReference: extend(PROMPT_REFERENCE, { title: STRING }),
  CompleteRequestParams: params(REQUEST, CONTEXT),
};

/** 2026-07-28: results with a type. */
export const COMPLETION_2026_07_28: Definitions = {
  ...COMPLETION_2025_06_18,
  CompleteRequestParams: statelessParams(REQUEST, CONTEXT),
  CompleteResult: typedResult(COMPLETION),
};
