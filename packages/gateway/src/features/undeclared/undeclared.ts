import type { SectionSetting } from "../section-setting.ts";

/** `input_validation.undeclared`: how arguments count that no part of a tool's schema names. */
export const undeclared = {
  keys: {
    input_validation: {
      undeclared: {
        schema: {
          enum: ["allow", "warning", "violation"],
          default: "warning",
          description:
            "How undeclared arguments count: those that no part of the tool's schema names",
        },
        mayBlockMore: (value: unknown): boolean => value === "violation",
      },
      undeclared_at: {
        schema: {
          enum: ["root", "deep"],
          default: "root",
          description: "root: undeclared arguments at the top; deep: also in nested objects",
        },
      },
    },
  },
  options({
    undeclared: treat,
    undeclaredAt,
  }: {
    readonly undeclared?: "allow" | "warning" | "violation";
    readonly undeclaredAt?: "root" | "deep";
  }) {
    // Results do not have this setting.
    return treat === undefined || treat === "allow"
      ? {}
      : { undeclared: { treat, deep: undeclaredAt === "deep" } };
  },
} as const satisfies SectionSetting;
