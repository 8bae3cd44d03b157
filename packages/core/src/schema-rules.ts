import type { Check, Rule } from "./result.ts";
import { type Rules, ruleSetOf, TREATMENTS, type Treatment } from "./treatment.ts";

/**
 * The classes of issues that a value can have under a schema, and that {@link Rules} may treat apart. A key that occurs
 * twice is a fault of the message, and a schema that cannot be used has a setting of its own.
 */
export type SchemaRule = Exclude<Rule, "number" | "duplicate" | "schema" | "protocol" | "policy">;

/** Every {@link SchemaRule}. */
export const SCHEMA_RULES: readonly SchemaRule[] = [
  "type",
  "required",
  "extra",
  "value",
  "format",
  "guard",
  "budget",
];

/** Returns whether a text is the name of a {@link SchemaRule}. */
export function isSchemaRule(name: string | null | undefined): name is SchemaRule {
  return SCHEMA_RULES.some((rule) => rule === name);
}

/**
 * Returns the heaviest treatment of the issues of a check; `violation` if none is known. Uses the counts over all
 * issues, which were made while they were found. An issue that the schema did not raise has no place in the value, so
 * its class decides.
 */
export function heaviestTreatment(
  { counts, treated }: Pick<Check, "counts" | "treated">,
  rules: Rules,
): Treatment {
  if (treated !== undefined) return TREATMENTS.find((each) => treated[each] > 0) ?? "violation";
  const set = ruleSetOf(rules);
  const classes = Object.entries(counts).flatMap(([rule, count]) => (count ? [rule] : []));
  const found = classes.map((rule) => set.ofClass(rule));
  return TREATMENTS.find((each) => found.includes(each)) ?? "violation";
}

/** Returns a check without the issues that are ignored, so that no advice to fix them is given. */
export function withoutIgnored(check: Check): Check {
  const { treated } = check;
  if (treated === undefined || treated.ignore === 0) return check;
  const { truncated: _, ...rest } = check;
  const errors = check.errors.slice(0, treated.heeded);
  return { ...rest, errors, ...(treated.more > 0 ? { truncated: treated.more } : {}) };
}
