import type { Client } from "@modelcontextprotocol/client";
import { expect, it, vi } from "vitest";
import { connect } from "./connect.ts";
import { connectWithin } from "./handshake.ts";

/** A server that reads requests over stdio and answers `initialize` alone, after so many milliseconds. */
const initializesAfter = (milliseconds: number): string => `
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (method !== "initialize") return;
    const { protocolVersion } = params;
    const serverInfo = { name: "old", version: "1" };
    const result = { protocolVersion, capabilities: {}, serverInfo };
    setTimeout(() => console.log(JSON.stringify({ jsonrpc: "2.0", id, result })), ${milliseconds});
  });`;

const server = (code: string) => ({
  name: "s",
  upstream: { type: "stdio", command: process.execPath, args: ["-e", code], env: {} } as const,
});
const within = (timeout: number) => ({
  timeout,
  stderr: () => {},
  env: process.env,
  version: "1",
  stop: new AbortController().signal,
});

it("a server that does not answer the first question is asked as old servers are", async () => {
  const connection = await connect(server(initializesAfter(0)), within(8000));
  expect(connection).toMatchObject({ server: "old/1", revision: "2025-11-25" });
  await connection.close();
});

it("a server that is silent has the time of one answer, not that of each question", async () => {
  const silent = connect(server(initializesAfter(1500)), within(2000));
  await expect(silent).rejects.toThrow(/^it did not answer in time; --timeout/);
});

it("a process that asked first and may not be ended is not awaited for ever", async () => {
  vi.useFakeTimers();
  try {
    const client = { connect: () => new Promise<void>(() => {}) } as unknown as Client;
    const transport = { start: async () => {}, send: async () => {}, close: async () => {} };
    const connected = connectWithin(client, transport, 8_000);
    const ended = expect(connected).rejects.toMatchObject({ code: "REQUEST_TIMEOUT" });
    await vi.advanceTimersByTimeAsync(11_000);
    await ended;
  } finally {
    vi.useRealTimers();
  }
});
