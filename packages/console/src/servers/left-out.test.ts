import { describe, expect, it } from "vitest";
import { readLeftOut } from "./left-out.ts";

describe("readLeftOut", () => {
  it.each<[string, unknown, number]>([
    ["entries", { configuration: { leftOut: [{ server: "a", reason: "b" }, { server: 1 }] } }, 1],
    ["nothing of a gateway that does not tell", { configuration: {} }, 0],
    ["nothing of another answer", [null], 0],
  ])("reads %s", (_, settings, length) => {
    expect(readLeftOut(settings)).toHaveLength(length);
  });
});
