import { describe, expect, it } from "vitest";
import { shortName } from "../contracts/short-names.ts";
import type { Caller } from "../features/caller.ts";
import { CallGates, type LevelLimits } from "../features/limits.ts";
import type { ValidationSettings } from "../settings/validation.ts";
import { all, call, Harness, LEGACY, MODERN, parse } from "./testing/harness.ts";

const TOOL = { name: "t", inputSchema: { type: "object" } };
const limit = (level: LevelLimits["level"], callsPerMinute: number): LevelLimits => ({
  level,
  callsPerMinute,
});

async function limited(
  server: readonly LevelLimits[],
  tool: readonly LevelLimits[] = server,
  base: ValidationSettings = all("off"),
  caller?: Caller,
): Promise<Harness> {
  const h = new Harness({
    ...(caller === undefined ? {} : { caller }),
    settings: { ...base, limits: server },
    tools: { t: { ...base, limits: tool } },
  });
  await h.list([TOOL]);
  return h;
}

let ids = 0;
async function passes(h: Harness, tool = "t"): Promise<boolean> {
  ids += 1;
  return (await h.client(call(ids, tool, "{}"))).onward !== undefined;
}

async function count(h: Harness, times: number, tool = "t"): Promise<number> {
  let passed = 0;
  for (let i = 0; i < times; i++) if (await passes(h, tool)) passed += 1;
  return passed;
}

