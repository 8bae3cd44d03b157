import type { SectionSetting } from "../section-setting.ts";

/** `input_validation.show_schema`: whether the text about blocked arguments has the tool's schema. */
export const showSchema = {
  keys: {
    input_validation: {
      show_schema: {
        schema: {
          enum: ["never", "small"],
          default: "never",
          description: "small: the text of a blocked call ends with the tool's schema, up to 2 KB",
        },
      },
    },
  },
} as const satisfies SectionSetting;
