import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isoTime } from "./build.ts";
import { parseTime } from "./time.ts";

const NOW = new Date("2026-08-31T12:00:00.000Z");

describe("parseTime", () => {
  it.each([
    ["2026-08-31T09:00:00Z", "2026-08-31T09:00:00.000Z"],
    ["2026-08-31t09:00:00z", "2026-08-31T09:00:00.000Z"],
    ["2026-08-31T09:00:00.1239Z", "2026-08-31T09:00:00.123Z"],
    ["2026-08-31T09:00:00.5+02:00", "2026-08-31T07:00:00.500Z"],
    ["1996-12-19T16:39:57-08:00", "1996-12-20T00:39:57.000Z"],
    ["1990-12-31T23:59:60Z", "1991-01-01T00:00:00.000Z"],
    ["2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"],
    ["0050-01-01T00:00:00Z", "0050-01-01T00:00:00.000Z"],
    ["30s", "2026-08-31T11:59:30.000Z"],
    ["15m", "2026-08-31T11:45:00.000Z"],
    ["24h", "2026-08-30T12:00:00.000Z"],
    ["7d", "2026-08-24T12:00:00.000Z"],
    ["1w", "2026-08-24T12:00:00.000Z"],
  ])("reads %s as %s", (text, expected) => {
    expect(parseTime(text, NOW)?.toISOString()).toBe(expected);
  });

  it.each([
    "",
    "now",
    "24",
    "-1h",
    "1.5h",
    "24H",
    "1M",
    "2026-08-31",
    "2026-08-31T09:00:00",
    "2026-08-31 09:00:00Z",
    "2026-02-29T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-00-10T00:00:00Z",
    "2026-08-31T24:00:00Z",
    "2026-08-31T09:60:00Z",
    "2026-08-31T09:00:61Z",
    "2026-08-31T09:00:00+24:00",
    "2026-08-31T09:00:00+01:60",
    "0000-01-01T00:00:00+00:01",
    "9999-12-31T23:59:59-00:01",
    "999999999w",
    "٢٤h",
  ])("refuses %j", (text) => {
    expect(parseTime(text, NOW)).toBeUndefined();
  });

  it("parses every time that it formats", () => {
    const years = {
      min: new Date("0000-01-01T00:00:00Z"),
      max: new Date("9999-12-31T23:59:59.999Z"),
    };
    fc.assert(
      fc.property(fc.date({ ...years, noInvalidDate: true }), (moment) => {
        expect(parseTime(moment.toISOString(), NOW)).toEqual(moment);
      }),
    );
  });

  it("never throws", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect([undefined, "object"]).toContain(parseTime(text, NOW) && "object");
      }),
    );
  });
});

describe("isoTime", () => {
  it("matches toISOString for times in any order", () => {
    const near = fc.nat(3_000).map((after) => new Date(NOW.getTime() + after));
    const any = fc.date({ noInvalidDate: true });
    fc.assert(
      fc.property(fc.array(fc.oneof(near, any)), (moments) => {
        for (const moment of moments) expect(isoTime(moment)).toBe(moment.toISOString());
      }),
    );
  });

  it("throws for an invalid date, as toISOString does", () => {
    expect(() => isoTime(new Date(Number.NaN))).toThrow(RangeError);
    expect(isoTime(NOW)).toBe("2026-08-31T12:00:00.000Z");
  });
});
