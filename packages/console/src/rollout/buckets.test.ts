import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bucketLabel, bucketsOf, PERIODS, periodOf } from "./buckets.ts";

const now = new Date(2026, 10, 22, 15, 30);

describe("buckets", () => {
  it.each([
    ["24h", 12, "16:00", "14:00"],
    ["7d", 7, "11-16", "11-22"],
    ["14d", 14, "11-09", "11-22"],
    ["30d", 10, "10-26", "11-22"],
  ] as const)("for %s are %i, from %s to %s", (period, count, first, last) => {
    const buckets = bucketsOf(period, now);
    expect(buckets).toHaveLength(count);
    const labels = buckets.map((bucket) => bucketLabel(bucket, period));
    expect([labels[0], labels.at(-1)]).toEqual([first, last]);
    expect(buckets.at(-1)?.until).toEqual(now);
  });

  it("have no gaps and do not overlap, at any time of day", () => {
    const noInvalidDate = true;
    const [min, max] = [new Date(2000, 0), new Date(2100, 0)];
    const moment = fc.date({ noInvalidDate, min, max });
    fc.assert(
      fc.property(moment, fc.constantFrom(...PERIODS), (at, period) => {
        const buckets = bucketsOf(period, at);
        for (const [index, { since, until }] of buckets.entries()) {
          expect(since.getTime()).toBeLessThanOrEqual(until.getTime());
          if (index > 0) expect(since).toEqual(buckets[index - 1]?.until);
        }
      }),
    );
  });

  it("cover a week by default", () => {
    expect([periodOf(null), periodOf("1y"), periodOf("24h")]).toEqual(["7d", "7d", "24h"]);
  });
});
