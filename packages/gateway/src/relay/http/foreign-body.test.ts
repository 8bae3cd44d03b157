import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "../../testing/gateway.ts";
import { type HttpUpstreamServer, modern, post, startHttpUpstream } from "../../testing/http.ts";

let upstream: HttpUpstreamServer;
let touchstone: TestGateway;

beforeAll(async () => {
  upstream = await startHttpUpstream(({ body }, response) => {
    const { id } = JSON.parse(body) as { id: unknown };
    const result = { resultType: "complete" };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  });
  touchstone = await startTestGateway({ mcpServers: { web: { url: upstream.url } } });
});
afterAll(async () => {
  await touchstone.close();
  await upstream.close();
});

const send = (own: Record<string, string>) => {
  const { body, headers } = modern("ping");
  return post(touchstone.url("web"), body, { ...headers, ...own });
};

// A server may decode these, and would read another message than the one that was checked.
it.each([
  [{ "content-type": "application/json; charset=utf-7" }, /in UTF-8, not in the charset "utf-7"/],
  [{ "content-type": "application/json; charset=utf-8; charset=UTF-7" }, /charset "utf-7"/],
  [{ "content-type": 'application/json; a="; charset=utf-8"; charset=utf-16le' }, /utf-16le/],
  [{ "content-encoding": "br" }, /content encoding "br"/],
  [{ "content-encoding": "identity, gzip" }, /content encoding "identity, gzip"/],
])("refuses a body in another encoding: %j", async (headers, text) => {
  const before = upstream.seen.length;
  const answer = await send(headers);
  const { error } = JSON.parse(answer.text) as { error: { message: string } };
  expect([answer.status, error.message]).toEqual([415, expect.stringMatching(text)]);
  expect(upstream.seen).toHaveLength(before);
});

it.each([
  { "content-type": "application/json" },
  { "content-type": "Application/JSON;charset=UTF-8" },
  { "content-type": 'application/json; charset="utf-8"' },
  { "content-type": "application/json; profile=x" },
  { "content-encoding": "identity" },
])("accepts %j", async (headers) => {
  expect((await send(headers)).status).toBe(200);
});
