import { createHash } from "node:crypto";
import { canonicalText, type RepairKind, repairsNamed } from "@touchstone/core";
import { listsNulls } from "../features/adapt/adapt.ts";
import { addedOptions } from "../features/section-settings.ts";
import { DEFAULT_SETTINGS, type SchemaCheckSettings, type ValidationSettings } from "./settings.ts";

/** How the settings differ from the defaults: a check looked for less, for more, or for both less and more. */
type Difference = "less" | "more" | "mixed";

/** What the check of a direction looked for, as its record has it. */
export interface LookedFor {
  /** `less:`, `more:` or `mixed:` and a digest of the settings; undefined for the defaults. */
  readonly token?: string | undefined;
  /** The kinds of repairs that were made before it found nothing. */
  readonly repairs?: readonly string[] | undefined;
}

const TOKEN = /^(?:less|more|mixed):[0-9a-f]{10}$/;
const REPAIRED = "repaired:";

/** Returns how much a check looks for undeclared arguments, and in how many places: a warning is in no record that counts. */
function sought({ undeclared }: ReturnType<typeof addedOptions>): readonly [number, number] {
  if (undeclared === undefined) return [0, 0];
  return [undeclared.treat === "violation" ? 2 : 1, undeclared.deep === true ? 1 : 0];
}

/**
 * Returns the token of the settings that decide what a check finds: what a record adds to its outcome. How an issue counts
 * and what is done about it are decided again later. Undefined for the defaults.
 */
export function tokenOf(
  settings: SchemaCheckSettings,
  direction: "input" | "output",
): string | undefined {
  const { rules, maxBytes, maxDepth } = settings;
  const { undeclared } = addedOptions(settings);
  const byDefault = DEFAULT_SETTINGS[direction];
  const usual = sought(addedOptions(byDefault));
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
    // A rule that counts an issue in another way does not hide it, unless it is an exception to one that does.
    rules: ignores ? rules : {},
    undeclared,
    maxBytes,
    maxDepth,
  };
  const text = canonicalText(JSON.stringify(decisive)) ?? "";
  return `${difference}:${createHash("sha256").update(text).digest("hex").slice(0, 10)}`;
}

/** Returns what a record adds to the outcome of a check after these repairs. */
export function repairedText(kinds: Iterable<string>): string {
  const all = [...new Set(kinds)].sort();
  return all.length === 0 ? "" : ` ${REPAIRED}${all.join("+")}`;
}

/** Reads what {@link tokenOf} and {@link repairedText} wrote among the words about a check. */
export function lookedForIn(words: readonly string[]): LookedFor {
  const repaired = words.find((word) => word.startsWith(REPAIRED));
  return {
    token: words.find((word) => TOKEN.test(word)),
    repairs: repaired?.slice(REPAIRED.length).split("+"),
  };
}

/** What settings look for now, by direction, and how they repair. */
export interface LooksFor {
  readonly input: string | undefined;
  readonly output: string | undefined;
  /** Undefined: unknown, so repairs are not compared. */
  readonly repairs?: readonly (RepairKind | string)[] | undefined;
}

/** Returns what settings look for. */
export function looksFor({ input, output, adapt }: ValidationSettings): LooksFor {
  const repairs = new Set<string>(repairsNamed(input.repair));
  if (listsNulls(adapt)) repairs.add("drop-nulls");
  return {
    input: tokenOf(input, "input"),
    output: tokenOf(output, "output"),
    repairs: [...repairs],
  };
}

/**
 * Returns whether a check that found nothing also shows that the settings of now find nothing: they are the same, or the
 * check looked for at least as much, and the same repairs are made.
 */
export function showsFor(then: LookedFor, now: LooksFor, direction: "input" | "output"): boolean {
  const { repairs } = now;
  if (repairs !== undefined && then.repairs?.some((kind) => !repairs.includes(kind)) === true) {
    return false;
  }
  const token = now[direction];
  if (then.token === token) return true;
  const hadAll = then.token === undefined || then.token.startsWith("more:");
  return hadAll && (token === undefined || token.startsWith("less:"));
}
