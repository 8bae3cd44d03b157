import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fillDisk } from "../../records/src/testing/full-disk.ts";
import { settingsFromOverrides } from "./config/overrides.ts";
import { FAULTY_SERVER } from "./testing/fixtures.ts";
import { call, INITIALIZE, INITIALIZED, MODERN_META, request } from "./testing/messages.ts";
import { recordsIn, tempDir, type WrappedOptions, wrapped } from "./testing/wrapped.ts";

/** The faulty server behind a wrap, which logs the calls that reached it. */
async function faulty(options: WrappedOptions = {}) {
  const file = join(tempDir(), "calls");
  const client = wrapped([FAULTY_SERVER], { ...options, env: { FAULTY_SERVER_LOG: file } });
  const reached = (): string[] =>
    existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
  client.send(INITIALIZE);
  await client.answer("init");
  client.send(INITIALIZED, request("list", "tools/list"));
  client.send(request("page", "tools/list", { cursor: "page-2" }));
  return { client, reached };
}

const BERLIN = call(1, "get_weather", { city: "Berlin" });
const ORDER =
  '{"zeta":1.0,"id":7256535639334584321,"alpha":{"b":2,"a":1e2},"id":7256535639334584321}';
const BLOCKED = "output schema validation failed: ";
const contentText = (answer: { result?: { content?: readonly { text: string }[] } }): string =>
  answer.result?.content?.[0]?.text ?? "";

describe("warn", () => {
  it("forwards a result that violates its schema byte for byte, and records it", async () => {
    const { client } = await faulty();
    client.send(BERLIN, call(2, "lookup_order", { number: "1" }));
    expect((await client.answer(1)).result?.structuredContent).toEqual({
      city: "Berlin",
      temperature: "21",
    });
    const text = JSON.stringify(ORDER);
    expect(await client.line(2)).toBe(
      `{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":${text}}],"structuredContent":${ORDER}}}`,
    );
    const records = await client.records();
    const [weather, order] = records.filter((record) => record.type === "tool_call");
    expect(weather).toMatchObject({ decision: "warning", status: "warning", direction: "output" });
    const linked = records.filter(
      (record) => record.type === "policy_decision" && record.request_id === weather?.request_id,
    );
    expect(linked).toMatchObject([
      {
        tool: "get_weather",
        mode: "warn",
        decision: "warning",
        issues: [{ path: "/temperature" }],
      },
    ]);
    expect(order).toMatchObject({ direction: "protocol", decision: "warning" });
  });

  it("forwards a wrong argument to the server unchanged", async () => {
    const { client, reached } = await faulty();
    const wrong = '{"city":7,"units":"kelvin","city":8.0}';
    client.send(
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_weather","arguments":${wrong}}}`,
    );
    await client.answer(1);
    expect(reached()).toEqual([`{"name":"get_weather","arguments":${wrong}}`]);
  });
});

describe("rules that change while a server is wrapped", () => {
  type Take = Parameters<NonNullable<WrappedOptions["changes"]>>[0];

  async function changing() {
    let began = (_: Take): void => {};
    const beginning = new Promise<Take>((resolve) => {
      began = resolve;
    });
    const { client } = await faulty({ changes: (take) => began(take) });
    return { client, take: await beginning };
  }

  it("take effect in the order in which they came", async () => {
    const { client, take } = await changing();
    // The first change loads validation; the second does not need it.
    const added = take({ settings: { ...settingsFromOverrides({}), capability: "add" } });
    const last = take({ settings: settingsFromOverrides({ mode: "strict" }) });
    expect(await Promise.all([added, last])).toEqual([
      ["validation is added to server"],
      [expect.stringContaining("input strict"), "validation is no longer added to server"],
    ]);
    client.send(call(1, "get_weather", { city: 7 }), request(2, "tools/list"));
    expect((await client.answer(1)).result?.isError).toBe(true);
    expect(await client.line(2)).not.toContain("validate");
  });

  it.runIf(process.platform === "linux")("hold also if that cannot be recorded", async () => {
    const { client, take } = await changing();
    const mend = fillDisk();
    const strict = { settings: settingsFromOverrides({ mode: "strict" }) };
    expect(await take(strict)).toEqual([expect.stringContaining("input strict")]);
    mend();
    await client.log.find("has changed, and that could not be recorded");
    client.send(call(1, "get_weather", { city: 7 }));
    expect((await client.answer(1)).result?.isError).toBe(true);
  });
});

