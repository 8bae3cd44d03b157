import type { SectionSetting } from "../section-setting.ts";

/** `activity.drift`: whether results are compared with what their output schemas declare. */
export const drift = {
  keys: {
    activity: {
      drift: {
        schema: {
          type: "boolean",
          default: false,
          description: "Keep names and types of structured results, never values",
        },
        control: {
          label: "Watch results for drift",
          help: "Learns how results differ from the declared output schema, and proposes a schema that fits.",
        },
      },
    },
  },
} as const satisfies SectionSetting;
