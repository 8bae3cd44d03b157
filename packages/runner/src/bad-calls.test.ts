import { describe, expect, it, vi } from "vitest";
// The calls that users report, with what a text about each call must contain.
import { BAD_CALLS } from "../../core/src/report/render/testing/bad-calls.ts";
import { DOORS } from "./testing/adapters.ts";

describe.each(Object.entries(DOORS))("%s", (_name, door) => {
  it.each(BAD_CALLS)("$name", async ({ schema, args, facts, never = [], max }) => {
    const handler = vi.fn(() => "ran");
    const text = await door({ schema, args }, handler);
    expect(handler).not.toHaveBeenCalled();
    for (const fact of facts) expect(text).toMatch(fact);
    for (const word of never) expect(text).not.toMatch(word);
    expect(text.length).toBeLessThanOrEqual(max);
  });

  it("runs the handler on a valid call", async () => {
    const handler = vi.fn(() => "ran");
    const schema = { type: "object", properties: { a: { type: "integer" } }, required: ["a"] };
    expect(await door({ schema, args: { a: 1 } }, handler)).toContain("ran");
    expect(handler).toHaveBeenCalledTimes(1);
  });
});
