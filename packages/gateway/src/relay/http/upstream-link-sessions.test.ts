import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import type { SeenRequest } from "../../testing/http.ts";
import {
  AGREED,
  type Answer,
  events,
  INITIALIZE,
  json,
  linked,
  result,
} from "../testing/linked.ts";

interface Message {
  readonly id?: unknown;
  readonly method?: string;
}
const messageOf = ({ body }: SeenRequest): Message => (body === "" ? {} : JSON.parse(body));
const CALL = { method: "tools/call", params: { name: "x" } };

const noSession = (code: number, message: string): string =>
  JSON.stringify({ jsonrpc: "2.0", id: null, error: { code, message } });
const notFound = (response: ServerResponse): void =>
  json(response, noSession(-32001, "Session not found"), 404);

/** A server whose sessions end when it is told to. */
function sessions(
  answer: Answer = (seen, response) => json(response, result(messageOf(seen).id)),
  over: (response: ServerResponse) => void = notFound,
) {
  const open = new Set<unknown>();
  let begun = 0;
  const serve: Answer = (seen, response) => {
    const { id, method } = messageOf(seen);
    const session = seen.headers["mcp-session-id"];
    if (method === "initialize") {
      begun += 1;
      open.add(`s${begun}`);
      json(response, result(id, AGREED), 200, { "mcp-session-id": `s${begun}` });
    } else if (!open.has(session)) {
      over(response);
    } else if (seen.method === "POST" && id === undefined) response.writeHead(202).end();
    else return answer(seen, response);
  };
  return { serve, end: () => open.clear(), sessions: () => begun };
}

async function begin(answer: Answer) {
  const link = await linked(answer);
  await link.send({ id: 0, method: "initialize", params: INITIALIZE });
  await link.send({ method: "notifications/initialized" });
  return link;
}

