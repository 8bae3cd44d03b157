import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, expect, it } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { connect } from "./connect.ts";

const SERVER_INFO = { name: "s", version: "1" };
const INITIALIZED = { protocolVersion: "2025-06-18", capabilities: {}, serverInfo: SERVER_INFO };
const DISCOVERED = {
  supportedVersions: ["2026-07-28"],
  capabilities: { tools: {} },
  resultType: "complete",
  ttlMs: 0,
  cacheScope: "private",
};

/** Answers one request. */
type Answer = (outcome: object) => void;
type Answers = Readonly<Record<string, (answer: Answer, response: ServerResponse) => void>>;

// The tests wait until a server's time limit has passed, so they run at the same time.
const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
});

/** Starts a server at a URL that only responds to the given requests. */
async function serving(answers: Answers) {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    if (request.method !== "POST") {
      response.writeHead(405).end();
      return;
    }
    const { id, method } = JSON.parse(body);
    asked.push(method);
    if (id === undefined) {
      response.writeHead(202).end();
      return;
    }
    const answer: Answer = (outcome) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, ...outcome }));
    };
    answers[method]?.(answer, response);
  }).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  return { url, asked };
}

const connecting = (url: string, timeout: number) =>
  connect(
    { name: "s", upstream: { type: "http", url, headers: {} } },
    {
      timeout,
      stderr: () => {},
      env: {},
      version: "1",
      stop: new AbortController().signal,
    },
  );

it.concurrent("falls back to initialize if a server never answers the first request", {
  ...long,
  timeout: 60_000,
}, async () => {
  let gone: Promise<unknown> | undefined;
  const { url, asked } = await serving({
    "server/discover": (_, response) => {
      gone = once(response, "close");
    },
    initialize: (answer) => answer({ result: INITIALIZED }),
    "tools/list": (answer) => answer({ result: { tools: [{ name: "t" }] } }),
  });
  const connection = await connecting(url, 60_000);
  expect(connection).toMatchObject({ revision: "2025-06-18", server: "s/1" });
  expect(await connection.listTools()).toEqual([{ name: "t" }]);
  // A request that is no longer needed is aborted.
  await gone;
  await connection.close();
  const wanted = ["server/discover", "initialize", "notifications/initialized", "tools/list"];
  expect(asked).toEqual(wanted);
});

it.concurrent("does not count an empty event stream as a response to the first request", {
  ...long,
  timeout: 60_000,
}, async () => {
  const { url } = await serving({
    "server/discover": (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    },
    initialize: (answer) => answer({ result: INITIALIZED }),
  });
  const connection = await connecting(url, 60_000);
  expect(connection.revision).toBe("2025-06-18");
  await connection.close();
});

it.concurrent.each([
  ["never answers initialize", () => {}],
  ["refuses initialize", (answer: Answer) => answer({ error: { code: -32601, message: "no" } })],
])(
  "speaks the latest revision with a slow server that %s",
  { ...long, timeout: 60_000 },
  async (_, refuse) => {
    let discovered: Answer | undefined;
    const { url, asked } = await serving({
      "server/discover": (answer) => {
        discovered = answer;
      },
      initialize: (answer) => {
        refuse(answer);
        discovered?.({ result: DISCOVERED });
      },
    });
    const connection = await connecting(url, 60_000);
    expect(connection.revision).toBe("2026-07-28");
    await connection.close();
    expect(asked).toEqual(["server/discover", "initialize"]);
  },
);

it.concurrent("initializes once a server that answers late and lacks the latest revision", {
  ...long,
  timeout: 60_000,
}, async () => {
  let refused: Answer | undefined;
  const { url, asked } = await serving({
    "server/discover": (answer) => {
      refused = answer;
    },
    initialize: (answer) => {
      refused?.({ error: { code: -32601, message: "no" } });
      answer({ result: INITIALIZED });
    },
  });
  const connection = await connecting(url, 60_000);
  await connection.close();
  expect(asked.filter((method) => method === "initialize")).toHaveLength(1);
});

it.concurrent("reports that a silent server did not respond in time", async () => {
  const { url, asked } = await serving({});
  await expect(connecting(url, 400)).rejects.toThrow(/^it did not respond in time; --timeout/);
  expect(asked).toEqual(["server/discover", "initialize"]);
});
