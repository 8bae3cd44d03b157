import type { SectionSetting } from "../section-setting.ts";

const KEY = {
  schema: {
    enum: ["allow", "block"],
    default: "block",
    description:
      "Strict only: calls of tools whose schema is unknown, because the server does not list them",
  },
  option: true,
} as const;

/** `on_unknown_schema`: what happens to calls of tools whose schema is unknown. */
export const unknownSchemas = {
  keys: {
    input_validation: { on_unknown_schema: KEY },
    output_validation: { on_unknown_schema: KEY },
  },
} as const satisfies SectionSetting;
