import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { outcomeOf, tempDir } from "../testing/touchstone.ts";

/** Answers of a server of 2025-11-25, by the name of the tool. */
const SERVER = `
  const outputSchema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
  const results = {
    bare: { structuredContent: { n: 1 } },
    wrong: { content: "text", structuredContent: {} },
    failed: { isError: true },
    empty: { content: [] },
    typed: { content: [], structuredContent: { n: "1" } },
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

it.each([
  ["its configuration allows it", "allow", 0, /^touchstone: warning: .*structuredContent/],
  [
    "its configuration blocks it",
    "block",
    1,
    /does not match its output schema\n {2}.*structuredContent/,
  ],
])(
  "decides about a result without structured content as a gateway does: %s",
  async (_, missing, status, said) => {
    const config = join(tempDir(), "touchstone.json");
    const touchstone = { output_validation: { missing_structured_content: missing } };
    const entry = { command: process.execPath, args: ["-e", SERVER], touchstone };
    writeFileSync(config, JSON.stringify({ mcpServers: { s: entry } }));
    const { code, err } = await outcomeOf(["call", "--config", config, "s", "empty"]);
    expect([code, err]).toEqual([status, expect.stringMatching(said)]);
  },
);

it("follows the rules of its configuration for results", async () => {
  const config = join(tempDir(), "touchstone.json");
  const touchstone = { output_validation: { rules: { type: "warning" } } };
  const entry = { command: process.execPath, args: ["-e", SERVER], touchstone };
  writeFileSync(config, JSON.stringify({ mcpServers: { s: entry } }));
  const { code, err } = await outcomeOf(["call", "--config", config, "s", "typed"]);
  expect([code, err]).toEqual([
    0,
    "touchstone: warning: /n must be an integer (got a string of 1 character)\n",
  ]);
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
