import { createHash } from "node:crypto";
import { canonicalText, repairsNamed } from "@touchstone/core/advanced";
import type { CurrentCheckScope } from "@touchstone/records/plain";
import { requiresNullable } from "../features/adapt/adapt.ts";
import { featureCheckOptions } from "../features/section-settings.ts";
import {
  DEFAULT_SETTINGS,
  type SchemaCheckSettings,
  type ValidationSettings,
} from "../settings/validation.ts";

/** How the settings differ from the defaults: a check looked for less, for more, or for both less and more. */
type Difference = "less" | "more" | "mixed";

/**
 * Returns how strictly a check handles undeclared arguments, and at how many levels: warnings count less, because no
 * record shows them.
 */
function sought({ undeclared }: ReturnType<typeof featureCheckOptions>): readonly [number, number] {
  if (undeclared === undefined) return [0, 0];
  return [undeclared.treat === "violation" ? 2 : 1, undeclared.deep === true ? 1 : 0];
}

/**
 * Returns the token of the settings that decide what a check finds: records add it to the outcome. How an issue
 * counts, and what is done about it, is decided again later. Undefined for the defaults.
 */
export function checkScopeToken(
  settings: SchemaCheckSettings,
  direction: "input" | "output",
): string | undefined {
  const { rules, maxBytes, maxDepth } = settings;
  const { undeclared } = featureCheckOptions(settings);
  const byDefault = DEFAULT_SETTINGS[direction];
  const usual = sought(featureCheckOptions(byDefault));
  const ignores = Object.values(rules).includes("ignore");
  const more = [
    ...[byDefault.maxBytes - maxBytes, byDefault.maxDepth - maxDepth],
    ...sought({ undeclared }).map((own, at) => own - (usual[at] ?? 0)),
  ];
  const isLess = ignores || more.some((one) => one < 0);
  const isMore = more.some((one) => one > 0);
  if (!isLess && !isMore) return undefined;
  const difference: Difference = isLess && isMore ? "mixed" : isLess ? "less" : "more";
  const decisive = {
    // A rule that only changes how an issue counts does not hide the issue, unless it is an exception to a rule that
    // hides it.
    rules: ignores ? rules : {},
    undeclared,
    maxBytes,
    maxDepth,
  };
  const text = canonicalText(JSON.stringify(decisive)) ?? "";
  return `${difference}:${createHash("sha256").update(text).digest("hex").slice(0, 10)}`;
}

/** Returns the token for the settings of all checks. */
export function checkScopeOf({ input, output, adapt }: ValidationSettings): CurrentCheckScope {
  const repairs = new Set<string>(repairsNamed(input.repair));
  if (requiresNullable(adapt)) repairs.add("drop-nulls");
  return {
    input: checkScopeToken(input, "input"),
    output: checkScopeToken(output, "output"),
    repairs: [...repairs],
  };
}
