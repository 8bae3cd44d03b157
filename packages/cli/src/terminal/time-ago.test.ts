import { expect, it } from "vitest";
import { timeAgo } from "./time-ago.ts";

const NOW = new Date(2026, 7, 31, 12, 0, 0);
const SECOND = 1_000;
const HOUR = 3_600_000;

it.each([
  [0, "0s ago"],
  [59_999, "59s ago"],
  [60 * SECOND, "1m ago"],
  [HOUR - 1, "59m ago"],
  [HOUR, "1h ago"],
  [24 * HOUR - 1, "23h ago"],
  [24 * HOUR, "1d ago"],
  [7 * 24 * HOUR - 1, "6d ago"],
  [7 * 24 * HOUR, "2026-08-24"],
  [-SECOND, "2026-08-31 12:00:01"],
])("a time %d ms before now is %s", (passed, text) => {
  expect(timeAgo(new Date(NOW.getTime() - passed), NOW)).toBe(text);
});
