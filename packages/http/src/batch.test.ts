import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { describeOf } from "../../core/src/testing/sample.ts";
import { createHandler, type ToolCallHandler, type ValidateResult } from "./index.ts";
import { type Client, openClient } from "./testing/client.ts";
import { DOORS, isFirst, type Served } from "./testing/doors.ts";
import { missing, post, TOOLS } from "./testing/fixtures.ts";

describeOf(DOORS, isFirst)("batch validation in $name", ({ open }) => {
  const handleCall = vi.fn<ToolCallHandler>(() => [[], false]);
  let api: Served;
  let send: Client["send"];

  beforeAll(async () => {
    const options = { allowExecute: true, maxBodyBytes: 100_000 };
    ({ api, send } = await openClient(open, TOOLS, handleCall, options));
  });
  afterAll(async () => {
    expect(handleCall).not.toHaveBeenCalled();
    await api.close();
  });

  it("returns results in the order of the batch", async () => {
    const calls = [
      { tool: "get_weather", arguments: { city: "Oslo" } },
      { tool: "get_weather", arguments: { city: 1 } },
      { tool: "get_weather" },
      { tool: "missing", arguments: {} },
      { tool: "open", arguments: null },
      { tool: "__proto__", arguments: {} },
      { tool: "broken", arguments: {} },
    ];
    const { status, body } = await send("/validate", post(JSON.stringify({ calls })));
    expect(status).toBe(200);
    expect(body.results.slice(0, 6)).toEqual([
      { valid: true },
      { valid: false, errors: [{ path: "/city", message: "must be string", keyword: "type" }] },
      { valid: false, errors: [missing("city")] },
      { valid: false, errors: [{ path: "", message: "Tool not found: missing" }] },
      { valid: true },
      { valid: false, errors: [missing("in_proto")] },
    ]);
    expect(body.results[6].errors[0].keyword).toBe("schema");
  });

  it("proposes repairs with ?repair= for each call separately", async () => {
    const wrong = { tool: "get_weather", arguments: { city: 5 } };
    const calls = [wrong, { tool: "open" }, { ...wrong, arguments: { city: {} } }, wrong];
    const text = JSON.stringify({ calls });
    const { body } = await send("/validate?repair=safe", post(text));
    const proposals = body.results.map(({ repair }: ValidateResult) => repair?.arguments);
    expect(proposals).toEqual([{ city: "5" }, undefined, undefined, { city: "5" }]);
    expect((await send("/validate?repair=no", post(text))).status).toBe(400);
  });

  it("checks numbers and depth of each call by its own text", async () => {
    const deep = "[".repeat(70) + "]".repeat(70);
    const text = `{"calls":[{"arguments":{"n":9007199254740993.5},"tool":"draft7"},{"tool":"array","arguments":${deep}},{"tool":"draft7","arguments":{"n":1e400}}]}`;
    const { body } = await send("/validate?detail=full", post(text));
    expect(body.results.map(({ valid }: ValidateResult) => valid)).toEqual([false, false, true]);
    expect(body.results[1].errors[0].keyword).toBe("maxDepth");
    expect(body.results[2].warnings[0].rule).toBe("number");
  });

  it.each([
    ["text", "format"],
    ["[]", "type"],
    ["{}", "required"],
    ['{"calls":{}}', "type"],
    ['{"calls":[{"arguments":{}}]}', "required"],
    ['{"calls":[{"tool":7}]}', "type"],
    [JSON.stringify({ calls: Array(1001).fill({ tool: "open" }) }), "maxItems"],
  ])("returns 400 for a batch: %#", async (text, keyword) => {
    const { status, body } = await send("/validate", post(text));
    expect(status).toBe(400);
    expect(body.errors[0].keyword).toBe(keyword);
  });

  it("returns 413 for a batch over the limit", async () => {
    expect((await send("/validate", post(" ".repeat(100_001)))).status).toBe(413);
  });
});

describe("a long batch", () => {
  it("lets other requests take their turn, and stops with its client", async () => {
    const slow = { name: "slow", inputSchema: { type: "array", uniqueItems: true } };
    const handler = createHandler([slow], () => [[], false]);
    const items = JSON.stringify(Array.from({ length: 900 }, (_, i) => ({ a: [i, i + 1] })));
    const call = `{"tool":"slow","arguments":${items}}`;
    const calls = Array(200).fill(call).join(",");
    const leaving = new AbortController();
    const request = new Request("http://localhost/validate", {
      ...post(`{"calls":[${calls}]}`),
      signal: leaving.signal,
    });
    const done = handler(request);
    let turns = 0;
    const others = setInterval(() => {
      turns++;
      if (turns === 2) leaving.abort();
    }, 1);
    const { status } = await done;
    clearInterval(others);
    expect([turns, status]).toEqual([2, 499]);
  });
});
