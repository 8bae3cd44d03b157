import { describe, expect, it } from "vitest";
import { closing } from "../testing/closing.ts";
import { inText } from "../testing/scripted.ts";
import { ANNOUNCED, GOOD, validating } from "../testing/validated.ts";

const start = validating(closing());

describe.each(["v1", "v2"] as const)("a caching ToolValidator with a %s client", (generation) => {
  const caching = { enabled: true, ttl: 10, invalidateOn: ["tool_update", "resource_change"] };
  it("keeps results until they expire", async () => {
    const clock = { ms: 0 };
    const now = () => clock.ms;
    const { validator, seen } = await start(
      { announced: { supported: true, caching } },
      { now },
      generation,
    );
    const ask = (args: object) => validator.validateTool("files:write_file", args);
    await ask({ path: "a", size: 1 });
    expect(await ask({ size: 1, path: "a" })).toMatchObject({ method: "native" });
    expect(seen).toHaveLength(1);
    await ask({ path: "a", size: 2 });
    expect(seen).toHaveLength(2);
    clock.ms = 10_000;
    await ask({ path: "a", size: 1 });
    expect(seen).toHaveLength(3);
  });

  it.each([
    ["notifications/tools/list_changed", ["tool_update"], true],
    ["notifications/resources/updated", ["resource_change"], true],
    ["notifications/resources/updated", ["tool_update"], false],
  ])("on %s with invalidateOn %j drops its results: %s", async (method, invalidateOn, drops) => {
    const announced = { supported: true, caching: { ...caching, invalidateOn } };
    const { validator, seen, server, lists, client } = await start({ announced }, {}, generation);
    await validator.validateTool("files:write_file", GOOD);
    const arrived = new Promise<void>((resolve) => {
      client.fallbackNotificationHandler = async () => resolve();
    });
    const params = method.includes("resources") ? { uri: "file:///a" } : undefined;
    await server.notification({ method, ...(params && { params }) } as never);
    await arrived;
    await validator.validateTool("files:write_file", GOOD);
    expect(seen).toHaveLength(drops ? 2 : 1);
    expect(lists).toHaveLength(method.includes("tools") ? 2 : 1);
  });

  it("fetches the list once for concurrent calls", async () => {
    const { validator, seen, lists } = await start({ announced: ANNOUNCED }, {}, generation);
    const paths = ["a", "b", "c"];
    const ask = (path: string) => validator.validateTool("files:write_file", { path });
    const results = await Promise.all(paths.map(ask));
    expect(results.map(({ method }) => method)).toEqual(paths.map(() => "native"));
    expect([lists.length, seen.length]).toEqual([1, 3]);
  });

  it.each([
    ["a minute where the server announces no changes", { tools: {} }, 60_000, 2],
    ["less than a minute", { tools: {} }, 59_999, 1],
    ["as long as it likes where the server does", {}, 1e12, 1],
  ])("keeps the list for %s", async (_time, capabilities, ms, times) => {
    const clock = { ms: 0 };
    const now = () => clock.ms;
    const { validator, lists } = await start({ capabilities }, { now }, generation);
    const ask = () => validator.validateTool("files:write_file", GOOD);
    await ask();
    clock.ms = ms;
    await ask();
    await ask();
    expect(lists).toHaveLength(times);
  });

  it("never keeps a failure", async () => {
    let fails = true;
    const answer = () => (fails ? inText("nonsense") : inText({ valid: true }));
    const script = { announced: { supported: true, caching }, answer };
    const { validator } = await start(script, {}, generation);
    expect((await validator.validateTool("files:write_file", GOOD)).method).toBe("schema");
    fails = false;
    expect((await validator.validateTool("files:write_file", GOOD)).method).toBe("native");
  });
});
