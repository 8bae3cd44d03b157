import { describe, expect, it } from "vitest";
import type { Mode } from "../settings/validation.ts";
import {
  ADD,
  all,
  call,
  Harness,
  LEGACY,
  MODERN,
  modes,
  parse,
  structured,
} from "./testing/harness.ts";

const MODES: Mode[] = ["off", "warn", "strict"];

describe("a call's arguments", () => {
  const MISSING = ["/a is required", "Add /a, which is required: an integer."];
  const notObject = (shown: string): string[] => [
    `the arguments must be an object (got ${shown})`,
    `Change the arguments: must be an object; they are ${shown}.`,
  ];
  /** The name and text of each, and if it is invalid, the reason in the record and the text for the model. */
  const ARGUMENTS: [string, string | undefined, string[] | undefined][] = [
    ["absent", undefined, MISSING],
    ["null", "null", notObject("null")],
    ["an array", "[1]", notObject("an array of 1 item")],
    ["a string", '"a"', notObject("a string of 1 character")],
    ["a number", "-1", notObject("an integer")],
    [
      "themselves as a string",
      '"{\\"b\\":1}"',
      [
        "the arguments must be an object (got a string of 7 characters)",
        "Change the arguments: must be an object; they are a string of 7 characters: send the object itself, not a string that holds it.",
      ],
    ],
    ["false", "false", notObject("a boolean")],
    ["empty", "{}", MISSING],
    ["good", '{"a":1.0}', undefined],
    ["an integer beyond doubles", '{"a":9007199254740993}', undefined],
    [
      "of a wrong type",
      '{"a":"1"}',
      [
        "/a must be an integer (got a string of 1 character)",
        "Change /a: must be an integer; it is a string",
      ],
    ],
    [
      "no integer",
      '{"a":9007199254740993.5}',
      ["/a must be an integer (got a number)", "Change /a: must be an integer; it is a number."],
    ],
    [
      "with __proto__",
      '{"a":1,"__proto__":{"a":2}}',
      ["/__proto__ is not declared", "Remove /__proto__: it is not declared"],
    ],
    ["with an escaped key", '{"\\u0061":1}', undefined],
  ];
  const table = MODES.flatMap((mode) => ARGUMENTS.map((row) => [mode, ...row] as const));
  it.each(table)("in %s: %s", async (mode, _name, args, fault) => {
    const h = new Harness({ settings: all(mode) });
    await h.list([ADD]);
    const frame = h.read(call(7, "add", args));
    const { onward, back } = await h.client(frame);
    const decisions = h.records("policy_decision");
    if (fault === undefined || mode === "off") {
      expect(onward).toBe(frame.bytes);
      expect(decisions).toEqual([]);
      return;
    }
    expect(decisions).toMatchObject([
      { direction: "input", mode, tool: "add", schema_hash: expect.stringMatching(/^sha256:/) },
    ]);
    const [reason = "", told] = fault;
    expect(decisions[0]?.reason).toContain(reason);
    if (mode === "warn") {
      expect(onward).toBe(frame.bytes);
      expect(h.records("tool_call")).toEqual([]);
      return;
    }
    expect(onward).toBeUndefined();
    expect(back).toHaveLength(1);
    const answer = parse(back?.[0]);
    expect(answer).toMatchObject({
      id: 7,
      result: { isError: true, content: [{ text: expect.stringContaining(`\n- ${told}`) }] },
    });
    expect(h.records("tool_call")).toMatchObject([
      { status: "blocked", direction: "input", request_id: decisions[0]?.request_id },
    ]);
    expect(h.pipeline.pending).toBe(0);
  });

  it("are blocked in strict and recorded in warn if a key is a duplicate", async () => {
    for (const mode of MODES) {
      const h = new Harness({ settings: all(mode) });
      await h.list([ADD]);
      const frame = h.read(call(1, "add", '{"a":1,"a":2}'));
      const { onward, back } = await h.client(frame);
      expect(onward === frame.bytes).toBe(mode !== "strict");
      if (mode === "strict")
        expect(parse(back?.[0])).toMatchObject({ id: 1, error: { code: -32602 } });
      expect(h.records("policy_decision").map(({ direction }) => direction)).toEqual(
        mode === "off" ? [] : ["protocol"],
      );
    }
  });

  it("are checked by the last of two members of the name, and blocked if messages are strict", async () => {
    const twice = (first: string, last: string): string =>
      call(1, "add", first, `,"arguments":${last}`);
    for (const protocol of MODES) {
      const passes = async (text: string): Promise<boolean> => {
        const h = new Harness({ settings: modes({ input: "strict", protocol }) });
        await h.list([ADD]);
        return (await h.client(text)).onward !== undefined;
      };
      expect(await passes(twice('{"a":1}', '{"a":"x"}'))).toBe(false);
      expect(await passes(twice('{"a":"x"}', '{"a":1}'))).toBe(protocol !== "strict");
      expect(await passes(call(1, "add", '{"a":"x","a":1}'))).toBe(protocol !== "strict");
    }
  });

  it("are searched for duplicate keys for a tool that is checked although its server is not", async () => {
    const h = new Harness({ settings: all("off"), tools: { add: all("strict") } });
    await h.list([ADD]);
    expect((await h.client(call(1, "add", '{"a":1,"a":2}'))).onward).toBeUndefined();
    await h.client(call(2, "add", '{"a":1}'));
    const { onward } = await h.server(structured(2, '{"sum":1,"sum":2}'));
    expect(parse(onward)).toMatchObject({ id: 2, error: { code: -32603 } });
  });

  it("are answered in the form that the revision requires", async () => {
    for (const revision of [LEGACY, MODERN]) {
      const h = new Harness({ settings: all("strict"), revision });
      await h.list([ADD]);
      const { back } = await h.client(call("x", "add", "{}", "", revision));
      expect(Object.keys(parse(back?.[0])["result"] as object)).toEqual(
        revision === MODERN ? ["resultType", "content", "isError"] : ["content", "isError"],
      );
    }
  });
});

