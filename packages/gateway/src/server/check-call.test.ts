import { REVISIONS } from "@touchstone/protocol/advanced";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FAULTY_SERVER, TOOLS_SERVER } from "../testing/fixtures.ts";
import { type AdminGateway, startAdminGateway } from "./admin/testing/admin-gateway.ts";
import { CHECKED_REVISIONS } from "./api/operations.ts";

const faulty = (touchstone: object) => ({
  command: process.execPath,
  args: [FAULTY_SERVER],
  touchstone,
});
const strict = { input_validation: { mode: "strict" }, output_validation: { mode: "strict" } };

/** The source of a server that only speaks MCP 2026-07-28. */
const MODERN = `
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const common = { resultType: "complete", ttlMs: 60000, cacheScope: "private" };
  const results = {
    "server/discover": { ...common, supportedVersions: ["2026-07-28"], capabilities: { tools: {} } },
    "tools/list": { ...common, tools: [{ name: "echo", inputSchema: { type: "object" } }] },
  };
  const error = { code: -32601, message: "Method not found" };
  const result = results[method];
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...(result ? { result } : { error }) }));
});`;
const protocol = { protocol_validation: { mode: "strict" } };
const plan = {
  tools: [
    {
      name: "get_weather",
      inputSchema: { type: "object", properties: { city: { type: "string" } } },
    },
    { name: "echo", inputSchema: { type: "object" } },
  ],
};

let touchstone: AdminGateway;

beforeAll(async () => {
  const mcpServers = {
    strict: faulty(strict),
    warn: faulty({}),
    off: faulty({ input_validation: { mode: "off" }, output_validation: { mode: "off" } }),
    repair: faulty({ input_validation: { mode: "strict", repair: ["drop-nulls"] } }),
    limited: faulty({ limits: { calls_per_minute: 1 } }),
    gone: { command: process.execPath, args: ["-e", "process.exit(1)"], touchstone: strict },
    denied: faulty({ policy: { deny_tools: ["get_*"] } }),
    narrowed: faulty({
      tools: { get_weather: { narrow: { properties: { city: { enum: ["Rome"] } } } } },
    }),
    strictProtocol: {
      ...{ command: process.execPath, args: [TOOLS_SERVER, JSON.stringify(plan)] },
      touchstone: protocol,
    },
    modern: { command: process.execPath, args: ["-e", MODERN], touchstone: protocol },
    goneWarn: { command: process.execPath, args: ["-e", "process.exit(1)"] },
  };
  touchstone = await startAdminGateway(JSON.stringify({ mcpServers }));
});
afterAll(() => touchstone.close());

