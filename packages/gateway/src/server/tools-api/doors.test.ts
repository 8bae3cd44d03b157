import { jsonText, locatePointers } from "@touchstone/core/advanced";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Decision } from "../../settings/validation.ts";
import { startTestGateway, type TestGateway } from "../../testing/gateway.ts";
import { type HttpUpstreamServer, modern, post, startHttpUpstream } from "../../testing/http.ts";

const SCHEMA = {
  type: "object",
  properties: {
    city: { type: "string" },
    nights: { type: "integer" },
    guests: { type: "array", items: { properties: { age: { type: "integer" } } } },
  },
  required: ["city"],
};

/**
 * One tool: its settings, the arguments of a call, the decision, and the arguments that the server gets if they
 * differ.
 */
interface Row {
  readonly what: string;
  readonly settings: object;
  readonly args: string;
  readonly decision: Decision;
  readonly sent?: string;
  readonly destructive?: boolean;
  /** The repairs that the call requests, which only the tools API supports. */
  readonly asks?: string;
}

const strict = (settings: object) => ({ input_validation: { mode: "strict", ...settings } });
const row = (
  what: string,
  settings: object,
  args: string,
  decision: Decision,
  more: Partial<Row> = {},
): Row => ({ what, settings: strict(settings), args, decision, ...more });

const ROWS: readonly Row[] = [
  row("valid", {}, '{"city":"Oslo"}', "allowed"),
  row("invalid", {}, '{"city":5}', "blocked"),
  row("a class", { rules: { type: "warning" } }, '{"city":5}', "warning"),
  row("a class that is ignored", { rules: { type: "ignore" } }, '{"city":5}', "allowed"),
  row("a place", { rules: { "/city": "warning" } }, '{"city":5}', "warning"),
  row(
    "a pattern",
    { rules: { "/guests/*/age": "ignore" } },
    '{"city":"a","guests":[{"age":"1"}]}',
    "allowed",
  ),
  row(
    "a span",
    { rules: { "/guests/**": "warning" } },
    '{"city":"a","guests":[{"age":"1"}]}',
    "warning",
  ),
  row(
    "a place and another one",
    { rules: { "/city": "ignore" } },
    '{"city":5,"nights":"x"}',
    "blocked",
  ),
  row(
    "a stricter place",
    { rules: { type: "ignore", "/city": "violation" } },
    '{"city":5}',
    "blocked",
  ),
  row("undeclared, by default", {}, '{"city":"a","cty":1}', "warning"),
  row("undeclared, if nothing looks", { undeclared: "allow" }, '{"city":"a","cty":1}', "allowed"),
  row("undeclared", { undeclared: "violation" }, '{"city":"a","cty":1}', "blocked"),
  row("undeclared as a warning", { undeclared: "warning" }, '{"city":"a","cty":1}', "warning"),
  row(
    "undeclared inside",
    { undeclared: "violation", undeclared_at: "deep" },
    '{"city":"a","guests":[{"name":"b"}]}',
    "blocked",
  ),
  row(
    "undeclared with a place",
    { undeclared: "violation", rules: { "/cty": "ignore" } },
    '{"city":"a","cty":1}',
    "allowed",
  ),
  row("too deep", { max_depth: 2 }, '{"city":"a","guests":[{}]}', "blocked"),
  row(
    "too deep, as a warning",
    { max_depth: 2, rules: { guard: "warning" } },
    '{"city":"a","guests":[{}]}',
    "warning",
  ),
  row("a repair", { repair: ["safe"] }, '{"city":5.0}', "repaired", { sent: '{"city":"5.0"}' }),
  row(
    "a repair of a warning",
    { repair: ["safe"], rules: { type: "warning" } },
    '{"city":5}',
    "repaired",
    { sent: '{"city":"5"}' },
  ),
  row(
    "no repair of what is ignored",
    { repair: ["safe"], rules: { type: "ignore" } },
    '{"city":5}',
    "allowed",
  ),
  row(
    "a new name",
    { repair: ["rename-properties"], undeclared: "violation" },
    '{"city":"a","nigths":2}',
    "repaired",
    { sent: '{"city":"a","nights":2}' },
  ),
  row("a destructive tool", { repair: ["all"] }, '{"citty":"a"}', "repaired", {
    destructive: true,
    sent: '{"city":"a"}',
  }),
];

/** The decisions about calls that ask for repairs with `?repair=`. */
const ASKED: readonly Row[] = [
  row("asks for nothing", {}, '{"city":5}', "blocked"),
  row("asks", {}, '{"city":5}', "repaired", { asks: "safe", sent: '{"city":"5"}' }),
  row("asks for another kind", {}, '{"city":5}', "blocked", { asks: "drop-nulls" }),
  row(
    "asks for more than is set",
    { repair: ["safe"], undeclared: "violation" },
    '{"citty":5}',
    "repaired",
    {
      asks: "rename-properties",
      sent: '{"city":"5"}',
    },
  ),
  row("asks for guesses at a destructive tool", {}, '{"citty":"a"}', "blocked", {
    destructive: true,
    asks: "all",
  }),
  row("asks for what is safe with one", { repair: ["drop-nulls"] }, '{"city":5}', "repaired", {
    destructive: true,
    asks: "all",
    sent: '{"city":"5"}',
  }),
  row(
    "asks for guesses of which one is set",
    { repair: ["fill-defaults"] },
    '{"citty":"a"}',
    "blocked",
    {
      destructive: true,
      asks: "all",
    },
  ),
  row(
    "asks for what is set for it",
    { repair: ["rename-properties"] },
    '{"citty":"a"}',
    "repaired",
    {
      destructive: true,
      asks: "all",
      sent: '{"city":"a"}',
    },
  ),
  {
    ...row("asks in mode off", {}, '{"city":5}', "blocked", { asks: "safe" }),
    settings: { input_validation: { mode: "off" } },
  },
];

