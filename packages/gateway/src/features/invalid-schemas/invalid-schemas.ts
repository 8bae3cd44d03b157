import type { SectionSetting } from "../section-setting.ts";

const SCHEMA = {
  enum: ["allow", "block_external", "block"],
  description:
    "Strict only: calls of tools whose schema cannot be used; block_external blocks if the schema refers to another document",
} as const;

/** `on_invalid_schema`: what happens to calls of tools whose schema cannot be used. */
export const invalidSchemas = {
  keys: {
    input_validation: {
      on_invalid_schema: { schema: { ...SCHEMA, default: "block" }, option: true },
    },
    output_validation: {
      on_invalid_schema: { schema: { ...SCHEMA, default: "block_external" }, option: true },
    },
  },
} as const satisfies SectionSetting;
