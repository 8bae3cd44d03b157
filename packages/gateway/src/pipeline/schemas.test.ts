import { describe, expect, it } from "vitest";
import { ADD, all, call, Harness, structured } from "./testing/harness.ts";

describe("a schema that is unusable", () => {
  const BROKEN = {
    name: "add",
    inputSchema: { type: "object", properties: { a: { type: "nonsense" } } },
    outputSchema: { type: "object", $ref: "#/no" },
  };
  it.each([
    ["warn", "block", false],
    ["strict", "allow", false],
    ["strict", "block", true],
  ] as const)(
    "in %s with %s is logged once, and blocks: %s",
    async (mode, onInvalidSchema, blocked) => {
      const h = new Harness({ settings: all(mode, { onInvalidSchema }) });
      await h.list([BROKEN]);
      for (const id of [1, 2]) {
        const frame = h.read(call(id, "add", "{}"));
        const { onward, back } = await h.client(frame);
        expect(onward === frame.bytes).toBe(!blocked);
        if (blocked)
          expect(Buffer.from(back?.[0] ?? []).toString()).toContain("a fault of the server");
        else await h.server(structured(id, "{}"));
      }
      expect(h.records("policy_decision")).toHaveLength(blocked ? 2 : 0);
      expect(h.records("tool_call").map(({ outcome }) => outcome)).toEqual([
        "uncompilable",
        "uncompilable",
      ]);
      const so = blocked ? "its calls are blocked" : "nothing is checked";
      const told = h.lines.filter((line) => line.includes(`cannot be used, so ${so}`));
      expect(told).toHaveLength(blocked ? 1 : 2);
    },
  );

  it("leaves limits in effect", async () => {
    const h = new Harness({ settings: all("strict", { maxDepth: 3, maxBytes: 50 }) });
    await h.list([BROKEN]);
    expect((await h.client(call(1, "add", '{"a":[[1]]}'))).onward).toBeUndefined();
    expect((await h.client(call(2, "add", `{"a":"${"x".repeat(50)}"}`))).onward).toBeUndefined();
    expect(h.records("policy_decision").map(({ guard }) => guard?.guard)).toEqual([
      "maxDepth",
      "maxBytes",
    ]);
  });
});

describe("rules for classes", () => {
  it.each([
    ["warning", '{"a":1,"c":2}', "warning", true],
    ["ignore", '{"a":1,"c":2}', undefined, true],
    ["warning", '{"a":"1","c":2}', "blocked", false],
    ["violation", '{"a":1,"c":2}', "blocked", false],
  ] as const)("treat extra as %s: %s", async (treatment, args, decision, passes) => {
    const h = new Harness({ settings: all("strict", { rules: { extra: treatment } }) });
    await h.list([ADD]);
    const frame = h.read(call(1, "add", args));
    expect((await h.client(frame)).onward === frame.bytes).toBe(passes);
    expect(h.records("policy_decision").map((record) => record.decision)).toEqual(
      decision ? [decision] : [],
    );
  });

  it("classify a composite by the class that the closest branch's issues share", async () => {
    const inputSchema = {
      type: "object",
      anyOf: [
        { properties: { a: { type: "integer" } }, required: ["a", "b", "c"] },
        { properties: { a: true }, additionalProperties: false },
      ],
    };
    const h = new Harness({ settings: all("strict", { rules: { extra: "warning" } }) });
    await h.list([{ name: "any", inputSchema }]);
    const frame = h.read(call(1, "any", '{"a":1,"z":1}'));
    expect((await h.client(frame)).onward).toBe(frame.bytes);
    expect(h.records("policy_decision")).toMatchObject([{ decision: "warning" }]);
  });
});
