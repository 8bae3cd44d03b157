import { expect, it } from "vitest";
import { outcomeOf } from "../testing/touchstone.ts";

/** Answers of a server of 2025-11-25, by the name of the tool. */
const SERVER = `
  const outputSchema = { type: "object", required: ["n"] };
  const results = {
    bare: { structuredContent: { n: 1 } },
    wrong: { content: "text", structuredContent: {} },
    failed: { isError: true },
    good: { content: [], structuredContent: { n: 1 } },
  };
  const answers = {
    initialize: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } },
    "tools/list": { tools: Object.keys(results).map((name) => ({ name, inputSchema: { type: "object" }, outputSchema })) },
  };
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    const result = method === "tools/call" ? results[params.name] : answers[method];
    const error = { code: -32601, message: "no such method" };
    console.log(JSON.stringify({ jsonrpc: "2.0", id, ...(result ? { result } : { error }) }));
  });`;

const call = (...args: readonly string[]) =>
  outcomeOf(["call", ...args, "--", process.execPath, "-e", SERVER]);

it("reports that a result breaks the protocol, and prints it unchanged", async () => {
  const { code, out, err } = await call("bare");
  expect([code, JSON.parse(out)]).toEqual([1, { structuredContent: { n: 1 } }]);
  expect(err).toMatch(
    /^touchstone: the result of bare breaks the protocol\n {2}\/content is required\n$/,
  );
});

it("reports an output schema issue in addition to a protocol issue", async () => {
  const { code, err } = await call("wrong");
  expect(code).toBe(1);
  expect(err).toMatch(
    /breaks the protocol\n {2}\/content must be an array \(got a string of \d+ characters?\)\nthe result of wrong does not/,
  );
  expect((await call("failed")).err).toMatch(/breaks the protocol\n.*\nfailed reports an error\n$/);
});

it("prints the result as JSON", async () => {
  const bare = JSON.parse((await call("-f", "json", "bare")).out);
  expect(Object.keys(bare)).toEqual(["tool", "input", "result", "protocol", "output"]);
  expect(bare.protocol).toMatchObject({
    valid: false,
    errors: [{ path: "/content", rule: "protocol" }],
  });
  expect(bare.output.valid).toBe(true);
  const good = await call("-f", "json", "good");
  expect([good.code, JSON.parse(good.out).protocol.valid]).toEqual([0, true]);
});
