import { describe, expect, it } from "vitest";
import type { Mode } from "../policy/settings.ts";
import { ADD, all, call, Harness, LEGACY, MODERN, parse, result } from "./testing/harness.ts";

const MODES: Mode[] = ["off", "warn", "strict"];

describe("a call's arguments", () => {
  const ARGUMENTS: [string, string | undefined, string | undefined][] = [
    ["absent", undefined, "/a must have required property 'a'"],
    ["null", "null", "(root) must be object, got null"],
    ["an array", "[1]", "(root) must be object, got array"],
    ["a string", '"a"', "(root) must be object, got string"],
    ["a number", "-1", "(root) must be object, got number"],
    ["false", "false", "(root) must be object, got boolean"],
    ["empty", "{}", "/a must have required property 'a'"],
    ["good", '{"a":1.0}', undefined],
    ["an integer beyond doubles", '{"a":9007199254740993}', undefined],
    ["of a wrong type", '{"a":"1"}', "/a must be integer, got string"],
    ["no integer", '{"a":9007199254740993.5}', "/a must be integer, got number"],
    ["with __proto__", '{"a":1,"__proto__":{"a":2}}', "/__proto__ must NOT have"],
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
    if (mode === "warn") {
      expect(onward).toBe(frame.bytes);
      expect(h.records("tool_call")).toEqual([]);
      return;
    }
    expect(onward).toBeUndefined();
    expect(back).toHaveLength(1);
    const answer = parse(back?.[0]);
    expect(answer).toMatchObject({ id: 7, result: { isError: true } });
    expect(JSON.stringify(answer)).toContain(JSON.stringify(fault).slice(1, -1));
    expect(h.records("tool_call")).toMatchObject([
      { status: "blocked", direction: "input", request_id: decisions[0]?.request_id },
    ]);
    expect(h.pipeline.pending).toBe(0);
  });

  it("that stand twice are refused in strict, noted in warn", async () => {
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

  it("of a tool that is judged where the server is not are read for duplicates", async () => {
    const h = new Harness({ settings: all("off"), tools: { add: all("strict") } });
    await h.list([ADD]);
    expect((await h.client(call(1, "add", '{"a":1,"a":2}'))).onward).toBeUndefined();
    await h.client(call(2, "add", '{"a":1}'));
    const { onward } = await h.server(result(2, '{"structuredContent":{"sum":1,"sum":2}}'));
    expect(parse(onward)).toMatchObject({ id: 2, error: { code: -32603 } });
  });

  it("are not judged for a tool that the server does not list", async () => {
    const h = new Harness({ settings: all("strict") });
    await h.list([ADD]);
    const frame = h.read(call(1, "other", "[]"));
    expect((await h.client(frame)).onward).toBe(frame.bytes);
    const error = h.read({ jsonrpc: "2.0", id: 1, error: { code: -32602, message: "unknown" } });
    expect((await h.server(error)).onward).toBe(error.bytes);
    expect(h.records("tool_call")).toMatchObject([
      { tool: "other", status: "error", outcome: "skipped" },
    ]);
  });

  it("are answered in the form of the revision", async () => {
    for (const revision of [LEGACY, MODERN]) {
      const h = new Harness({ settings: all("strict"), revision });
      await h.list([ADD]);
      const { back } = await h.client(call("x", "add", "{}"));
      expect(Object.keys(parse(back?.[0])["result"] as object)).toEqual(
        revision === MODERN ? ["resultType", "content", "isError"] : ["content", "isError"],
      );
    }
  });
});

describe("a call without an id", () => {
  it("is judged, and recorded once, since a server might run it", async () => {
    const h = new Harness({ settings: all("strict") });
    await h.list([ADD]);
    const without = (args: string) => call(1, "add", args).replace('"id":1,', "");
    expect(await h.client(without("{}"))).toEqual({});
    const frame = h.read(without('{"a":1}'));
    expect((await h.client(frame)).onward).toBe(frame.bytes);
    expect(h.records("tool_call").map(({ status }) => status)).toEqual(["blocked", "success"]);
    expect(h.pipeline.pending).toBe(0);
  });
});

describe("a call whose tool has no readable name", () => {
  it.each(["5", '["add"]', "null", '{"toString":1}'])(
    "%s is a fault of the protocol",
    async (name) => {
      const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":${name},"arguments":{}}}`;
      const warn = new Harness({ settings: all("warn") });
      const frame = warn.read(text);
      expect((await warn.client(frame)).onward).toBe(frame.bytes);
      expect(warn.records("policy_decision")).toMatchObject([{ decision: "warning" }]);
      const strict = new Harness({ settings: all("strict") });
      const { onward, back } = await strict.client(text);
      expect(onward).toBeUndefined();
      expect(parse(back?.[0])).toMatchObject({ id: 1, error: { code: -32602 } });
    },
  );
});
