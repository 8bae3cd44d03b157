import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Limit } from "./limit.ts";
import type { LevelLimits } from "./limits.ts";

const callsInAll: Limit = {
  name: "calls_in_all",
  schema: { type: "integer", minimum: 1, maximum: 9 },
  descriptions: { top: "Calls of the gateway, ever", level: "Calls of the level, ever" },
  text: (value) => `${value} calls in all`,
  makeGate: () => {
    let sent = 0;
    return {
      over: (limits) => {
        const least = Math.min(...limits.map(({ value }) => value));
        return sent < least ? undefined : { message: `no more than ${least}`, retryAfter: 9 };
      },
      count: () => {
        sent += 1;
      },
    };
  },
};

/** Imports everything that reads the list of limits. */
async function load() {
  return {
    ...(await import("../config/config-to-file.ts")),
    ...(await import("../config/editor-schema.ts")),
    ...(await import("../config/load.ts")),
    ...(await import("../pipeline/testing/harness.ts")),
    ...(await import("../policy/still-blocking.ts")),
    ...(await import("../server/api/schemas.ts")),
    ...(await import("./limits.ts")),
  };
}

let gateway: Awaited<ReturnType<typeof load>>;

beforeAll(async () => {
  const { LIMITS, ...others } = await import("./list.ts");
  vi.resetModules();
  vi.doMock("./list.ts", () => ({ ...others, LIMITS: [...LIMITS, callsInAll] }));
  gateway = await load();
});

afterAll(() => {
  vi.doUnmock("./list.ts");
  vi.resetModules();
});

const LEVEL = { calls_in_all: 2, result_bytes: 900 };
const FILE = {
  limits: { calls_in_all: 3 },
  auth: { keys: [{ name: "ci", key: "a-key-of-enough-characters", limits: LEVEL }] },
  mcpServers: {
    s: { command: "s", touchstone: { limits: LEVEL, tools: { t: { limits: LEVEL } } } },
  },
};
const read = (file: object) =>
  gateway.parseConfig(JSON.stringify(file), { file: "touchstone.json" });

describe("a limit that is only in its folder and in the list", () => {
  it("is read at every level, written back and merged", () => {
    const config = read(FILE);
    const own = { callsInAll: 2, resultBytes: 900 };
    const [server] = config.servers;
    const above = [
      { level: "top", callsInAll: 3 },
      { level: "server", ...own },
    ];
    expect(config.settings.limits).toEqual([above[0]]);
    expect(server?.settings.limits).toEqual(above);
    expect(server?.tools.get("t")?.limits).toEqual([...above, { level: "tool", ...own }]);
    expect(config.auth.keys?.[0]?.limits).toEqual(own);
    expect(read(gateway.configAsFile(config))).toEqual(config);
  });

  it("has the bounds of its schema, and its descriptions in the schema for editors", () => {
    expect(() => read({ limits: { calls_in_all: 10 } })).toThrow(
      "/limits/calls_in_all: must be an integer from 1 to 9; got 10",
    );
    expect(() => read({ limits: { calls_in_al: 1 } })).toThrow('did you mean "calls_in_all"?');
    const shown = JSON.stringify(gateway.configJsonSchema());
    expect(shown).toContain("Calls of the gateway, ever");
    expect(shown).toContain("Calls of the level, ever");
  });

  it("is in the HTTP API, in words for the console, and counted among what a pause leaves", () => {
    const { SETTINGS, pickLimits, limitTexts, stillBlocking } = gateway;
    expect(JSON.stringify(SETTINGS)).toContain('"callsInAll"');
    const limits: object = { callsInAll: 2, name: "ci" };
    expect(limitTexts(pickLimits(limits) ?? {})).toEqual(["2 calls in all"]);
    expect(stillBlocking(read(FILE).servers, true, {})).toMatchObject({ limits: 5 });
  });

  it.each(["off", "warn", "strict"] as const)("refuses calls in mode %s", async (mode) => {
    const { all, call, Harness, parse } = gateway;
    const limits = [{ level: "top", callsInAll: 2 } as LevelLimits];
    const h = new Harness({ settings: { ...all(mode), limits } });
    await h.list([{ name: "t", inputSchema: { type: "object" } }]);
    for (const id of [1, 2]) {
      expect((await h.client(call(id, "t", "{}"))).onward).toBeDefined();
    }
    const { onward, back } = await h.client(call(3, "t", "{}"));
    expect(onward).toBeUndefined();
    const text = 'The call of "t" was rejected before it reached the server: no more than 2.';
    expect(parse(back?.[0])).toMatchObject({ result: { isError: true, content: [{ text }] } });
    expect(h.records("policy_decision")).toMatchObject([
      { decision: "blocked", issues: [{ keyword: "calls_in_all" }] },
    ]);
  });
});
