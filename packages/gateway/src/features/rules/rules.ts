import type { Rules } from "@touchstone/core/advanced";
import { oneOf, record, type Schema } from "@touchstone/util/schema";
import type { SectionSetting } from "../section-setting.ts";

const TREATMENTS = ["violation", "warning", "ignore"] as const;
const RULE = { enum: TREATMENTS, default: "violation" } as const;

const RULES = {
  schema: {
    type: "object",
    properties: {
      type: { ...RULE, description: 'How issues of the class "type" count' },
      required: { ...RULE, description: 'How issues of the class "required" count' },
      extra: { ...RULE, description: 'How issues of the class "extra" count' },
      value: { ...RULE, description: 'How issues of the class "value" count' },
      format: { ...RULE, description: 'How issues of the class "format" count' },
      guard: { ...RULE, description: 'How issues of the class "guard" count' },
      budget: { ...RULE, description: 'How issues of the class "budget" count' },
    },
    // JSON Pointers, and patterns of them.
    patternProperties: {
      "^(?:/(?:[^/~]|~[012])*){1,64}$": {
        ...RULE,
        description: "How issues at a place count: /items/*/id, or /meta/** for all inside",
      },
    },
    additionalProperties: false,
  },
  merge: "add",
  shown: record(oneOf(TREATMENTS)) as Schema<Rules>,
} as const;

/** `rules` of arguments and results: how issues count, by class or place. */
export const rules = {
  keys: { input_validation: { rules: RULES }, output_validation: { rules: RULES } },
} as const satisfies SectionSetting;