describe("calls beyond limits.calls_per_minute", () => {
  it.each(["off", "warn", "strict"] as const)("are rejected in mode %s", async (mode) => {
    const h = await limited([limit("top", 2)], undefined, all(mode));
    expect(await count(h, 2)).toBe(2);
    h.clock = 10_500;
    const { onward, back } = await h.client(call("over", "t", "{}"));
    expect(onward).toBeUndefined();
    const text =
      "the limit of 2 calls per minute through this gateway is reached (limits.calls_per_minute); try again in 50 s";
    expect(parse(back?.[0])).toMatchObject({
      id: "over",
      result: {
        isError: true,
        content: [{ text: `The call of "t" was rejected before it reached the server: ${text}.` }],
      },
    });
    expect(h.records("policy_decision")).toMatchObject([
      {
        tool: "t",
        direction: "input",
        mode: "strict",
        decision: "blocked",
        outcome: "violation",
        reason: text,
        issues: [{ rule: "policy", keyword: "calls_per_minute" }],
      },
    ]);
    expect(h.records("tool_call").at(-1)).toMatchObject({ status: "limited" });
  });

  it("are accepted again when the oldest counted call is a minute old", async () => {
    const h = await limited([limit("top", 2)]);
    expect(await passes(h)).toBe(true);
    h.clock = 30_000;
    expect(await count(h, 3)).toBe(1);
    h.clock = 59_999;
    expect(await passes(h)).toBe(false);
    h.clock = 60_000;
    expect(await count(h, 2)).toBe(1);
    h.clock = 90_000;
    expect(await count(h, 2)).toBe(1);
  });

  it("are counted per tool, server and gateway, and the smallest limit applies", async () => {
    const server = [limit("top", 5), limit("server", 4)];
    const h = await limited(server, [...server, limit("tool", 1)]);
    expect(await count(h, 3, "t")).toBe(1);
    expect(await count(h, 9, "other")).toBe(3);
    expect(h.records("policy_decision").at(-1)?.reason).toContain(
      "4 calls per minute of this server",
    );
  });

  it.each<[string, readonly LevelLimits[], number, number]>([
    ["the caller's limit alone", [], 2, 2],
    ["a larger limit of the server", [limit("server", 9)], 2, 2],
    ["a smaller limit of the server", [limit("server", 1)], 2, 1],
  ])("are counted per caller: %s", async (_, server, own, expected) => {
    const h = await limited(server, server, all("strict"), {
      name: "ci",
      limits: { callsPerMinute: own },
    });
    expect(await count(h, 2, "t")).toBe(Math.min(2, expected));
    expect(await count(h, 4, "other")).toBe(0);
    expect(h.records("policy_decision").at(-1)).toMatchObject({
      caller: "ci",
      reason: expect.stringContaining(
        `${expected} calls per minute of this ${expected === own ? "caller" : "server"}`,
      ),
    });
  });

  it("are counted for a tool under all its names, even before its list is known", async () => {
    const names = { max: 64, prefixLength: 16 };
    const own = `files/${"read_".repeat(12)}`;
    const adapt: ValidationSettings["adapt"] = {
      ...{
        unusableTools: "pass",
        outputSchema: "pass",
        pages: "pass",
        for: [],
        steps: ["same"],
        names,
      },
      ...{ mirrorContent: false, descriptions: { stripHidden: false } },
    };
    const tool = { ...TOOL, name: own };
    for (const isListed of [true, false]) {
      const base = { ...all("off"), adapt, limits: [limit("server", 3)] };
      const limits = [...base.limits, limit("tool", 1)];
      const h = new Harness({ settings: base, tools: { [own]: { ...base, limits } } });
      h.ask = async () =>
        Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: 0, result: { tools: [tool] } }));
      if (isListed) await h.list([tool]);
      expect(await count(h, 2, shortName(own, names))).toBe(1);
      expect(await passes(h, own)).toBe(false);
      expect(h.records("policy_decision").map((record) => record.tool)).toEqual([own, own]);
      expect(h.records("policy_decision").at(-1)?.reason).toContain(
        "1 calls per minute of this tool",
      );
    }
  });

  const COUNTED = {
    top: "through this gateway",
    server: "of this server",
    tool: "of this tool",
    caller: "of this caller",
  };
  it("of a caller are not counted for a server or tool of the same name", () => {
    const gates = new CallGates();
    const counted = { server: "a", caller: "a", now: 0 };
    const one = (level: "top" | "server" | "caller") => ({ level, callsPerMinute: 1 });
    const tool = { level: "tool", tool: "a", callsPerMinute: 1 } as const;
    for (const each of [one("top"), one("server"), one("caller"), tool]) {
      const { level } = each;
      expect(gates.take([each], counted)).toBeUndefined();
      expect(gates.take([each], counted)).toMatchObject({
        message: expect.stringContaining(COUNTED[level]),
        retryAfter: 60,
      });
    }
    expect(gates.take([one("caller")], { ...counted, server: "b" })).toBeDefined();
    expect(gates.take([one("caller")], { ...counted, caller: "b" })).toBeUndefined();
  });

  it("are not counted once rejected, so a client that keeps trying gets through", async () => {
    const h = await limited([limit("server", 1)]);
    expect(await passes(h)).toBe(true);
    for (h.clock = 1_000; h.clock < 60_000; h.clock += 1_000) expect(await passes(h)).toBe(false);
    expect(await passes(h)).toBe(true);
  });

  it("are rejected for any tool name or none, and other messages are not counted", async () => {
    const h = await limited([limit("server", 1)]);
    expect(await passes(h)).toBe(true);
    for (const name of ["a", "T", "no such tool", ""]) expect(await passes(h, name)).toBe(false);
    const nameless = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}';
    expect((await h.client(nameless)).onward).toBeUndefined();
    const ping = await h.client('{"jsonrpc":"2.0","id":2,"method":"ping"}');
    expect(ping.onward).toBeDefined();
  });
});

