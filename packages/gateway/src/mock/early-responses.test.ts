import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger } from "@touchstone/util";
import { expect, it, onTestFinished } from "vitest";
import { makeMock, openMockSources } from "../mock.ts";
import { MockConversation } from "./conversation.ts";

const about = { time: "2026-01-01T00:00:00.000Z", server: "s", connection: "c" };
const line = (from: string, message: object): string => {
  const to = from === "client" ? "server" : "client";
  return JSON.stringify({ ...about, from, to, text: JSON.stringify(message) });
};
const request = (id: number, method: string, params: object = {}) => ({
  ...{ jsonrpc: "2.0", id, method, params },
});
const exchange = (id: number, method: string, params: object, result: object) => [
  line("client", request(id, method, params)),
  line("server", { jsonrpc: "2.0", id, result }),
];
const handshake = (protocolVersion: string) => ({
  ...{ protocolVersion, capabilities: {}, clientInfo: { name: "c", version: "1" } },
});
const BEGINNING = [
  ...exchange(0, "initialize", handshake("2025-11-25"), { protocolVersion: "2025-11-25" }),
  ...exchange(1, "tools/list", {}, { tools: [{ name: "t", inputSchema: {} }] }),
];
const CALLS = Array.from({ length: 4_000 }, (_, at) =>
  exchange(at + 2, "tools/call", { name: "t", arguments: { at } }, { content: [], at }),
).flat();

/** Returns what a client of a mock receives, and whether the whole capture had been read by then. */
async function served(lines: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), "touchstone-mock-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "c.jsonl");
  writeFileSync(file, `${lines.join("\n")}\n`);
  const source = await openMockSources([file], undefined);
  const { recordings } = source;
  onTestFinished(() => recordings.close());
  const server = makeMock({ source, log: createLogger(() => {}, "silent") });
  const conversation = new MockConversation(server);
  const received: { id: unknown; isWhole: boolean; response: string }[] = [];
  const ask = async (message: object): Promise<void> => {
    const respond = (bytes: Uint8Array): void => {
      const response = Buffer.from(bytes).toString();
      received.push({ id: JSON.parse(response).id, isWhole: recordings.isIndexed, response });
    };
    const bytes = Buffer.from(JSON.stringify(message));
    await conversation.take(bytes, { notify: () => {}, respond, cut: () => {} });
  };
  return { received, ask, server, recordings };
}

it("responds to what the beginning of a capture decides before it has read the rest", async () => {
  const { received, ask } = await served([...BEGINNING, ...CALLS]);
  await Promise.all([
    ask(request(10, "initialize", handshake("2025-11-25"))),
    ask(request(11, "tools/list")),
    ask(request(12, "tools/call", { name: "t", arguments: { at: 3_999 } })),
    // The second one of its kind: whether the capture has another is not known before its end.
    ask(request(13, "tools/list")),
  ]);
  expect(received.map(({ id, isWhole }) => [id, isWhole])).toEqual([
    [10, false],
    [11, false],
    [12, true],
    [13, true],
  ]);
  expect(received[2]?.response).toContain('"at":3999');
});

it("waits if the capture may still have the response to the same request", async () => {
  const { received, ask } = await served([...CALLS, ...BEGINNING]);
  await ask(request(10, "initialize", handshake("2025-11-25")));
  await ask(request(11, "initialize", handshake("2025-06-18")));
  expect(received.map(({ isWhole }) => isWhole)).toEqual([true, true]);
});

it("keeps requests in order while they wait, so that responses come in turn", async () => {
  const another = exchange(9_001, "tools/list", {}, { tools: [], second: true });
  const { received, ask } = await served([...CALLS, ...BEGINNING, ...another]);
  await Promise.all([ask(request(10, "tools/list")), ask(request(11, "tools/list"))]);
  expect(received.map(({ id }) => id)).toEqual([10, 11]);
  expect(received.map(({ response }) => response.includes('"second":true'))).toEqual([false, true]);
});

it("gives up what waits when the server is stopped", async () => {
  const { received, ask, server, recordings } = await served([...BEGINNING, ...CALLS]);
  const asked = ask(request(10, "tools/call", { name: "t", arguments: { at: 1 } }));
  server.stop();
  await asked;
  expect([received, recordings.isIndexed]).toEqual([[], false]);
  recordings.close();
  await expect(recordings.indexed).rejects.toThrow("was closed before it was read");
});

it("returns an error for what waits if the file turns out not to be a capture", async () => {
  const { received, ask } = await served(Array(40).fill('{"time":"x"}'));
  await ask(request(10, "initialize", handshake("2025-11-25")));
  expect(received[0]?.response).toContain("not a capture");
});
