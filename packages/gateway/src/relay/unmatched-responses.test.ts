import { describe, expect, it, onTestFinished } from "vitest";
import { startTestGateway } from "../testing/gateway.ts";
import { initialize, post, request, startHttpUpstream } from "../testing/http.ts";
import { call, INITIALIZE, INITIALIZED } from "../testing/messages.ts";
import { wrapped } from "../testing/wrapped.ts";

/** Answers `initialize` as it should, and all other requests under one id, once enough of them wait. */
const MANGLING = (id: string, together: number): string => `
  let waiting = 0;
  const say = (id, result) => console.log('{"jsonrpc":"2.0",' + id + '"result":' + result + '}');
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method } = JSON.parse(line);
    if (id === undefined) return;
    if (method === "initialize") {
      say('"id":' + JSON.stringify(id) + ",", '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}');
      return;
    }
    waiting += 1;
    if (waiting < ${together} && method !== "tools/list") return;
    for (; waiting > 0; waiting -= 1) say('${id}', '{"content":[]}');
  });
`;
const IDS = ['"id":99,', '"id":null,', ""];

describe.each(IDS)("responses that match no request leave no request unanswered: %s", (id) => {
  it("for wrap, with the gateway's own tools/list and a waiting call", async () => {
    const client = wrapped(["-e", MANGLING(id, 1)]);
    client.send(INITIALIZE);
    await client.answer(INITIALIZE.id);
    client.send(INITIALIZED, call(7, "work", {}));
    expect(await client.answer(7)).toMatchObject({ error: { code: -32603 } });
    const why =
      /could not fetch tools\/list.*while the gateway waited for the response to tools\/list/;
    expect(await client.log.find("could not fetch")).toMatch(why);
    await client.close();
    expect(client.received.text).not.toContain("touchstone-");
  });

  it("for wrap, with concurrent requests", async () => {
    const client = wrapped(["-e", MANGLING(id, 3)], { mode: "off" });
    client.send(INITIALIZE);
    await client.answer(INITIALIZE.id);
    client.send(INITIALIZED, call(7, "a", {}), call(8, "b", {}), call(9, "c", {}));
    for (const answered of [7, 8, 9]) {
      expect(await client.answer(answered)).toMatchObject({ error: { code: -32603 } });
    }
    await client.close();
  });

  it("for serve, with concurrent requests of one session", async () => {
    const touchstone = await startTestGateway({
      ...{ input_validation: { mode: "off" }, output_validation: { mode: "off" } },
      mcpServers: { one: { command: process.execPath, args: ["-e", MANGLING(id, 2)] } },
    });
    const url = touchstone.url("one");
    const session = await initialize(url);
    const answers = await Promise.all(
      [7, 8].map((number) => post(url, request(number, "tools/call", { name: "a" }), session)),
    );
    for (const [i, { text }] of answers.entries()) {
      expect(JSON.parse(text)).toMatchObject({ id: 7 + i, error: { code: -32603 } });
    }
    await touchstone.close();
  });
});

describe("an HTTP server's responses that match no request", () => {
  const NAMELESS = '{"jsonrpc":"2.0","id":null,"result":{"content":[]}}';

  /** Answers a batch with responses without ids, and a GET with some as well. */
  async function serving() {
    const upstream = await startHttpUpstream(({ method, body }, response) => {
      if (method === "GET") {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.end(`data: ${NAMELESS}\n\n`.repeat(2));
        return;
      }
      const message = JSON.parse(body);
      const { id, method: asked, params } = message;
      if (!Array.isArray(message) && id === undefined) {
        response.writeHead(202).end();
        return;
      }
      response.writeHead(200, { "content-type": "application/json", "mcp-session-id": "s" });
      const say = (result: object): string => JSON.stringify({ jsonrpc: "2.0", id, result });
      if (Array.isArray(message)) response.end(`[${message.map(() => NAMELESS).join()}]`);
      else if (asked === "initialize") {
        const serverInfo = { name: "u", version: "1" };
        const { protocolVersion } = params;
        response.end(say({ protocolVersion, capabilities: { tools: {} }, serverInfo }));
      } else {
        held.push(() => response.end(say({ content: [] })));
        asking();
      }
    });
    const held: (() => void)[] = [];
    let asking = (): void => {};
    const asked = new Promise<void>((resolve) => {
      asking = () => held.length === 2 && resolve();
    });
    const touchstone = await startTestGateway({
      ...{ input_validation: { mode: "off" }, output_validation: { mode: "off" } },
      mcpServers: { one: { url: upstream.url } },
    });
    onTestFinished(async () => {
      await touchstone.close();
      await upstream.close();
    });
    return { url: touchstone.url("one"), held, asked };
  }

  it("leave no request of a batch unanswered", async () => {
    const { url } = await serving();
    const session = await initialize(url, "2025-03-26");
    const batch = [7, 8].map((number) => request(number, "tools/call", { name: "a" }));
    const answers = JSON.parse((await post(url, batch, session)).text);
    for (const id of [7, 8]) {
      expect(answers).toContainEqual(expect.objectContaining({ id, error: expect.anything() }));
    }
  });

  it("end no request with an open POST if they come on the server's stream", async () => {
    const { url, held, asked } = await serving();
    const session = await initialize(url);
    const answers = [7, 8].map((number) =>
      post(url, request(number, "tools/call", { name: "a" }), session),
    );
    await asked;
    const stream = await fetch(url, { headers: { ...session, accept: "text/event-stream" } });
    await stream.text();
    for (const answer of held) answer();
    for (const [i, { text }] of (await Promise.all(answers)).entries()) {
      expect(JSON.parse(text)).toEqual({ jsonrpc: "2.0", id: 7 + i, result: { content: [] } });
    }
  });
});
