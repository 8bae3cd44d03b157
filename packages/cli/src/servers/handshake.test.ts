import { expect, it } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { connect } from "./connect.ts";

// The tests wait until a server's time limit has passed, so they run at the same time.

/**
 * Returns the source of a stdio server that reads requests and only responds to `initialize`, after that many
 * milliseconds.
 */
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

it.concurrent("falls back to initialize if a server does not answer the first request", {
  ...long,
  timeout: 60_000,
}, async () => {
  // The test ends long before this time limit.
  const connection = await connect(server(initializesAfter(0)), within(3_600_000));
  expect(connection).toMatchObject({ server: "old/1", revision: "2025-11-25" });
  await connection.close();
});

/**
 * Returns the source of a server that is silent for that many milliseconds, and supports only the latest revision, or
 * both eras.
 */
const startsAfter = (milliseconds: number, isOnlyLatest: boolean): string => `
  const serverInfo = { name: "slow", version: "1" };
  const common = { capabilities: { tools: {} }, resultType: "complete", ttlMs: 0, cacheScope: "private" };
  const answer = ({ method }) => {
    if (method === "server/discover") return { result: { ...common, serverInfo, supportedVersions: ["2026-07-28"] } };
    if (${isOnlyLatest}) return { error: { code: -32601, message: "no such method" } };
    return { result: { protocolVersion: "2025-11-25", capabilities: {}, serverInfo } };
  };
  setTimeout(() => {
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const message = JSON.parse(line);
      if (message.id === undefined) return;
      console.log(JSON.stringify({ jsonrpc: "2.0", id: message.id, ...answer(message) }));
    });
  }, ${milliseconds});`;

it.concurrent("speaks the latest revision with a slow server that supports it", {
  ...long,
  timeout: 60_000,
}, async () => {
  const check = async (isOnlyLatest: boolean): Promise<void> => {
    const connection = await connect(server(startsAfter(3_500, isOnlyLatest)), within(60_000));
    expect(connection).toMatchObject({ revision: "2026-07-28" });
    await connection.close();
  };
  await Promise.all([check(true), check(false)]);
});

it.concurrent("applies one timeout to the whole handshake with a silent server", async () => {
  const silent = connect(server(initializesAfter(1500)), within(2000));
  await expect(silent).rejects.toThrow(/^it did not respond in time; --timeout/);
});

/** The source of a server of an SDK that exits at any request before `initialize`, and prints that. */
const ENDS_AT_THE_QUESTION = `
  console.error("starting");
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (method === "server/discover") process.exit(1);
    if (method !== "initialize") return;
    const serverInfo = { name: "old", version: "1" };
    const result = { protocolVersion: params.protocolVersion, capabilities: {}, serverInfo };
    console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
  });`;

it.concurrent("restarts a server that exits on the first request, and shows its stderr once", async () => {
  const said: string[] = [];
  const options = { ...within(20_000), stderr: (text: string) => void said.push(text) };
  const connection = await connect(server(ENDS_AT_THE_QUESTION), options);
  expect(connection).toMatchObject({ server: "old/1", revision: "2025-11-25" });
  await connection.close();
  expect(said).toEqual(["starting\n"]);
});

it.concurrent("probes the era on the process that it then keeps using", long, async () => {
  const pids: string[] = [];
  const code = `console.error(process.pid);${initializesAfter(0).replace(
    'if (method !== "initialize") return;',
    `if (method === "server/discover") {
      console.log(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "no" } }));
    }
    if (method !== "initialize") return;`,
  )}`;
  const options = { ...within(20_000), stderr: (text: string) => void pids.push(text) };
  const connection = await connect(server(code), options);
  await connection.close();
  expect(pids).toHaveLength(1);
});

it.concurrent("says which revisions a server speaks that refuses ours", async () => {
  const code = `require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const data = { supported: ["2024-11-05"], requested: "x" };
    const error = { code: -32602, message: "Unsupported protocol version", data };
    console.log(JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(line).id, error }));
  });`;
  await expect(connect(server(code), within(60_000))).rejects.toThrow(
    "this server speaks only 2024-11-05, and this client asked for 2025-11-25",
  );
}, 60_000);
