import { once } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, expect, it, vi } from "vitest";
import { long } from "../../../../core/src/testing/sample.ts";
import { request } from "../../testing/messages.ts";
import { wrapped } from "../../testing/wrapped.ts";

afterEach(() => void vi.useRealTimers());

/** Says that it runs, and reads nothing. */
const DEAF = 'process.stderr.write("up\\n"); setInterval(() => {}, 1e6);';

// More than a pipe and the buffers at both of its ends take.
it.each([
  ["a few large requests", 20, 100_000],
  ["many small ones", 2_000, 200],
  ["more than is taken from a client", 80, 80_000],
])("kills a server that reads nothing after its client has left: %s", async (_, count, size) => {
  const client = wrapped(["-e", DEAF]);
  await client.log.find("up");
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  for (let id = 1; id <= count; id += 1) {
    client.send({ ...request(id, "ping"), params: { text: "x".repeat(size) } });
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

it(
  "stops reading from the client after some megabytes if the server reads nothing",
  long,
  async () => {
    const client = wrapped(["-e", DEAF]);
    await client.log.find("up");
    const paused = once(client.input, "pause");
    for (let id = 1; id <= 100; id += 1) {
      client.send({ ...request(id, "ping"), params: { text: "x".repeat(100_000) } });
    }
    await paused;
    expect(client.input.readableLength).toBeGreaterThan(0);
    client.abort();
    await client.ended;
  },
);
