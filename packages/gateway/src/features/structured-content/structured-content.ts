import type { SectionSetting } from "../section-setting.ts";

/** `output_validation.missing_structured_content`: results without the content that their schema declares. */
export const structuredContent = {
  keys: {
    output_validation: {
      missing_structured_content: {
        schema: {
          enum: ["allow", "block"],
          default: "allow",
          description:
            "Strict only: results that lack the structured content that their schema declares",
        },
        option: true,
        control: {
          label: "Block results without structured content",
          help: "In strict, if the tool declares an output schema. In warn, they are forwarded.",
          words: ["allow", "block"],
        },
      },
    },
  },
} as const satisfies SectionSetting;