describe("a session that the server has ended", () => {
  it("is restarted with the client's initialize, and the request is sent again", async () => {
    const server = sessions();
    const { upstream, received, log, send, answered } = await begin(server.serve);
    server.end();
    await send({ id: 5, ...CALL });
    expect(await answered(5)).toEqual({ jsonrpc: "2.0", id: 5, result: {} });
    const posts = upstream.seen.filter(({ method }) => method === "POST");
    const [anew, told, again] = posts.slice(-3);
    const first = JSON.parse(posts[0]?.body ?? "");
    expect(JSON.parse(anew?.body ?? "")).toEqual({
      ...first,
      id: expect.stringMatching(/^touchstone-[0-9a-f]{24}$/),
    });
    expect(anew?.headers).not.toHaveProperty("mcp-session-id");
    expect(anew?.headers).not.toHaveProperty("mcp-protocol-version");
    expect(messageOf(told as SeenRequest).method).toBe("notifications/initialized");
    for (const { headers } of [told, again] as SeenRequest[]) {
      expect(headers).toMatchObject({
        "mcp-session-id": "s2",
        "mcp-protocol-version": "2025-11-25",
        "x-tenant": "t",
      });
    }
    expect(JSON.parse(again?.body ?? "")).toEqual({ jsonrpc: "2.0", id: 5, ...CALL });
    await log.find("the server had ended the session; a new one was begun");
    // The response to initialize was asked for by the link, not by its client.
    expect(received.lines.filter((line) => line.includes("serverInfo"))).toHaveLength(1);
  });

  it("is restarted once for all requests that find it ended", async () => {
    const server = sessions();
    const { send, answered } = await begin(server.serve);
    server.end();
    const ids = ["a", "b", "c", "d"];
    await Promise.all(ids.map((id) => send({ id, ...CALL })));
    for (const id of ids) expect(await answered(id)).toMatchObject({ result: {} });
    expect(server.sessions()).toBe(2);
  });

  it.each<[string, (response: ServerResponse) => void]>([
    [
      "in JSON",
      (response) =>
        json(response, noSession(-32000, "Bad Request: No valid session ID provided"), 400),
    ],
    [
      "in text",
      (response) => {
        response.writeHead(400, { "content-type": "text/plain" });
        response.end("Bad Request: No valid session ID provided");
      },
    ],
  ])("is restarted also if the server reports it with 400, %s", async (_, over) => {
    const server = sessions(undefined, over);
    const { send, answered } = await begin(server.serve);
    for (const id of [1, 2]) {
      server.end();
      await send({ id, ...CALL });
      expect(await answered(id)).toMatchObject({ result: {} });
    }
    expect(server.sessions()).toBe(3);
  });

  it.each(["No valid session ID provided", "Something else"])(
    "is restarted only once if the server always answers 400: %s",
    async (message) => {
      const refusal = noSession(-32000, message);
      const server = sessions((_, response) => json(response, refusal, 400));
      const { send, answered } = await begin(server.serve);
      for (const id of [1, 2, 3]) {
        await send({ id, ...CALL });
        expect(await answered(id)).toMatchObject({ error: { code: -32000 } });
      }
      expect(server.sessions()).toBe(message === "Something else" ? 1 : 2);
    },
  );

  it("is not restarted for a message without a response", async () => {
    const server = sessions();
    const { log, send } = await begin(server.serve);
    server.end();
    await send({ id: "ask-1", result: {} });
    await log.find("HTTP status 404");
    expect(server.sessions()).toBe(1);
  });

  it("gives an error for the request if the new session ends at once too", async () => {
    const server = sessions();
    const { send, answered } = await begin((seen, response) => {
      if (messageOf(seen).method === "tools/call") server.end();
      return server.serve(seen, response);
    });
    await send({ id: 5, ...CALL });
    expect(await answered(5)).toMatchObject({ error: { code: -32001 } });
    expect(server.sessions()).toBe(2);
  });

  it.each<[string, string, RegExp]>([
    ["in another revision", AGREED.replace("2025-11-25", "2025-06-18"), /revision 2025-06-18/],
    ["with no result", '{"no":"revision"}', /did not respond to initialize/],
  ])("gives an error if the new session starts %s", async (_name, agreed, reason) => {
    const server = sessions();
    let anew = false;
    const { send, answered } = await begin((seen, response) => {
      const { id, method } = messageOf(seen);
      if (anew && method === "initialize") json(response, result(id, agreed));
      else return server.serve(seen, response);
    });
    anew = true;
    server.end();
    await send({ id: 5, ...CALL });
    const { error } = await answered(5);
    expect(error.message).toMatch(/has ended, and no new one could be begun: /);
    expect(error.message).toMatch(reason);
    anew = false;
    await send({ id: 6, ...CALL });
    expect(await answered(6)).toMatchObject({ result: {} });
  });
});

describe("the stream of the server's own messages", () => {
  const note = (n: number): string =>
    `data: {"jsonrpc":"2.0","method":"notifications/message","params":{"n":${n}}}\n\n`;
  const listening = (get: (gets: number, response: ServerResponse) => void) => {
    let gets = 0;
    return sessions((seen, response) => {
      if (seen.method !== "GET") json(response, result(messageOf(seen).id));
      else {
        gets += 1;
        get(gets, response);
      }
    });
  };

  it("is opened again in a new session", async () => {
    const server = listening((gets, response) => void events(response, note(gets)));
    const { received, send } = await begin(server.serve);
    await received.find('"n":1');
    server.end();
    await send({ id: 5, ...CALL });
    await received.find('"n":2');
  });

  it("is reopened however often it ends without an event, or fails for a while", async () => {
    const server = listening((gets, response) => {
      if (gets === 1) events(response, "retry: 1\n\n").end();
      else if (gets === 3) response.destroy();
      else if (gets === 4) response.writeHead(503).end();
      else if (gets === 5)
        events(response, ": hello\n\n").write(": \n\n", () => response.destroy());
      else if (gets < 9) events(response, "").end();
      else events(response, note(gets));
    });
    const { received } = await begin(server.serve);
    await received.find('"n":9');
  });

  it("is not requested again if the server has none", async () => {
    const server = listening((_gets, response) => void response.writeHead(405).end());
    const { log, upstream } = await begin(server.serve);
    await log.find("no stream of the server's own");
    expect(upstream.seen.filter(({ method }) => method === "GET")).toHaveLength(1);
  });
});
