import { afterEach, expect } from "vitest";
import { eachOf } from "../../../../core/src/testing/sample.ts";
import { startTestGateway, type TestGateway } from "../../testing/gateway.ts";
import {
  type HttpAnswer,
  initialize,
  modern,
  post,
  request,
  startHttpUpstream,
} from "../../testing/http.ts";

/** Answers `tools/list` when it gets a signal, and everything else at once. */
const SLOW_TO_LIST = `
  const answer = (id, result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
  const serverInfo = { name: "s", version: "1" };
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method } = JSON.parse(line);
    const list = { resultType: "complete", ttlMs: 0, cacheScope: "private", tools: [] };
    if (method === "initialize") answer(id, { protocolVersion: "2025-11-25", capabilities: {}, serverInfo });
    if (method === "tools/call") answer(id, { resultType: "complete", content: [] });
    if (method !== "tools/list") return;
    process.on("SIGUSR2", () => answer(id, list));
    console.error("asked", process.pid);
  });
`;

const text = "x".repeat(8 * 1024 * 1024);
/** 80 MiB go through three processes. */
const TIMEOUT = 240_000;
/** As many of that size as may wait. */
const WAIT = 8;
const BEYOND = 2;

let touchstone: TestGateway;
let goOn: () => void;
let asked: Promise<unknown>;
const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const each of cleanUp.splice(0).reverse()) await each();
});

async function startInFront(server: object): Promise<void> {
  touchstone = await startTestGateway({
    mcpServers: { one: server },
    // All of the large bodies come at once, from one address.
    limits: { unfinished_bytes: 1_000_000_000 },
  });
  cleanUp.push(() => touchstone.close());
}

async function startStdio(): Promise<void> {
  await startInFront({ command: process.execPath, args: ["-e", SLOW_TO_LIST] });
  asked = touchstone.line(/asked/).then((line) => {
    goOn = () => process.kill(Number(line.split("asked ")[1]), "SIGUSR2");
  });
}

async function startUrl(): Promise<void> {
  let listed: () => void = () => {};
  asked = new Promise<void>((resolve) => {
    listed = resolve;
  });
  const upstream = await startHttpUpstream(({ method, body }, response) => {
    const { id, method: what } = method === "POST" ? JSON.parse(body) : {};
    const answer = (result: object): void => {
      response.writeHead(200, { "content-type": "application/json", "mcp-session-id": "s" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    };
    const serverInfo = { name: "u", version: "1" };
    if (id === undefined) response.writeHead(method === "POST" ? 202 : 405).end();
    else if (what === "initialize") {
      answer({ protocolVersion: "2025-11-25", capabilities: {}, serverInfo });
    } else if (what === "tools/list") {
      goOn = () => answer({ tools: [] });
      listed();
    } else answer({ content: [] });
  });
  cleanUp.push(() => upstream.close());
  await startInFront({ type: "http", url: upstream.url });
}

type Send = (id: number) => Promise<HttpAnswer>;

async function inSession(): Promise<Send> {
  const headers = await initialize(touchstone.url("one"));
  return (id) =>
    post(
      touchstone.url("one"),
      request(id, "tools/call", { name: "work", arguments: { text } }),
      headers,
    );
}

async function withoutSession(): Promise<Send> {
  return (id) => {
    const { body, headers } = modern("tools/call", { name: "work", arguments: { text } }, { id });
    return post(touchstone.url("one"), body, headers);
  };
}

eachOf<[string, () => Promise<void>, () => Promise<Send>]>(
  [
    ["a session of a stdio server", startStdio, inSession],
    ["the requests of 2026-07-28 of a stdio server", startStdio, withoutSession],
    ["a session of a server by URL", startUrl, inSession],
  ],
  1,
)(
  "rejects calls that wait for the tool list beyond 64 MiB: %s",
  async (_, start, open) => {
    await start();
    const send = await open();
    const refused: string[] = [];
    let twoRefused: () => void = () => {};
    const beyond = new Promise<void>((resolve) => {
      twoRefused = resolve;
    });
    const answers = Array.from({ length: WAIT + BEYOND }, async (__, id) => {
      const { messages } = await send(id);
      const said = JSON.parse(messages.at(-1) ?? "");
      if (said.error !== undefined) refused.push(said.error.message);
      if (refused.length === BEYOND) twoRefused();
      return said;
    });
    await Promise.all([beyond, asked]);
    goOn();
    const all = await Promise.all(answers);
    expect(all.map(({ id }) => id)).toEqual(answers.map((__, id) => id));
    expect(all.filter(({ result }) => result !== undefined)).toHaveLength(WAIT);
    const message = expect.stringContaining(
      "64 MiB of requests are waiting for the server's tool list",
    );
    expect(refused).toEqual(Array(BEYOND).fill(message));
    const records = await touchstone.records({ type: "tool_call", status: "rejected" });
    expect(records).toMatchObject(Array(BEYOND).fill({ reason: message }));
  },
  TIMEOUT,
);
