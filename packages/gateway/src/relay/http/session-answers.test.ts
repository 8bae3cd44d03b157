import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Frame, readFrame } from "@touchstone/protocol";
import { expect, it, onTestFinished } from "vitest";
import { Reply } from "./reply.ts";
import { SessionAnswers } from "./session-answers.ts";

const read = (text: string): Frame => readFrame(Buffer.from(text));
const INITIALIZE = read('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}');
const PING = read('{"jsonrpc":"2.0","id":1,"method":"ping"}');
const CANCEL = read(
  '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
);
const ANSWER = '{"jsonrpc":"2.0","id":1,"result":{}}';

/** A client that POSTs, and the answers of its session. */
async function posting() {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const answered = fetch(`http://127.0.0.1:${port}`, { method: "POST" });
  const [, response] = (await once(server, "request")) as [unknown, ServerResponse];
  const tell = async (): Promise<void> => {};
  const answers = new SessionAnswers({ sessionHeader: "mcp-session-id", tell, refused: () => {} });
  return { answers, reply: new Reply(response, 1), answered };
}

it("answers an initialize that was cancelled, which it cannot be", async () => {
  const { answers, reply, answered } = await posting();
  answers.begin(reply);
  answers.expect([INITIALIZE], reply);
  answers.withdraw(CANCEL);
  const frame = read(ANSWER);
  await answers.route(frame, { onward: frame.bytes });
  expect(await (await answered).text()).toBe(ANSWER);
});

it("brings progress to the request whose token the server tells as a string", async () => {
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

it("ends the reply to another request that was cancelled", async () => {
  const { answers, reply, answered } = await posting();
  answers.expect([PING], reply);
  answers.withdraw(CANCEL);
  expect(await (await answered).text()).toBe("");
  expect(answers.idle).toBe(true);
});