const toolOf = ({ what }: Row): string => what.replaceAll(/[^a-z]+/g, "-");

let upstream: HttpUpstreamServer;
let touchstone: TestGateway;

beforeAll(async () => {
  const rows = [...ROWS, ...ASKED];
  const tools = rows.map((one) => ({
    name: toolOf(one),
    inputSchema: SCHEMA,
    annotations: { destructiveHint: one.destructive === true },
  }));
  upstream = await startHttpUpstream(({ body }, response) => {
    const { id, method } = JSON.parse(body) as { id: number; method: string };
    const more = method === "tools/call" ? { content: [] } : { tools };
    const result = { resultType: "complete", supportedVersions: ["2026-07-28"], ...more };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  });
  const settings = Object.fromEntries(rows.map((one) => [toolOf(one), one.settings]));
  touchstone = await startTestGateway({
    mcpServers: { up: { url: upstream.url, touchstone: { tools: settings } } },
    http: { allow_execute: true },
  });
  const list = modern("tools/list");
  await post(touchstone.url("up"), list.body, list.headers);
});
afterAll(async () => {
  await touchstone.close();
  await upstream.close();
});

async function send(path: string, body: string) {
  const response = await fetch(`http://127.0.0.1:${touchstone.gateway.port}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  return JSON.parse(await response.text());
}

/**
 * Returns the text of the arguments that the server received while a function ran; undefined if it received no call.
 */
async function sentIn(work: () => Promise<unknown>): Promise<string | undefined> {
  const before = upstream.seen.length;
  await work();
  const call = upstream.seen.slice(before).find(({ body }) => body.includes('"tools/call"'));
  if (call === undefined) return undefined;
  const bytes = Buffer.from(call.body);
  const place = locatePointers(bytes, ["/params/arguments"]).get("/params/arguments");
  return place?.found === true ? jsonText(bytes, place.value) : "none";
}

async function recorded(tool: string) {
  const [decision] = (await touchstone.records({ tool, type: "policy_decision" })).slice(-1);
  const [call] = (await touchstone.records({ tool, type: "tool_call" })).slice(-1);
  return { decision, call };
}

describe("every route makes the same decision about arguments", () => {
  it.each(ROWS)("$what: $decision", async (one) => {
    const { args, decision } = one;
    const tool = toolOf(one);
    const onward = decision === "blocked" ? undefined : (one.sent ?? args);
    const checked = await send(
      "/api/v1/check",
      `{"server":"up","tool":"${tool}","arguments":${args}}`,
    );
    expect(checked.decision).toBe(decision);
    const request = modern("tools/call", { name: tool, arguments: JSON.parse(args) });
    const body = request.body.replace(JSON.stringify(JSON.parse(args)), () => args);
    expect(await sentIn(() => post(touchstone.url("up"), body, request.headers))).toBe(onward);
    for (const path of [`/servers/up/tools/${tool}`, `/tools/up:${tool}`]) {
      const verdict = await send(`${path}/validate`, args);
      expect(verdict.valid).toBe(decision !== "blocked");
      const proposed = decision === "repaired" ? JSON.parse(one.sent ?? "") : undefined;
      expect(verdict.repair?.arguments).toEqual(proposed);
      const { decision: detailed } = await send(`${path}/validate?detail=full`, args);
      expect(detailed).toBe(decision);
      expect(await sentIn(() => send(`${path}/call`, args))).toBe(onward);
      const { call } = await recorded(tool);
      expect(call).toMatchObject({ decision });
    }
    const calls = `{"calls":[{"tool":"${tool}","arguments":${args}}]}`;
    const [inBatch] = (await send("/servers/up/validate", calls)).results;
    expect(inBatch).toEqual(await send(`/servers/up/tools/${tool}/validate`, args));
  });
});

describe("a call that requests repairs", () => {
  it.each(ASKED)("$what: $decision", async (one) => {
    const tool = toolOf(one);
    const { args, decision, asks, sent } = one;
    const query = asks === undefined ? "" : `?repair=${asks}`;
    for (const path of [`/servers/up/tools/${tool}/call`, `/tools/up:${tool}/call`]) {
      expect(await sentIn(() => send(`${path}${query}`, args))).toBe(sent);
      const found = await recorded(tool);
      expect(found).toMatchObject({ decision: { decision }, call: { decision } });
      expect(found.decision?.request_id).toBe(found.call?.request_id);
      if (decision === "repaired") expect(found.call?.repairs).toContain(" at /cit");
    }
  });
});

describe("arguments that are refused repeatedly", () => {
  it("say so in the tools API too, per caller, and are counted", async () => {
    const path = "/servers/up/tools/invalid/call";
    const text = async (args: string): Promise<string> => (await send(path, args)).content[0].text;
    const again = "The same arguments were blocked before";
    expect(await text('{"city":7}')).not.toContain(again);
    expect(await text('{ "city": 7 }')).toContain(again);
    expect(await text('{"city":8}')).not.toContain(again);
    const listed = await send("/tools/up:invalid/call", '{"city":7}');
    expect(listed.content[0].text).toContain(again);
    const { decision } = await recorded("invalid");
    expect(decision?.response_text).toContain(again);
  });
});