describe("a caller", () => {
  it("is named in every record of the conversation, and can be searched for", async () => {
    const { client } = await faulty({ caller: "alice", mode: "strict" });
    client.send(BERLIN, call(2, "get_weather", {}));
    await client.answer(1);
    await client.answer(2);
    const records = await client.records();
    const about = records.filter(({ tool }) => tool === "get_weather");
    expect(about.map(({ type, caller }) => [type, caller])).toEqual(
      expect.arrayContaining([
        ["policy_decision", "alice"],
        ["tool_call", "alice"],
      ]),
    );
    expect(new Set(about.map(({ caller }) => caller))).toEqual(new Set(["alice"]));
    await client.close();
  });

  it("is absent from records if none is set", async () => {
    const { client } = await faulty();
    client.send(BERLIN);
    await client.answer(1);
    for (const record of await client.records()) expect(record).not.toHaveProperty("caller");
  });
});

describe("strict", () => {
  const wrong: [string, string][] = [
    ["get_weather", '{"city":7}'],
    ["get_weather", "{}"],
    ["get_weather", '{"city":"Rome","planet":"Mars"}'],
    ["get_weather", '{"city":"Rome","units":"kelvin"}'],
    ["get_weather", "null"],
    ["get_weather", "[]"],
    ["deep_report", '{"depth":9007199254740993.5}'],
    ["deep_report", '{"depth":2.5}'],
    ["update_contact", '{"id":"1","email":"nobody"}'],
  ];
  it.each([
    ["2025-11-25", false],
    ["2026-07-28", true],
  ])("blocks wrong arguments before the server, under %s", async (_, modern) => {
    const { client, reached } = await faulty({ mode: "strict" });
    const meta = modern ? `,"_meta":${JSON.stringify(MODERN_META)}` : "";
    for (const [id, [name, args]] of wrong.entries()) {
      const params = `{"name":"${name}","arguments":${args}${meta}}`;
      client.send(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${params}}`);
      const answer = await client.answer(id);
      expect(answer.result?.isError).toBe(true);
      expect(answer.result?.resultType).toBe(modern ? "complete" : undefined);
      expect(contentText(answer)).toContain(`The call of "${name}" was blocked before it reached`);
    }
    const right = { name: "get_weather", arguments: { city: "Rome" } };
    client.send(request("right", "tools/call", modern ? { ...right, _meta: MODERN_META } : right));
    expect((await client.answer("right")).result?.isError).toBeUndefined();
    expect(reached()).toEqual(['{"name":"get_weather","arguments":{"city":"Rome"}}']);
    const records = await client.records();
    const calls = records.filter((record) => record.type === "tool_call");
    const decisions = records.filter((record) => record.type === "policy_decision");
    expect(calls.map(({ status }) => status)).toEqual([...wrong.map(() => "blocked"), "success"]);
    expect(decisions.map(({ request_id }) => request_id)).toEqual(
      calls.slice(0, -1).map(({ request_id }) => request_id),
    );
    for (const decision of decisions) {
      expect(decision).toMatchObject({ direction: "input", mode: "strict", decision: "blocked" });
    }
  });

  it("accepts 1.0 and 2e0 as integers, and absent arguments", async () => {
    const { client, reached } = await faulty({ mode: "strict" });
    const deep = (id: number, depth: string): string =>
      `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"deep_report","arguments":{"depth":${depth}}}}`;
    client.send(deep(1, "2.0"), deep(2, "2e0"), request(3, "tools/call", { name: "echo" }));
    for (const id of [1, 2, 3]) {
      expect((await client.answer(id)).result?.isError).toBeUndefined();
    }
    expect(reached()).toHaveLength(3);
  });

  it("replaces a result that violates its schema with an error", async () => {
    const { client } = await faulty({ mode: "strict" });
    client.send(BERLIN, call(2, "update_contact", { id: "1", email: "a@b.example" }));
    const weather = await client.answer(1);
    expect(weather.result).toMatchObject({ isError: true });
    expect(weather.result?.structuredContent).toBeUndefined();
    expect(contentText(weather)).toContain(`${BLOCKED}/temperature must be a number`);
    expect(contentText(await client.answer(2))).toContain(
      `${BLOCKED}/internal_row is not declared`,
    );
  });

  it("never checks an error result", async () => {
    const { client } = await faulty({ mode: "strict" });
    client.send(call(1, "fail", {}));
    expect((await client.answer(1)).result).toMatchObject({
      isError: true,
      structuredContent: { reason: "disk full" },
    });
    const calls = (await client.records()).filter(({ type }) => type === "tool_call");
    expect(calls).toMatchObject([{ status: "error", decision: "allowed" }]);
  });

  it("blocks a duplicate key in arguments, and reports it once", async () => {
    const { client, reached } = await faulty({ mode: "strict" });
    const args = '{"city":"Rome","city":"Oslo"}';
    client.send(
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_weather","arguments":${args}}}`,
    );
    expect((await client.answer(1)).error).toMatchObject({ code: -32602 });
    expect(reached()).toEqual([]);
    const decisions = (await client.records()).filter(({ type }) => type === "policy_decision");
    expect(decisions).toMatchObject([{ direction: "protocol", issues: [{ rule: "duplicate" }] }]);
  });

  it.each([
    ["missing content", "list_contacts", {}, "allow", false],
    ["missing content", "list_contacts", {}, "block", true],
    ["a broken schema", "broken_schema", {}, "allow", false],
    ["a broken schema", "broken_schema", {}, "block", true],
  ] as const)(
    "%s (%s): %j with policy %s is blocked: %s",
    async (_, tool, args, policy, blocked) => {
      const { client } = await faulty({
        mode: "strict",
        missingStructuredContent: policy,
        onInvalidSchema: policy,
      });
      client.send(call(1, tool, args), call(2, tool, args));
      const answers = [await client.answer(1), await client.answer(2)];
      for (const answer of answers) {
        expect(answer.result?.isError === true).toBe(blocked);
        expect(contentText(answer).startsWith(BLOCKED)).toBe(blocked);
      }
      const records = await client.records();
      const decisions = records.filter(({ type }) => type === "policy_decision");
      expect(decisions).toHaveLength(blocked ? 2 : 0);
      await client.close();
      const told = client.log.lines.filter((line) =>
        line.includes("the output schema cannot be used"),
      );
      expect(told).toHaveLength(tool === "broken_schema" ? 1 : 0);
    },
  );

  it.each([
    ["max_bytes", { maxBytes: 100 }, "big_report", { bytes: 100 }, { bytes: 101 }],
    ["max_depth", { maxDepth: 5 }, "deep_report", { depth: 5 }, { depth: 6 }],
  ])("%s allows exactly the limit", async (_, limit, tool, at, beyond) => {
    const { client } = await faulty({ mode: "strict", ...limit });
    client.send(call(1, tool, at), call(2, tool, beyond));
    expect((await client.answer(1)).result?.isError).toBeUndefined();
    expect(contentText(await client.answer(2))).toContain(BLOCKED);
    const decisions = (await client.records()).filter(({ type }) => type === "policy_decision");
    expect(decisions).toMatchObject([{ outcome: "guard", direction: "output", tool }]);
  });
});

