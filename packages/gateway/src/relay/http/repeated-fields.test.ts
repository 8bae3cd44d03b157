import { afterEach, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "../../testing/gateway.ts";
import { type HttpUpstreamServer, modern, post, startHttpUpstream } from "../../testing/http.ts";

type Fields = Record<string, string | string[]>;

const ANSWER = '{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","tools":[]}}';

let upstream: HttpUpstreamServer | undefined;
let touchstone: TestGateway | undefined;

afterEach(async () => {
  await touchstone?.close();
  await upstream?.close();
});

/** Asks a server whose answers have these header fields, in lines of their own where they are several. */
async function ask(fields: Fields): ReturnType<typeof post> {
  upstream = await startHttpUpstream((_seen, response) => {
    const isEvents = String(fields["content-type"]).startsWith("text/event-stream");
    response.writeHead(200, { "content-type": "application/json", ...fields });
    response.end(isEvents ? `data: ${ANSWER}\n\n` : ANSWER);
  });
  touchstone = await startTestGateway({ mcpServers: { up: { url: upstream.url } } });
  const { body, headers } = modern("tools/list");
  return post(touchstone.url("up"), body, headers);
}

it.each<[string, Fields]>([
  [
    "a built-in server and its program each say what becomes of the connection",
    { connection: ["close", "keep-alive"] },
  ],
  [
    "the same media type",
    { "content-type": ["application/json", "application/json; charset=utf-8"] },
  ],
  [
    "the same media type of a stream",
    { "content-type": ["text/event-stream", "text/event-stream"] },
  ],
  ["no content coding", { "content-encoding": ["identity", "identity"] }],
  ["fields of no meaning here", { vary: ["origin", "accept"], "x-own": ["1", "2"] }],
])("forwards the response if the server repeats a header: %s", async (_what, fields) => {
  const answer = await ask(fields);
  expect(answer.messages).toEqual([ANSWER]);
  expect(answer.status).toBe(200);
});

it("drops headers named by a second Connection header too", async () => {
  const answer = await ask({ connection: ["keep-alive", "x-hop"], "x-hop": "1", "x-own": "1" });
  expect(answer.messages).toEqual([ANSWER]);
  expect(answer.headers.get("x-own")).toBe("1");
  expect(answer.headers.get("x-hop")).toBeNull();
});

it.each<[string, Fields, string]>([
  [
    "media types that are not the same",
    { "content-type": ["text/plain", "application/json"] },
    "text/plain, application/json instead of a JSON-RPC message",
  ],
  [
    "a charset the second time",
    { "content-type": ["application/json", "application/json; charset=utf-7"] },
    'in the charset \\"utf-7\\"',
  ],
])("refuses a response with ambiguous headers: %s", async (_what, fields, reason) => {
  const answer = await ask(fields);
  expect(answer.status).toBe(502);
  expect(answer.text).toContain(reason);
});
