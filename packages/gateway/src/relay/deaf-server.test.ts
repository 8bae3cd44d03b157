import { setImmediate as turn } from "node:timers/promises";
import { afterEach, expect, it, vi } from "vitest";
import { request } from "../testing/messages.ts";
import { wrapped } from "../testing/wrapped.ts";

afterEach(() => void vi.useRealTimers());

/** Says that it runs, and reads nothing. */
const DEAF = 'process.stderr.write("up\\n"); setInterval(() => {}, 1e6);';

it("a server that reads nothing is ended after its client has left", async () => {
  const client = wrapped(["-e", DEAF]);
  await client.log.find("up");
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  // More than a pipe and the buffers at both of its ends take.
  for (let id = 1; id <= 20; id += 1) {
    client.send({ ...request(id, "ping"), params: { text: "x".repeat(100_000) } });
  }
  client.input.end();
  let status: number | undefined;
  void client.ended.then((code) => {
    status = code;
  });
  while (status === undefined) {
    await vi.advanceTimersByTimeAsync(1_000);
    await turn();
  }
  expect(status).toBe(0);
  expect(client.received.lines).toEqual([]);
});
