import { once } from "node:events";
import { expect, it } from "vitest";
import { call } from "../testing/messages.ts";
import { wrapped } from "../testing/wrapped.ts";

/** Answers calls at once, and `tools/list` when it gets a signal. */
const SLOW_TO_LIST = `
  const answer = (id, result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method } = JSON.parse(line);
    if (method === "tools/call") answer(id, { content: [] });
    else process.on("SIGUSR2", () => answer(id, { tools: [] })), console.error("asked", process.pid);
  });
`;

it("stops reading from a client whose calls wait for the tool list, after some megabytes", async () => {
  const client = wrapped(["-e", SLOW_TO_LIST]);
  const paused = once(client.input, "pause");
  const count = 100;
  for (let id = 1; id <= count; id += 1)
    client.send(call(id, "work", { text: "x".repeat(100_000) }));
  await paused;
  expect(client.input.writableLength).toBeGreaterThan(1_000_000);
  const [, pid] = (await client.log.find("[server] asked")).split("asked ");
  process.kill(Number(pid), "SIGUSR2");
  await client.line(count);
  expect(client.received.lines).toHaveLength(count);
  expect(await client.close()).toBe(0);
});
