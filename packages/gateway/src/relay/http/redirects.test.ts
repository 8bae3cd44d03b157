import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "../../testing/gateway.ts";
import {
  type HttpUpstreamServer,
  post,
  request,
  type SeenRequest,
  startHttpUpstream,
} from "../../testing/http.ts";
import { decideRedirect } from "./upstream.ts";

describe("decideRedirect", () => {
  const from = "http://a.example/mcp";
  const of = (status: number, location: string) => decideRedirect(from, status, { location });

  it.each([200, 300, 304, 400])("returns nothing for %i", (status) => {
    expect(of(status, "/x")).toBeUndefined();
  });

  it.each([301, 302, 303])("does not follow %i, even to the same origin", (status) => {
    expect(of(status, "/x")).toEqual({
      follow: false,
      reason: expect.stringContaining(`(HTTP status ${status})`),
    });
    expect(of(status, "http://")).toMatchObject({ follow: false });
  });

  it.each([307, 308])("follows %i only to the same origin", (status) => {
    expect(of(status, "/x?y=1")).toEqual({ follow: true, url: "http://a.example/x?y=1" });
    for (const other of ["https://a.example/mcp", "http://a.example:81/", "//b.example/mcp"]) {
      expect(of(status, other)).toMatchObject({ follow: false });
    }
  });
});

let elsewhere: HttpUpstreamServer;
let upstream: HttpUpstreamServer;
let touchstone: TestGateway;
/** Called for a request that gets no response. */
let hanging: (response: ServerResponse) => void = () => {};

const session = { "mcp-session-id": "s-1", "mcp-protocol-version": "2025-11-25" };
const call = request(5, "ping");

/** Redirects as the path tells: `/307/to/…` with the status 307 to what follows. */
function answer({ path, body }: SeenRequest, response: ServerResponse): void {
  if (path === "/hang") {
    hanging(response);
    return;
  }
  const [, status, target = ""] = /^\/(\d+)(\/.*|)$/.exec(path) ?? [];
  if (status === undefined) {
    const { id } = body === "" ? { id: 0 } : (JSON.parse(body) as { id: unknown });
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result: { path } }));
    return;
  }
  const special: Record<string, string> = {
    "/away": elsewhere.url,
    "/script": "javascript:1",
    "/other": "web+http://127.0.0.1/",
  };
  const location = special[target] ?? target;
  response.writeHead(Number(status), location === "" ? {} : { location }).end();
}

beforeAll(async () => {
  elsewhere = await startHttpUpstream(answer);
  upstream = await startHttpUpstream(answer);
  const { origin } = new URL(upstream.url);
  const to = (path: string) => ({
    url: origin + path,
    headers: { Authorization: "Bearer secret" },
  });
  touchstone = await startTestGateway({
    mcpServers: {
      slash: to("/307/mcp/"),
      twice: to("/308/307/mcp/"),
      loop: to("/307/307/307/307/307/307/307/307/mcp"),
      away: to("/307/away"),
      moved: to("/301/mcp/?token=s3cret"),
      keyed: to("/301/s/0123456789s3cretabcdef"),
      nowhere: to("/308"),
      script: to("/307/script"),
      other: to("/307/other"),
      slow: to("/307/308/hang"),
    },
  });
});
afterAll(async () => {
  await touchstone.close();
  await upstream.close();
  await elsewhere.close();
});

describe("a redirect", () => {
  it.each(["slash", "twice"])("is followed on the same server: %s", async (server) => {
    const { status, text } = await post(touchstone.url(server), call, session);
    expect([status, JSON.parse(text)]).toEqual([
      200,
      { jsonrpc: "2.0", id: 5, result: { path: "/mcp/" } },
    ]);
    expect(upstream.seen.at(-1)).toMatchObject({
      method: "POST",
      body: JSON.stringify(call),
      headers: { authorization: "Bearer secret", ...session },
    });
  });

  it.each([
    ["away", /redirects to http:\/\/127\.0\.0\.1:\d+\/mcp \(HTTP status 307\)/],
    ["moved", /redirects to http:\/\/127\.0\.0\.1:\d+\/mcp\/ \(HTTP status 301\)/],
    ["keyed", /redirects to http:\/\/127\.0\.0\.1:\d+\/s\/\[redacted\] \(HTTP status 301\)/],
    ["loop", /redirects too many times/],
    ["nowhere", /redirects to no URL \(HTTP status 308\)/],
    ["script", /redirects to no URL \(HTTP status 307\)/],
    ["other", /redirects to no URL \(HTTP status 307\)/],
  ])(
    "is not forwarded to the client, which would bypass the gateway: %s",
    async (server, reason) => {
      const response = await fetch(touchstone.url(server), {
        method: "POST",
        redirect: "manual",
        headers: { "content-type": "application/json", ...session },
        body: JSON.stringify(call),
      });
      const text = await response.text();
      expect(response.status).toBe(502);
      expect(response.headers.get("location")).toBeNull();
      expect(JSON.parse(text)).toMatchObject({ id: 5, error: { code: -32603 } });
      expect(text).toMatch(reason);
      expect(text).not.toContain("s3cret");
      expect(elsewhere.seen).toEqual([]);
    },
  );

  it("is not forwarded to a client that opens a stream, either", async () => {
    const response = await fetch(touchstone.url("away"), {
      redirect: "manual",
      headers: { accept: "text/event-stream", ...session },
    });
    expect([response.status, response.headers.get("location")]).toEqual([502, null]);
    expect(elsewhere.seen).toEqual([]);
  });

  it("is abandoned when the client leaves", async () => {
    const asked = new Promise<ServerResponse>((resolve) => {
      hanging = resolve;
    });
    const client = new AbortController();
    const headers = { "content-type": "application/json", ...session };
    const sent = { method: "POST", headers, body: JSON.stringify(call), signal: client.signal };
    const given = fetch(touchstone.url("slow"), sent).catch((error: Error) => error.name);
    const upstreams = await asked;
    const closed = once(upstreams, "close");
    client.abort();
    await closed;
    expect(await given).toBe("AbortError");
  });
});