async function check(body: string | object): Promise<{ status: number; text: string }> {
  const response = await fetch(`http://127.0.0.1:${touchstone.gateway.port}/api/v1/check`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

const call = (server: string, tool: string, parts: object) => ({ server, tool, ...parts });
const good = { arguments: { city: "Oslo" } };
const bad = { arguments: { city: 5 } };
const result = (structuredContent: object) => ({
  result: { content: [{ type: "text", text: "18" }], structuredContent },
});
const fine = result({ city: "Oslo", temperature: 18 });
const complete = { result: { ...fine.result, resultType: "complete" } };
const ofList = { content: [{ type: "text", text: "[1]" }], structuredContent: [1] };
const list = { result: { ...ofList, resultType: "complete" } };
const wrong = result({ city: "Oslo", temperature: "18" });

describe("POST /api/v1/check", () => {
  it.each<[string, object, { decision: string; input?: string; output?: string }]>([
    [
      "good arguments",
      call("strict", "get_weather", good),
      { decision: "allowed", input: "allowed" },
    ],
    [
      "wrong arguments in strict",
      call("strict", "get_weather", bad),
      { decision: "blocked", input: "blocked" },
    ],
    [
      "wrong arguments in warn",
      call("warn", "get_weather", bad),
      { decision: "warning", input: "warning" },
    ],
    [
      "wrong arguments in off",
      call("off", "get_weather", bad),
      { decision: "allowed", input: "allowed" },
    ],
    [
      "a tool that policy denies",
      call("denied", "get_weather", good),
      { decision: "blocked", input: "blocked" },
    ],
    [
      "arguments that narrow refuses",
      call("narrowed", "get_weather", good),
      { decision: "blocked", input: "blocked" },
    ],
    [
      "arguments that narrow allows",
      call("narrowed", "get_weather", { arguments: { city: "Rome" } }),
      { decision: "allowed", input: "allowed" },
    ],
    [
      "arguments with a name that is too long to be compared with those of narrow",
      call("narrowed", "get_weather", { arguments: { city: "Rome", ["A".repeat(1_025)]: 1 } }),
      { decision: "blocked", input: "blocked" },
    ],
    [
      "no arguments and no result",
      call("strict", "get_weather", {}),
      { decision: "blocked", input: "blocked" },
    ],
    [
      "a result alone",
      call("strict", "get_weather", fine),
      { decision: "allowed", output: "allowed" },
    ],
    [
      "a wrong result in strict",
      call("strict", "get_weather", wrong),
      { decision: "blocked", output: "blocked" },
    ],
    [
      "a wrong result in warn",
      call("warn", "get_weather", wrong),
      { decision: "warning", output: "warning" },
    ],
    [
      "both, and both fine",
      call("strict", "get_weather", { ...good, ...fine }),
      { decision: "allowed", input: "allowed", output: "allowed" },
    ],
    [
      "both, and the result wrong",
      call("strict", "get_weather", { ...good, ...wrong }),
      { decision: "blocked", input: "allowed", output: "blocked" },
    ],
    [
      "both, and the arguments blocked",
      call("strict", "get_weather", { ...bad, ...fine }),
      { decision: "blocked", input: "blocked" },
    ],
    [
      "a tool that is not listed, in strict",
      call("strict", "nope", good),
      { decision: "blocked", input: "blocked" },
    ],
    [
      "a tool that is not listed, in warn",
      call("warn", "nope", good),
      { decision: "warning", input: "warning" },
    ],
    [
      "a server that cannot start, in strict",
      call("gone", "x", good),
      { decision: "blocked", input: "blocked" },
    ],
    [
      "a server that cannot start, in warn",
      call("goneWarn", "x", good),
      { decision: "warning", input: "warning" },
    ],
  ])("decides correctly: %s", async (_, body, expected) => {
    const { status, text } = await check(body);
    const { decision, input, output } = JSON.parse(text);
    expect(status).toBe(200);
    expect({ decision, input: input?.decision, output: output?.decision }).toEqual({
      input: undefined,
      output: undefined,
      ...expected,
    });
  });

  it.each<[string, object, { decision: string; revision: string }]>([
    // Structured content of any type and the required `resultType` are part of 2026-07-28.
    [
      "none is named",
      call("strictProtocol", "get_weather", fine),
      { decision: "allowed", revision: "2025-11-25" },
    ],
    [
      "an older one",
      { ...call("strictProtocol", "get_weather", fine), revision: "2025-06-18" },
      { decision: "allowed", revision: "2025-06-18" },
    ],
    [
      "a result without resultType",
      { ...call("strictProtocol", "get_weather", fine), revision: "2026-07-28" },
      { decision: "warning", revision: "2026-07-28" },
    ],
    [
      "a complete one",
      { ...call("strictProtocol", "get_weather", complete), revision: "2026-07-28" },
      { decision: "allowed", revision: "2026-07-28" },
    ],
    [
      "arguments",
      { ...call("strictProtocol", "get_weather", good), revision: "2026-07-28" },
      { decision: "allowed", revision: "2026-07-28" },
    ],
    [
      "a list of content, before",
      { ...call("strictProtocol", "echo", list), revision: "2025-11-25" },
      { decision: "blocked", revision: "2025-11-25" },
    ],
    [
      "a list of content",
      { ...call("strictProtocol", "echo", list), revision: "2026-07-28" },
      { decision: "allowed", revision: "2026-07-28" },
    ],
    [
      "a server of 2026-07-28",
      call("modern", "echo", list),
      { decision: "allowed", revision: "2026-07-28" },
    ],
    [
      "a server of 2026-07-28, by name",
      { ...call("modern", "echo", list), revision: "2025-11-25" },
      { decision: "blocked", revision: "2025-11-25" },
    ],
  ])(
    "checks by the revision that is named or that the server speaks: %s",
    async (_name, body, expected) => {
      const { status, text } = await check(body);
      expect([status, JSON.parse(text)]).toMatchObject([200, expected]);
    },
  );

  it("refuses a revision that does not exist, and knows all that do", async () => {
    const { status, text } = await check({
      ...call("strict", "get_weather", good),
      revision: "2025-01-01",
    });
    expect([status, text]).toMatchObject([400, expect.stringContaining('"revision\\" is not')]);
    expect(CHECKED_REVISIONS).toEqual(REVISIONS.map(({ version }) => version));
  });

  it("returns the text for the model, and records the decision with the source http", async () => {
    const { input } = JSON.parse((await check(call("strict", "get_weather", bad))).text);
    expect(input.outcome).toBe("violation");
    expect(input.issues).toMatchObject([{ path: "/city", keyword: "type" }]);
    expect(input.text).toContain("Change /city: must be a string");
    const records = await touchstone.records({ server: "strict" });
    const own = records.filter(({ id }) => input.records.includes(id));
    expect(own.map(({ type, source, status }) => [type, source, status]).sort()).toEqual([
      ["policy_decision", "http", "blocked"],
      ["tool_call", "http", "blocked"],
    ]);
  });

  it("records a call only once its result is known or it is blocked", async () => {
    const before = await touchstone.records({ server: "warn", type: "tool_call" });
    const { input } = JSON.parse((await check(call("warn", "get_weather", bad))).text);
    expect(input.records).toHaveLength(1);
    const between = await touchstone.records({ server: "warn", type: "tool_call" });
    expect(between).toHaveLength(before.length);
    await check(call("warn", "get_weather", { ...good, ...fine }));
    const after = await touchstone.records({ server: "warn", type: "tool_call" });
    const known = new Set(before.map(({ id }) => id));
    expect(after.filter(({ id }) => !known.has(id))).toMatchObject([
      { source: "http", status: "success", outcome: "pass" },
    ]);
  });

  it("counts a call once, by its arguments, and says when to retry", async () => {
    const decided = async (parts: object) =>
      JSON.parse((await check(call("limited", "get_weather", parts))).text);
    expect((await decided(good)).decision).toBe("allowed");
    expect((await decided(fine)).decision).toBe("allowed");
    const { input, ...more } = await decided(good);
    expect(more).toEqual({ decision: "blocked", revision: "2026-07-28" });
    expect(input).toMatchObject({ decision: "blocked", text: expect.stringMatching(/again in/i) });
  });

  it("returns repaired arguments", async () => {
    const body = call("repair", "get_weather", { arguments: { city: "Oslo", units: null } });
    const { text } = await check(body);
    expect(JSON.parse(text)).toMatchObject({
      decision: "repaired",
      input: { decision: "repaired" },
      arguments: { city: "Oslo" },
    });
  });

  it.each([
    [404, call("nope", "x", {})],
    [400, { server: "strict" }],
    [400, { ...call("strict", "get_weather", {}), argument: {} }],
    [400, call("strict", "get_weather", { arguments: [] })],
    [400, `{"server":"strict","tool":"a","tool":"b"}`],
  ])("returns %d for %j", async (status, body) => {
    expect((await check(body)).status).toBe(status);
  });
});
