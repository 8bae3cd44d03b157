import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { EventStream } from "../../transport/http/event-stream.ts";
import { ListeningStream } from "./session-answers.ts";

const MIB = 1024 * 1024;
/** A comment that is more than the buffers of both ends hold. */
const FILLER: Buffer = Buffer.from(`: ${" ".repeat(16 * MIB)}\n\n`);
const message = (n: number, size = 1): Buffer => Buffer.from(`"${n}${" ".repeat(size)}"`);

/** A client that asks for a stream and reads nothing yet, with as much on its way as there is room for. */
async function asking(): Promise<{ client: Socket; stream: EventStream }> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1").pause();
  onTestFinished(() => void client.destroy());
  client.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  const [, response] = (await once(server, "request")) as [unknown, ServerResponse];
  const stream = new EventStream(response);
  response.write(FILLER);
  return { client, stream };
}

/** The numbers of the messages that a client reads, up to one of them. */
async function readTo(client: Socket, last: number): Promise<number[]> {
  const numbers: number[] = [];
  let rest = "";
  for await (const piece of client.resume()) {
    const text = rest + String(piece);
    for (const [, number] of text.matchAll(/data: "(\d)/g)) numbers.push(Number(number));
    if (numbers.includes(last)) break;
    // Where it was cut.
    rest = /(?:d(?:a(?:t(?:a(?:: ?"?)?)?)?)?)?$/.exec(text)?.[0] ?? "";
  }
  return numbers;
}

it("sends stored messages before new ones", async () => {
  const own = new ListeningStream();
  for (const n of [1, 2, 3]) await own.send(message(n));
  const { client, stream } = await asking();
  const begun = own.begin(stream);
  const sent = own.send(message(4));
  expect(await readTo(client, 4)).toEqual([1, 2, 3, 4]);
  await Promise.all([begun, sent]);
});

it("keeps unsent messages of a broken stream for the next one", async () => {
  const own = new ListeningStream();
  for (const n of [1, 2, 3]) await own.send(message(n));
  const first = await asking();
  const begun = own.begin(first.stream);
  const sent = own.send(message(4));
  first.client.destroy();
  await Promise.all([begun, sent]);
  const { client, stream } = await asking();
  const anew = own.begin(stream);
  expect(await readTo(client, 4)).toEqual([2, 3, 4]);
  await anew;
});

it("resumes stored messages on a new stream if the old one is not read", async () => {
  const own = new ListeningStream();
  for (const n of [1, 2, 3]) await own.send(message(n));
  const begun = own.begin((await asking()).stream);
  const sent = own.send(message(4));
  const { client, stream } = await asking();
  const anew = own.begin(stream);
  expect(await readTo(client, 4)).toEqual([2, 3, 4]);
  await Promise.all([begun, sent, anew]);
});

it("stores at most 4 MiB of the newest messages, and returns the dropped ones", async () => {
  const own = new ListeningStream();
  const gone: string[] = [];
  const send = async (n: number, size: number): Promise<void> => {
    for (const dropped of await own.send(message(n, size))) {
      gone.push(Buffer.from(dropped).toString("utf8", 1, 2));
    }
  };
  for (const n of [1, 2, 3]) await send(n, MIB);
  expect(gone).toEqual([]);
  await send(4, 2 * MIB);
  expect(gone).toEqual(["1", "2"]);
  await send(5, 5 * MIB);
  expect(gone).toEqual(["1", "2", "3", "4", "5"]);
  await send(6, 1);
  const { client, stream } = await asking();
  const begun = own.begin(stream);
  expect(await readTo(client, 6)).toEqual([6]);
  await begun;
});
