import { expect, it } from "vitest";
import { all, call, Harness } from "./testing/harness.ts";

const TOOL = {
  name: "add",
  inputSchema: { type: "object", properties: { a: { type: "array", items: { type: "string" } } } },
};

it.each([1, 4, 90, 900, 9_000])(
  "a record of a call with %i issues gives the same count in its reason",
  async (count) => {
    const h = new Harness({ settings: all("strict") });
    await h.list([TOOL]);
    await h.client(call(1, "add", JSON.stringify({ a: Array(count).fill(1) })));
    const [record] = h.records("policy_decision");
    if (record === undefined) throw new Error("nothing was recorded");
    const { issues, reason, truncated = 0 } = record;
    expect(issues.length + truncated).toBe(count);
    const more = /; and (\d+) more$/.exec(reason ?? "")?.[1];
    expect(more === undefined ? undefined : Number(more) + 3).toBe(count > 3 ? count : undefined);
    expect(reason).not.toContain("not kept");
  },
);
