import { list, text } from "@touchstone/util/schema";
import type { RecordedCallEvidence, SectionSetting } from "../section-setting.ts";

/** `input_validation.repair`: which repairs of arguments that fail their check are allowed. */
export const repair = {
  keys: {
    input_validation: {
      repair: {
        schema: {
          type: "array",
          items: {
            enum: [
              "parse-json-strings",
              "coerce-scalars",
              "drop-nulls",
              "fill-defaults",
              "rename-properties",
              "match-enum-case",
              "safe",
              "all",
            ],
          },
          default: [],
          description:
            "Repairs of arguments that fail their check; safe means the first three, all means all six",
        },
        // A destructive tool only gets the repairs by guess that are set for it.
        notesTool: true,
        shown: list(text("A kind of repair, or a name for several.")),
        mayBlockMore: (kinds: unknown, { hasRepairs }: RecordedCallEvidence): boolean =>
          hasRepairs && (kinds as readonly unknown[]).length === 0,
      },
    },
  },
} as const satisfies SectionSetting;
