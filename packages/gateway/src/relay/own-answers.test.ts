import { PassThrough } from "node:stream";
import { resultFrame } from "@touchstone/protocol/advanced";
import { describe, expect, it, onTestFinished } from "vitest";
import { createLogger } from "../../../util/src/log.ts";
import { SCRIPTED_SERVER } from "../testing/fixtures.ts";
import { startTestGateway } from "../testing/gateway.ts";
import { initialize, post, request, startHttpUpstream } from "../testing/http.ts";
import { LineLog } from "../testing/line-log.ts";
import { call, INITIALIZE, INITIALIZED } from "../testing/messages.ts";
import { tempDir, wrapped } from "../testing/wrapped.ts";
import { settingsFromOverrides, wrapUrl } from "../wrap.ts";

const LIMITS = { requestBytes: 2_000, upstreamFrameBytes: 2_000, sessions: 1, children: 1 };
const NEITHER = '{"jsonrpc":"2.0","id":$ID,"tools":[]}';
const BROKEN = '{"jsonrpc":"2.0","id":$ID,"result":{"tools":[}}';

/** Answers to the gateway's own tools/list that are of no use, and what the log says of each. */
const USELESS: readonly (readonly [string, string, RegExp])[] = [
  ["is too large", "huge:300000", /message of 300000 bytes is over the limit of 2000 bytes/],
  ["is not a message", `raw:${NEITHER}`, /has no list of tools/],
  ["is not JSON, but for its id", `raw:${BROKEN}`, /has no list/],
];

/** Answers the gateway's `tools/list` and the client's `ping` together, once it has both. */
const BATCHING = `
  const waiting = [];
  const answer = (id, result) => '{"jsonrpc":"2.0", "id":' + JSON.stringify(id) + ', "result":' + result + '}';
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method } = JSON.parse(line);
    if (method === "initialize") {
      const info = '"capabilities":{},"serverInfo":{"name":"s","version":"1"}';
      console.log(answer(id, '{"protocolVersion":"2025-03-26",' + info + '}'));
    }
    if (method === "tools/list") waiting.unshift(answer(id, '{"tools":[{"name":"work","inputSchema":{"required":["n"]}}]}'));
    if (method === "ping") waiting.push(answer(id, "{}"));
    if (method === "tools/call") console.log(answer(id, '{"content":[]}'));
    if (waiting.length === 2) console.log("[" + waiting.splice(0).join(" , ") + "]");
  });
`;
/** Answers the gateway's `tools/list` in a batch that it breaks, or makes too large. */
const BROKEN_BATCH = (rest: string): string => `
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method } = JSON.parse(line);
    const answer = (result) => JSON.stringify({ jsonrpc: "2.0", id, result });
    if (method === "tools/list") console.log("[" + answer({ tools: [] }) + "," + ${rest});
    if (method === "tools/call") console.log(answer({ content: [] }));
  });
`;
const PONG = '[{"jsonrpc":"2.0", "id":2, "result":{}}]';

describe("a batched response to the gateway's own request", () => {
  it("is removed, and the rest is forwarded unchanged: stdio", async () => {
    const client = wrapped(["-e", BATCHING], { inputMode: "strict" });
    const params = { ...INITIALIZE.params, protocolVersion: "2025-03-26" };
    client.send({ ...INITIALIZE, params }, INITIALIZED, call(1, "work", {}));
    client.send({ jsonrpc: "2.0", id: 2, method: "ping" });
    expect((await client.answer(1)).result?.isError).toBe(true);
    await client.close();
    expect(client.received.lines).toContain(PONG);
    expect(client.received.text).not.toContain("touchstone-");
  });

  it("is removed, and the rest is forwarded unchanged: HTTP", async () => {
    const touchstone = await startTestGateway({
      input_validation: { mode: "strict" },
      mcpServers: { one: { command: process.execPath, args: ["-e", BATCHING] } },
    });
    const url = touchstone.url("one");
    const session = await initialize(url, "2025-03-26");
    const [called, pinged] = await Promise.all([
      post(url, request(1, "tools/call", { name: "work", arguments: {} }), session),
      post(url, request(2, "ping"), session),
    ]);
    expect(JSON.parse(called.text).result.isError).toBe(true);
    expect(pinged.text).toBe(PONG);
    await touchstone.close();
  });
});

