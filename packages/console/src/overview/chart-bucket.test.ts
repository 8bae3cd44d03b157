import type { OverviewBucket } from "@touchstone/gateway/api";
import { expect, it } from "vitest";
import { chartBucket } from "./overview.ts";

const NONE = { blocked: 0, would_block: 0, repaired: 0, errors: 0 } as const;
const UNREFUSED = { denied: 0, held: 0, out_of_bounds: 0, limited: 0 } as const;
const bucket = (counts: Partial<OverviewBucket>): OverviewBucket => ({
  ...{ time: "2026-11-22T10:00:00.000Z", calls: 0, p50_ms: null, p95_ms: null },
  ...NONE,
  ...UNREFUSED,
  ...counts,
});

it.each([
  ["no calls", {}, { success: 0 }],
  ["calls without issues", { calls: 3 }, { success: 3 }],
  [
    "one call of each kind",
    {
      calls: 9,
      blocked: 1,
      would_block: 1,
      repaired: 1,
      errors: 1,
      denied: 1,
      held: 1,
      limited: 1,
    },
    { success: 2, blocked: 1, warning: 1, repaired: 1, error: 1, refused: 3 },
  ],
  [
    "a repaired call that failed, which is counted as both",
    { calls: 1, repaired: 1, errors: 1 },
    { success: 0, repaired: 1, error: 1 },
  ],
])("draws %s", (_, counts, drawn) => {
  const time = Date.UTC(2026, 10, 22, 10);
  const nothing = { warning: 0, repaired: 0, blocked: 0, error: 0, refused: 0 };
  const expected = { time, ...nothing, ...drawn, p50_ms: null, p95_ms: null };
  expect(chartBucket(bucket(counts))).toEqual(expected);
});
