import { describe, expect, it } from "vitest";
import { localTime } from "./local-time.ts";

describe("a time", () => {
  it("is shown in the local time zone, to the second", () => {
    const moment = new Date(2026, 0, 2, 3, 4, 5, 678);
    expect(localTime(moment.toISOString())).toBe("2026-01-02 03:04:05");
  });

  it("is shown unchanged if it is invalid", () => {
    expect(localTime("soon")).toBe("soon");
  });
});
