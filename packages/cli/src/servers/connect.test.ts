import { expect, it } from "vitest";
import { connect } from "./connect.ts";

/** More than a call takes arguments. */
const MANY = 200_000;
const SERVER = `
  const answers = {
    initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } }),
    "tools/list": () => ({ tools: Array(${MANY}).fill(0) }),
  };
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    const answer = answers[method];
    const error = { code: -32601, message: "not found" };
    console.log(JSON.stringify({ jsonrpc: "2.0", id, ...(answer ? { result: answer(params) } : { error }) }));
  });`;

it("reads a list of more tools than a call takes arguments", async () => {
  const upstream = {
    type: "stdio",
    command: process.execPath,
    args: ["-e", SERVER],
    env: {},
  } as const;
  const stop = new AbortController().signal;
  const options = { timeout: 30_000, stderr: () => {}, env: process.env, version: "1", stop };
  const connection = await connect({ name: "s", upstream }, options);
  try {
    expect(await connection.listTools()).toHaveLength(MANY);
  } finally {
    await connection.close();
  }
});
