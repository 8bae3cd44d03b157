import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { touchstone } from "../testing/touchstone.ts";

/** From 1 MiB on, a frame is read in steps, and its result is checked separately. */
const SIZES = [900_000, 1_048_576, 2_097_152, 4_500_000];

/** The source of a server whose tool returns a text of the requested length, and the given `n`. */
const SERVER = `
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const outputSchema = {
    type: "object",
    properties: { text: { type: "string" }, n: { type: "integer" } },
    required: ["n"],
  };
  const tools = [{ name: "get", inputSchema: { type: "object" }, outputSchema }];
  const about = { capabilities: { tools: {} }, serverInfo: { name: "large", version: "1" } };
  const get = ({ arguments: { size, n } }) => ({
    content: [{ type: "text", text: "done" }],
    structuredContent: { text: "a".repeat(size), n },
  });
  const result =
    method === "initialize"
      ? { ...about, protocolVersion: params.protocolVersion }
      : method === "tools/list" ? { tools } : get(params);
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
});`;

interface Response {
  readonly result?: { readonly structuredContent?: { readonly n: unknown }; isError?: boolean };
  readonly error?: { readonly code: number; readonly message: string };
}

/** Connects through a wrap. Returns a function that sends requests and resolves to one response after the other. */
function wrapped(...options: string[]): (method: string, params: object) => Promise<Response> {
  const server = ["--", process.execPath, "-e", SERVER];
  const { child } = touchstone(["wrap", ...options, ...server]);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let id = 0;
  return async (method, params) => {
    id += 1;
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    for (;;) {
      const { value, done } = await lines.next();
      if (done === true) throw new Error("the wrap has ended");
      const message = JSON.parse(value) as Response & { readonly id?: number };
      if (message.id === id) return message;
    }
  };
}

it("checks results of any size in strict", async () => {
  const ask = wrapped("--output-mode", "strict");
  const clientInfo = { name: "test", version: "1" };
  await ask("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  for (const size of SIZES) {
    const call = (n: unknown) => ask("tools/call", { name: "get", arguments: { size, n } });
    expect((await call(size)).result?.structuredContent?.n).toBe(size);
    const { result, error } = await call("many");
    expect(result?.structuredContent).toBeUndefined();
    expect(JSON.stringify(result ?? error)).toContain("/n must be an integer (got a string");
  }
}, 60_000);
