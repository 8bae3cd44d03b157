import { describe, expect, it } from "vitest";
import { sample } from "../../../../core/src/testing/sample.ts";
import { randomFrom } from "../../inclusion/sample.ts";
import { compareSchemas } from "./compare-schemas.ts";
import { type Edited, Random, someEdit } from "./testing/edits.ts";

/** How many edits are made. Each has a fixed seed. */
const EDITS = sample(60, 600, 10_000);

/** How many comparisons had each outcome. */
const counts = {
  comparisons: 0,
  allClear: 0,
  breaking: 0,
  unproven: 0,
  wrongAllClear: 0,
  wrongBreaking: 0,
};
const unproven = new Map<string, number>();

/** Compares the two schemas as arguments and as results, in both directions, and counts the outcomes. */
function compared(seed: number, edited: Edited): readonly string[] {
  const { name, effect } = edited;
  const [before, after] = [JSON.stringify(edited.before), JSON.stringify(edited.after)];
  const faults: string[] = [];
  const ways = [
    ["input", before, after, effect === "narrower"],
    ["output", before, after, false],
    ["input", after, before, false],
    ["output", after, before, effect === "narrower"],
  ] as const;
  for (const [direction, old, now, breaks] of ways) {
    const { kind } = compareSchemas(old, now, direction);
    counts.comparisons += 1;
    const isAllClear = kind === "same" || kind === "proved";
    if (isAllClear) counts.allClear += 1;
    else if (kind === "breaking") counts.breaking += 1;
    else {
      counts.unproven += 1;
      unproven.set(name, (unproven.get(name) ?? 0) + 1);
    }
    if (isAllClear && breaks) counts.wrongAllClear += 1;
    if (kind === "breaking" && !breaks) counts.wrongBreaking += 1;
    if ((isAllClear && breaks) || ((kind === "breaking" || kind === "unusable") && !breaks)) {
      faults.push(`${seed} ${name}: ${direction} ${kind} ${old} => ${now}`);
    }
  }
  return faults;
}

describe("edits whose effect is known", () => {
  it(
    "are never called compatible if they break, nor breaking if they do not",
    () => {
      const faults: string[] = [];
      for (let seed = 1, made = 0; made < EDITS; seed += 1) {
        const edited = someEdit(new Random(randomFrom(seed)));
        if (edited === undefined) continue;
        made += 1;
        faults.push(...compared(seed, edited));
      }
      if (process.env["TOUCHSTONE_SAMPLE"] === "all") {
        process.stderr.write(
          `${JSON.stringify({ ...counts, by: Object.fromEntries(unproven) })}\n`,
        );
      }
      expect(faults.slice(0, 20)).toEqual([]);
      expect(counts.breaking).toBeGreaterThan(EDITS / 3);
      expect(counts.unproven).toBeLessThan(counts.comparisons / 20);
    },
    sample(60_000, 600_000, 7_200_000),
  );
});
