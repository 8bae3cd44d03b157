import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Frame, readFrame } from "@touchstone/protocol/advanced";
import { expect, it, onTestFinished } from "vitest";
import { Reply } from "../../transport/http/reply.ts";
import { SessionAnswers } from "./session-answers.ts";

const read = (text: string): Frame => readFrame(Buffer.from(text));
const INITIALIZE = read('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}');
const PING = read('{"jsonrpc":"2.0","id":1,"method":"ping"}');
const CANCEL = read(
  '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
);
const ANSWER = '{"jsonrpc":"2.0","id":1,"result":{}}';

/** A client that POSTs, and the responses of its session. */
async function posting() {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const post = async () => {
    const answered = fetch(`http://127.0.0.1:${port}`, { method: "POST" });
    const [, response] = (await once(server, "request")) as [unknown, ServerResponse];
    return { reply: new Reply(response, 1), answered };
  };
  const toServer: string[] = [];
  const tell = async (frame: Uint8Array): Promise<void> =>
    void toServer.push(Buffer.from(frame).toString());
  const answers = new SessionAnswers({ sessionHeader: "mcp-session-id", tell, refused: () => {} });
  const route = async (text: string): Promise<void> => {
    const frame = read(text);
    await answers.route(frame, { onward: frame.bytes });
  };
  return { answers, route, toServer, post, ...(await post()) };
}

it("delivers the response to initialize even after its cancellation", async () => {
  const { answers, route, reply, answered } = await posting();
  answers.begin(reply);
  answers.expect([INITIALIZE], reply);
  answers.withdraw(CANCEL);
  await route(ANSWER);
  expect(await (await answered).text()).toBe(ANSWER);
});

it("delivers progress even if the server writes the token as a string", async () => {
  const { answers, reply, answered } = await posting();
  const asked = '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"progressToken":7}}}';
  answers.expect([read(asked)], reply);
  const told =
    '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"7","progress":1}}';
  for (const frame of [told, ANSWER].map(read)) {
    await answers.route(frame, { onward: frame.bytes });
  }
  expect(await (await answered).text()).toContain(`data: ${told}\n\ndata: ${ANSWER}\n\n`);
});

it("ends the response to any other canceled request", async () => {
  const { answers, reply, answered } = await posting();
  answers.expect([PING], reply);
  answers.withdraw(CANCEL);
  expect(await (await answered).text()).toBe("");
  expect(answers.idle).toBe(true);
});

it("delivers a response with a look-alike id to its request", async () => {
  const { answers, route, reply, answered } = await posting();
  answers.expect([PING], reply);
  const text = '{"jsonrpc":"2.0","id":"0x1","result":{}}';
  await route(text);
  expect(await (await answered).text()).toBe(text);
  expect(answers.idle).toBe(true);
});

it("delivers progress to its request, and other messages to the newest", async () => {
  const { answers, route, post, reply, answered } = await posting();
  const next = await post();
  const slow = '{"jsonrpc":"2.0","id":2,"method":"x","params":{"_meta":{"progressToken":"t"}}}';
  answers.expect([read(slow)], reply);
  answers.expect([PING], next.reply);
  const progress = (token: string): string =>
    `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"${token}","progress":1}}`;
  const message =
    '{"jsonrpc":"2.0","method":"notifications/message","params":{"progressToken":"t"}}';
  for (const text of [progress("t"), progress("u"), message, ANSWER]) await route(text);
  await route('{"jsonrpc":"2.0","id":2,"result":{}}');
  const told = async (response: Response) =>
    (await response.text()).match(/notifications\/\w+|"result"/g);
  expect(await told(await answered)).toEqual(["notifications/progress", '"result"']);
  expect(await told(await next.answered)).toEqual(["notifications/message", '"result"']);
});

it("answers the server's undeliverable requests, but nothing else", async () => {
  const { route, toServer } = await posting();
  const note = '{"jsonrpc":"2.0","method":"notifications/message","params":{}}';
  await route(note);
  await route('{"jsonrpc":"2.0","id":"s","method":"roots/list"}');
  for (let i = 0; i < 99; i += 1) await route(note);
  expect(toServer).toEqual([]);
  await route(note);
  expect(toServer.map((text) => JSON.parse(text))).toMatchObject([
    { id: "s", error: { code: -32603, message: expect.stringContaining("no open stream") } },
  ]);
});
