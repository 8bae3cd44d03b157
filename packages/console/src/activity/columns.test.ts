import { expect, it } from "vitest";
import { agoText, shortTime } from "./columns.tsx";

const NOW = Date.parse("2026-11-27T12:00:00.000Z");

it.each([
  [0, "now"],
  [-5_000, "now"],
  [4_999, "now"],
  [59_999, "59s ago"],
  [60_000, "1m ago"],
  [3_599_000, "59m ago"],
  [3_600_000, "1h ago"],
  [86_399_000, "23h ago"],
  [86_400_000 * 400, "400d ago"],
])("shows the time %i ms ago as %s", (before, text) => {
  expect(agoText(new Date(NOW - before).toISOString(), NOW)).toBe(text);
});

it("shows only the date for other days", () => {
  const local = new Date(2026, 10, 27, 9, 8, 7, 6);
  const noon = new Date(2026, 10, 27, 12).getTime();
  expect(shortTime(local.toISOString(), noon)).toBe("09:08:07.006");
  expect(shortTime(local.toISOString(), noon + 86_400_000)).toBe("2026-11-27 09:08:07");
  expect([agoText("then", NOW), shortTime("then", NOW)]).toEqual(["", "then"]);
});