describe("a message that servers may read as a call", () => {
  const PARAMS = '"params":{"name":"t","arguments":{}}';
  const message = (members: string): string => `{"jsonrpc":"2.0","id":"x",${members}}`;
  /** Calls of "t" that are invalid in MCP, but that a more tolerant server than the gateway would accept. */
  const SPELLINGS: Readonly<Record<string, string>> = {
    "a second method in another case": message(`"method":"ping","Method":"tools/call",${PARAMS}`),
    "a second method": message(`"method":"tools/call","method":"ping",${PARAMS}`),
    "the second method first": message(`"method":"ping","method":"tools/call",${PARAMS}`),
    "a method in another case": message(`"method":"Tools/Call",${PARAMS}`),
    "a method with a space": message(`"method":"tools/call ",${PARAMS}`),
    "a method with a NUL": message(`"method":"tools/call\\u0000x",${PARAMS}`),
    "a method in full width": message(`"method":"tools/c\uff41ll",${PARAMS}`),
    "a method in a list": message(`"method":["tools/call"],${PARAMS}`),
    "only a method in another case": message(`"METHOD":"tools/call",${PARAMS}`),
    "params twice": message(`"method":"tools/call","params":{"name":"o"},${PARAMS}`),
    "params in another case": message(
      `"method":"tools/call","params":{"name":"o"},"Params":{"name":"t"}`,
    ),
    "a name twice": message('"method":"tools/call","params":{"name":"t","name":"o"}'),
    "a name in another case": message('"method":"tools/call","params":{"name":"o","Name":"t"}'),
    "only a name in another case": message('"method":"tools/call","params":{"Name":"t"}'),
    "no name": message('"method":"tools/call","params":{}'),
    "a tool's name in another case": message('"method":"tools/call","params":{"name":"T"}'),
    "a tool's name with a space": message('"method":"tools/call","params":{"name":"t "}'),
    "a tool's name that is too long to be compared": message(
      `"method":"tools/call","params":{"name":"t${"\u200b".repeat(1_024)}"}`,
    ),
    "a response too": message(`"result":{},"method":"tools/call",${PARAMS}`),
    "a notification": `{"jsonrpc":"2.0","method":"tools/call",${PARAMS}}`,
    "a batch": `[${message(`"method":"ping","Method":"tools/call",${PARAMS}`)}]`,
    "a batch in a batch": `[[${message(`"method":"tools/call",${PARAMS}`)}]]`,
    "a large message": message(
      `"x":"${"a".repeat(1_200_000)}","method":"ping","Method":"tools/call",${PARAMS}`,
    ),
  };
  const LEVELS = ["top", "server", "tool", "caller"] as const;
  const revisions = ["2024-11-05", "2025-03-26", LEGACY, MODERN];
  const modes = ["off", "warn"] as const;

  it.each(
    LEVELS.flatMap((level) =>
      revisions.flatMap((revision) => modes.map((mode) => [level, revision, mode] as const)),
    ),
  )("counts for the limit of the %s in %s, protocol %s", async (level, revision, mode) => {
    for (const [name, text] of Object.entries(SPELLINGS)) {
      const one = [limit(level, 1)];
      const h = new Harness({
        ...(level === "caller" ? { caller: { name: "ci", limits: { callsPerMinute: 1 } } } : {}),
        revision,
        settings: {
          ...all(mode),
          ...(level === "tool" || level === "caller" ? {} : { limits: one }),
        },
        tools: level === "tool" ? { t: { ...all(mode), limits: one } } : {},
      });
      await h.list([TOOL]);
      expect([name, await passes(h)]).toEqual([name, true]);
      expect([name, (await h.client(text)).onward]).toEqual([name, undefined]);
      h.clock = 60_000;
      await h.client(text);
      expect([name, await passes(h)]).toEqual([name, false]);
    }
  });

  it("counts for no tool whose name it cannot have, and other messages count for none", async () => {
    const h = await limited([], [limit("tool", 1)]);
    for (const text of [
      call("a", "other", "{}"),
      message('"method":"ping"'),
      message('"method":"tools/list"'),
      message('"method":"resources/read","params":{"uri":"a:b","name":"t"}'),
      '{"jsonrpc":"2.0","id":"y","result":{"name":"t"}}',
    ]) {
      await h.client(text);
    }
    expect(await count(h, 2)).toBe(1);
  });
});