describe("a call without an id", () => {
  const without = (args: string): string => call(1, "add", args).replace('"id":1,', "");
  const statuses = (h: Harness): unknown => h.records("tool_call").map(({ status }) => status);

  it("is checked and recorded once, because a server might run it", async () => {
    for (const [protocol, good] of [
      ["off", "success"],
      ["warn", "warning"],
    ] as const) {
      const h = new Harness({ settings: modes({ input: "strict", protocol }) });
      await h.list([ADD]);
      expect(await h.client(without("{}"))).toEqual({});
      const frame = h.read(without('{"a":1}'));
      expect((await h.client(frame)).onward).toBe(frame.bytes);
      expect(statuses(h)).toEqual(["blocked", good]);
      expect(h.pipeline.pending).toBe(0);
    }
  });

  it("is a protocol fault, and blocked in strict", async () => {
    const h = new Harness({ settings: all("strict") });
    await h.list([ADD]);
    for (const args of ["{}", '{"a":1}']) expect(await h.client(without(args))).toEqual({});
    expect(statuses(h)).toEqual(["blocked", "blocked"]);
    expect(h.records("policy_decision").map(({ issues }) => issues)).toMatchObject([
      [{ path: "/id", keyword: "required" }],
      [{ path: "/id", keyword: "required" }],
    ]);
    expect(h.pipeline.pending).toBe(0);
  });
});

describe("a call without a readable tool name", () => {
  it.each(["5", '["add"]', "null", '{"toString":1}'])("%s is a protocol fault", async (name) => {
    const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":${name},"arguments":{}}}`;
    const warn = new Harness({ settings: all("warn") });
    const frame = warn.read(text);
    expect((await warn.client(frame)).onward).toBe(frame.bytes);
    expect(warn.records("policy_decision")).toMatchObject([
      { direction: "protocol", decision: "warning", outcome: "violation" },
      { direction: "input", decision: "warning", outcome: "unknown" },
    ]);
    const strict = new Harness({ settings: all("strict") });
    const { onward, back } = await strict.client(text);
    expect(onward).toBeUndefined();
    expect(parse(back?.[0])).toMatchObject({ id: 1, error: { code: -32602 } });
    const arguments_ = new Harness({ settings: modes({ input: "strict", protocol: "off" }) });
    expect((await arguments_.client(text)).onward).toBeUndefined();
    expect(arguments_.records("tool_call")).toMatchObject([
      { status: "blocked", direction: "input", outcome: "unknown" },
    ]);
  });
});
