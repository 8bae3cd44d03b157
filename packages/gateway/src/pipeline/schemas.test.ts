import { describe, expect, it } from "vitest";
import type { ValidationSettings } from "../settings/validation.ts";
import { ADD, all, call, Harness, modes, structured } from "./testing/harness.ts";

type Setting = ValidationSettings["input"]["onInvalidSchema"];

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

  const GOOD = { type: "object" };
  const EXTERNAL = { type: "object", $ref: "https://example.com/s.json" };
  const FAULTS: readonly (readonly [string, unknown])[] = [
    ["a reference to nothing", { type: "object", $ref: "#/no" }],
    ["an invalid type", { type: "object", properties: { a: { type: "nonsense" } } }],
    ["an invalid pattern", { type: "object", properties: { a: { pattern: "(" } } }],
    ["a loop", { type: "object", $ref: "#" }],
    ["an unknown dialect", { $schema: "https://example.com/dialect", type: "object" }],
    ["a list", [GOOD]],
    ["a text", "object"],
    ["a number", 5],
    ["over 1 MiB", { type: "object", description: "x".repeat(1_100_000) }],
  ];
  const REFERENCES: readonly (readonly [string, unknown])[] = [
    ["a URL", EXTERNAL],
    ["a file", { type: "object", properties: { a: { $ref: "other.json#/$defs/a" } } }],
    ["a name", { type: "object", $defs: { a: { $ref: "urn:example:s" } }, $ref: "#/$defs/a" }],
    ["a dynamic one", { type: "object", $dynamicRef: "https://example.com/s#x" }],
    ["beside an identifier", { $id: "https://example.com/a", type: "object", $ref: "b" }],
  ];
  const strict = modes({ input: "strict", output: "strict", protocol: "off" });
  const passes = async (tool: object, settings = strict): Promise<string> => {
    const h = new Harness({ settings });
    await h.list([{ name: "add", ...tool }]);
    const frame = h.read(call(1, "add", "{}"));
    if ((await h.client(frame)).onward === undefined) return "call blocked";
    const result = h.read(structured(1, '{"a":1}'));
    return (await h.server(result)).onward === result.bytes ? "forwarded" : "result blocked";
  };

  it.each(FAULTS)("by default blocks in strict as an input schema only: %s", async (_, schema) => {
    expect(await passes({ inputSchema: schema })).toBe("call blocked");
    expect(await passes({ inputSchema: GOOD, outputSchema: schema })).toBe("forwarded");
  });

  it.each(REFERENCES)(
    "by default blocks in strict if it refers to another document: %s",
    async (_, schema) => {
      expect(await passes({ inputSchema: schema })).toBe("call blocked");
      expect(await passes({ inputSchema: GOOD, outputSchema: schema })).toBe("result blocked");
    },
  );

  it("blocks what the setting of its direction names", async () => {
    const set = (input: Setting, output: Setting): ValidationSettings => ({
      ...strict,
      input: { ...strict.input, onInvalidSchema: input },
      output: { ...strict.output, onInvalidSchema: output },
    });
    const broken = { type: "object", $ref: "#/no" };
    for (const [input, output, settings, expected] of [
      [broken, GOOD, set("allow", "block"), "forwarded"],
      [broken, GOOD, set("block_external", "block"), "forwarded"],
      [EXTERNAL, GOOD, set("block_external", "allow"), "call blocked"],
      [EXTERNAL, GOOD, set("allow", "allow"), "forwarded"],
      [GOOD, EXTERNAL, set("block", "allow"), "forwarded"],
      [GOOD, broken, set("allow", "block"), "result blocked"],
    ] as const) {
      expect(await passes({ inputSchema: input, outputSchema: output }, settings)).toBe(expected);
    }
    for (const schema of [EXTERNAL, broken]) {
      const inWarn = modes({ protocol: "off" });
      expect(await passes({ inputSchema: schema, outputSchema: schema }, inWarn)).toBe("forwarded");
    }
  });

  it("leaves limits in effect", async () => {
    const limits = { maxDepth: 3, maxBytes: 50, onInvalidSchema: "allow" } as const;
    const h = new Harness({ settings: all("strict", limits) });
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
