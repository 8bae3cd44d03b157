import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dayText, hourText } from "../text/moment.ts";
import { between } from "../time/range.ts";
import { bucketsOf, type TimeBucket } from "./buckets.ts";

const now = new Date(2026, 10, 22, 15, 30);

/** Formats the start of a step: as a day, or with the time for a shorter step. */
function labelOf({ since }: TimeBucket): string {
  const time = since.getTime();
  return since.getHours() === 0 ? dayText(time, now.getTime()) : hourText(time);
}

describe("the steps of a range", () => {
  it.each([
    ["5m", 5, "15:26", "15:30"],
    ["15m", 8, "15:16", "15:30"],
    ["1h", 12, "14:35", "15:30"],
    ["6h", 6, "10:00", "15:00"],
    ["24h", 12, "16:00", "14:00"],
    ["7d", 7, "Nov 16", "Nov 22"],
    ["14d", 14, "Nov 9", "Nov 22"],
    ["30d", 10, "Oct 26", "Nov 22"],
    ["90d", 13, "Aug 30", "Nov 22"],
    ["400d", 14, "Oct 28, 2025", "Nov 22"],
  ])("of %s are %i, from %s to %s", (since, count, first, last) => {
    const buckets = bucketsOf({ since, until: "" }, now);
    const labels = buckets.map(labelOf);
    expect([buckets.length, labels[0], labels.at(-1)]).toEqual([count, first, last]);
    expect(buckets.at(-1)?.until).toEqual(now);
  });

  it("between two moments begin and end with them", () => {
    const [since, until] = [new Date(2026, 10, 22, 8, 10), new Date(2026, 10, 22, 11, 45)];
    const buckets = bucketsOf(between(since.getTime(), until.getTime()), now);
    expect(buckets.map(labelOf)).toEqual(["08:10", "09:00", "10:00", "11:00"]);
    expect([buckets[0]?.since, buckets.at(-1)?.until]).toEqual([since, until]);
  });

  it("have no gaps and do not overlap, at any time of day", () => {
    const [min, max] = [new Date(2000, 0), new Date(2100, 0)];
    const moment = fc.date({ noInvalidDate: true, min, max });
    const length = fc
      .integer({ min: 1, max: 3_000 })
      .map((count) => ({ since: `${count}h`, until: "" }));
    const exact = fc
      .tuple(moment, fc.integer({ min: 1, max: 10 ** 10 }))
      .map(([from, ms]) => between(from.getTime(), from.getTime() + ms));
    fc.assert(
      fc.property(moment, fc.oneof(length, exact), (at, range) => {
        const buckets = bucketsOf(range, at);
        expect(buckets.length).toBeGreaterThan(0);
        expect(buckets.length).toBeLessThanOrEqual(15);
        for (const [index, { since, until }] of buckets.entries()) {
          expect(since.getTime()).toBeLessThanOrEqual(until.getTime());
          if (index > 0) expect(since).toEqual(buckets[index - 1]?.until);
        }
      }),
    );
  });

  it.each(["", "yesterday"])("are those of a week if %j says no time", (since) => {
    expect(bucketsOf({ since, until: "" }, now)).toHaveLength(7);
  });
});