describe("settings", () => {
  it("off checks nothing, and records every call", async () => {
    const { client, reached } = await faulty({ mode: "off" });
    client.send(BERLIN, call(2, "get_weather", { city: 7 }));
    await Promise.all([client.answer(1), client.answer(2)]);
    expect(reached()).toHaveLength(2);
    const types = (await client.records()).map(({ type }) => type);
    expect(types).toEqual(["system_start", "tool_call", "tool_call"]);
  });

  it("of one tool apply to that tool", async () => {
    const tools = new Map([["get_weather", settingsFromOverrides({ mode: "strict" })]]);
    const { client } = await faulty({ tools });
    client.send(BERLIN, call(2, "update_contact", { id: "1", email: "a@b.example" }));
    expect((await client.answer(1)).result?.isError).toBe(true);
    expect((await client.answer(2)).result?.isError).toBeUndefined();
  });
});

describe("records", () => {
  it("are durable before the response arrives", async () => {
    const { client } = await faulty({ mode: "strict" });
    await client.answer("list");
    for (const [id, args] of [{ city: "Rome" }, { city: "Berlin" }, { city: 7 }].entries()) {
      client.send(call(id, "get_weather", args));
      await client.answer(id);
      const records = await client.records();
      expect(records.filter(({ type }) => type === "tool_call")).toHaveLength(id + 1);
      expect(records.filter(({ type }) => type === "policy_decision")).toHaveLength(id);
    }
  });

  it("report a schema that changed since an earlier process", async () => {
    const dataDir = tempDir();
    const list = { name: "work", inputSchema: { type: "object" } };
    const start = (tool: object) => {
      const raw = JSON.stringify({ tools: [tool] });
      const code = `process.stdin.once("data", () => console.log('{"jsonrpc":"2.0","id":1,"result":${raw}}'))`;
      return wrapped(["-e", code], { dataDir });
    };
    for (const tool of [
      list,
      list,
      { ...list, inputSchema: { type: "object", required: ["n"] } },
    ]) {
      const client = start(tool);
      client.send(request(1, "tools/list"));
      await client.answer(1);
      await client.close();
    }
    const changes = (await recordsIn(dataDir)).filter(({ type }) => type === "schema_change");
    expect(changes).toMatchObject([{ tool: "work", reason: "input schema changed" }]);
  });
});