it.each([
  ["is broken", `"{]"`, /is in broken JSON/],
  ["is too long", `"0,".repeat(1000) + "0]"`, /in a batch of more than 1000 messages/],
  ["is too large", `'{"x":"' + "x".repeat(300000) + '"}]'`, /is over the limit of 4000 bytes/],
])("a response to the gateway itself in a batch that %s delays no call", async (_, rest, why) => {
  const limits = { ...LIMITS, upstreamFrameBytes: 4_000 };
  const client = wrapped(["-e", BROKEN_BATCH(rest)], { limits });
  client.send(call(1, "work", {}));
  expect((await client.answer(1)).result?.content).toEqual([]);
  expect(await client.log.find("could not fetch tools/list")).toMatch(why);
  await client.close();
  expect(client.received.text).not.toContain("touchstone-");
});

describe("a response to the gateway's own request", () => {
  it.each(USELESS)(
    "that %s delays no call, and reaches no client: stdio",
    async (_, action, why) => {
      const actions = ["--on", `tools/list=${action}`];
      const client = wrapped([SCRIPTED_SERVER, ...actions], { limits: LIMITS });
      client.send(INITIALIZE, INITIALIZED, call(1, "work", { n: 1 }));
      expect((await client.answer(1)).result?.structuredContent).toEqual({ n: 1 });
      expect(await client.log.find("could not fetch tools/list")).toMatch(why);
      await client.close();
      expect(client.received.text).not.toContain("touchstone-");
    },
  );

  it.each(USELESS)(
    "that %s delays no call, and reaches no client: HTTP",
    async (_, action, why) => {
      const args = [SCRIPTED_SERVER, "--on", `tools/list=${action}`];
      const touchstone = await startTestGateway({
        limits: { upstream_frame_bytes: 2_000 },
        mcpServers: { one: { command: process.execPath, args } },
      });
      const url = touchstone.url("one");
      const session = await initialize(url);
      const called = request(1, "tools/call", { name: "work", arguments: { n: 1 } });
      const { text } = await post(url, called, session);
      expect(JSON.parse(text).result.structuredContent).toEqual({ n: 1 });
      expect(await touchstone.line(/could not fetch tools\/list/)).toMatch(why);
      await touchstone.close();
    },
  );

  it.each([
    ["is too large", "application/json", "x".repeat(3_000), /over the limit of 2000 bytes/],
    ["nobody can read", "text/html", "<p>", /text\/html instead of a JSON-RPC message/],
  ])("that %s delays no call: remote server", async (_, type, body, why) => {
    const upstream = await startHttpUpstream((seen, response) => {
      const { id, method } = seen.method === "POST" ? JSON.parse(seen.body) : {};
      const own = method === "tools/list";
      response.writeHead(200, { "content-type": own ? type : "application/json" });
      response.end(own ? body : resultFrame(JSON.stringify(id ?? 0), '{"content":[]}'));
    });
    const input = new PassThrough();
    const output = new PassThrough();
    const [received, log] = [new LineLog(), new LineLog()];
    output.on("data", (chunk: Buffer) => received.push(chunk));
    const ended = wrapUrl({
      name: "server",
      url: upstream.url,
      headers: {},
      settings: settingsFromOverrides({}),
      limits: LIMITS,
      dataDir: tempDir(),
      input,
      output,
      log: createLogger((line) => log.add(line.trimEnd()), "info"),
      signal: new AbortController().signal,
    });
    onTestFinished(() => upstream.close());
    input.write(`${JSON.stringify(call(1, "work", {}))}\n`);
    expect(await received.find('"id":1')).toContain('"content":[]');
    expect(await log.find("could not fetch tools/list")).toMatch(why);
    input.end();
    expect(await ended).toBe(0);
    expect(received.text).not.toContain("touchstone-");
  });
});
