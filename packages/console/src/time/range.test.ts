import { describe, expect, it } from "vitest";
import {
  AUTOMATIC,
  between,
  boundsOf,
  fittingLength,
  lengthFor,
  lengthOf,
  rangeText,
  readTime,
  withTime,
  zoomedOut,
} from "./range.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** In the local time zone, as the page shows it. */
const now = new Date(2026, 10, 28, 9, 30).getTime();
const ago = (ms: number): number => now - ms;
const at = (hours: number, minutes: number): number =>
  new Date(2026, 10, 28, hours, minutes).getTime();

describe("the length that charts cover", () => {
  it.each([
    ["calls of this minute", ago(1_000), undefined, "5m"],
    ["3 minutes of calls", ago(3 * MINUTE), undefined, "5m"],
    ["exactly 5 minutes", ago(5 * MINUTE), undefined, "5m"],
    ["a moment more", ago(5 * MINUTE + 1), undefined, "15m"],
    ["16 minutes", ago(16 * MINUTE), undefined, "1h"],
    ["61 minutes", ago(61 * MINUTE), undefined, "6h"],
    ["7 hours", ago(7 * HOUR), undefined, "24h"],
    ["a whole day", ago(DAY), undefined, "24h"],
    ["calls of the future, by another clock", now + HOUR, undefined, "5m"],
    ["no call of today, one of yesterday", undefined, ago(25 * HOUR), "7d"],
    ["one 8 days ago", undefined, ago(8 * DAY), "30d"],
    ["one 31 days ago", undefined, ago(31 * DAY), "90d"],
    ["one 400 days ago", undefined, ago(400 * DAY), "400d"],
    ["no calls", undefined, undefined, "24h"],
  ])("for %s", (_, oldest, latest, length) => {
    expect(fittingLength(now, oldest, latest)).toBe(length);
  });
});

describe("lengths", () => {
  it.each([
    ["15m", 15 * MINUTE],
    ["90s", 90_000],
    ["2w", 14 * DAY],
    ["0m", undefined],
    ["m", undefined],
    ["15", undefined],
    ["15M", undefined],
    ["9999999d", undefined],
    ["", undefined],
  ])("%s", (text, ms) => expect(lengthOf(text)).toBe(ms));

  it("are rounded up to one that can be chosen, and to days beyond", () => {
    expect([0, HOUR, HOUR + 1, 90 * DAY, 90 * DAY + 1].map(lengthFor)).toEqual([
      ...["5m", "1h", "6h", "90d", "91d"],
    ]);
  });
});

describe("the range of an address", () => {
  it.each([
    ["", AUTOMATIC],
    ["status=error", AUTOMATIC],
    ["since=15m&status=error", { since: "15m", until: "" }],
    ["period=24h", { since: "24h", until: "" }],
    ["since=2026-01-01T00:00:00Z&until=1h", { since: "2026-01-01T00:00:00Z", until: "1h" }],
  ])("%s", (query, range) => expect(readTime(query)).toEqual(range));

  it("is replaced, and leaves the other parameters", () => {
    const range = { since: "1h", until: "" };
    expect(withTime("period=7d&by=tool&until=x", range)).toBe("by=tool&since=1h");
    expect(withTime("since=1h&by=tool", AUTOMATIC)).toBe("by=tool");
    expect(readTime(withTime("", between(0, 1)))).toEqual(between(0, 1));
  });
});

describe("the bounds of a range", () => {
  it.each([
    [
      { since: "1h", until: "" },
      { since: ago(HOUR), until: now },
    ],
    [between(at(8, 0), at(9, 0)), { since: at(8, 0), until: at(9, 0) }],
    [AUTOMATIC, undefined],
    [{ since: "yesterday", until: "" }, undefined],
    [{ since: "1h", until: "soon" }, undefined],
  ])("%j", (range, bounds) => expect(boundsOf(range, now)).toEqual(bounds));
});

describe("zooming out", () => {
  it.each([
    [
      { since: "5m", until: "" },
      { since: "15m", until: "" },
    ],
    [
      { since: "24h", until: "" },
      { since: "7d", until: "" },
    ],
    [
      { since: "90d", until: "" },
      { since: "180d", until: "" },
    ],
    [between(at(6, 0), at(7, 0)), between(at(5, 30), at(7, 30))],
    // The zoomed range would end in the future, so it ends now.
    [between(at(9, 0), at(9, 20)), { since: "1h", until: "" }],
    [AUTOMATIC, AUTOMATIC],
  ])("%j", (range, wider) => expect(zoomedOut(range, now)).toEqual(wider));
});

describe("a range for people", () => {
  it.each([
    [AUTOMATIC, "Automatic"],
    [{ since: "1h", until: "" }, "Last hour"],
    [{ since: "15m", until: "" }, "Last 15 minutes"],
    [{ since: "7d", until: "" }, "Last 7 days"],
    [between(at(8, 0), at(9, 30)), "Nov 28, 08:00 to 09:30"],
    [between(ago(DAY), now), "Nov 27, 09:30 to Nov 28, 09:30"],
    [between(new Date(2025, 10, 28).getTime(), now), "Nov 28, 2025, 00:00 to Nov 28, 09:30"],
    [between(at(8, 0), at(8, 0) + 5_000), "Nov 28, 08:00 to 08:00:05"],
    [{ since: new Date(at(8, 0)).toISOString(), until: "" }, "Since Nov 28, 08:00"],
    [{ since: "", until: new Date(at(8, 0)).toISOString() }, "Until Nov 28, 08:00"],
    [{ since: "<img src=x>", until: "" }, "Automatic"],
  ])("%j", (range, text) => expect(rangeText(range, now)).toBe(text));
});
