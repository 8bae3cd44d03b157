import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it, vi } from "vitest";

const at = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));
// The scripts of tools/ are not typed.
const load = (path: string) => import(/* @vite-ignore */ at(`tools/survey/${path}`));

interface Surveyed {
  readonly name: string;
  readonly version: string;
}

/** On a busy machine, a start takes long. */
const SECONDS = 200;
vi.setConfig({ testTimeout: 240_000 });

/** A server with a tool that only reads and returns a wrong type, and one that writes and must not be called. */
const SERVER = `
const input = { type: "object", properties: { a: { type: "integer" } }, required: ["a"] };
const output = { $schema: "http://json-schema.org/draft-07/schema#", type: "object", properties: { n: { type: "integer" } } };
const description = "Reads the number that the server keeps under a number.";
const tools = [
  { name: "read", description, inputSchema: input, outputSchema: output, annotations: { readOnlyHint: true } },
  { name: "write", description, inputSchema: { ...input, additionalProperties: false } },
];
const results = {
  initialize: () => ({ protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } }),
  "tools/list": () => ({ tools }),
  "tools/call": ({ name }) => {
    if (name === "write") process.exit(1);
    return { content: [{ type: "text", text: "{}" }], structuredContent: { n: "one" } };
  },
};
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  const result = results[method]?.(params);
  if (result !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
});
`;

describe("the survey of published servers", () => {
  it("counts tools, findings, calls and results of a server", async () => {
    const { examine } = await load("examine.mjs");
    const found = await examine([process.execPath, "-e", SERVER], {}, SECONDS);
    expect(found).toEqual({
      tools: 2,
      outputs: 1,
      open: 1,
      rules: { "warning output-dialect": 1, "info parameter-description": 2 },
      refusedBy: expect.arrayContaining(["openai-strict"]),
      readOnly: 1,
      uncalled: 0,
      calls: 2,
      errors: 0,
      violations: 2,
    });
  });

  it("says why a server has no row", async () => {
    const { examine } = await load("examine.mjs");
    const script = "console.error('no key is set'); process.exit(1)";
    const found = await examine([process.execPath, "-e", script], {}, SECONDS);
    expect(found).toEqual({ failed: expect.any(String) });
  });

  it("ends a server when it is stopped", async () => {
    const { examine } = await load("examine.mjs");
    const stop = new AbortController();
    const silent = "process.stdin.resume()";
    const found = examine([process.execPath, "-e", silent], {}, SECONDS, stop.signal);
    stop.abort();
    expect(await found).toEqual({ failed: "stopped" });
  });

  it("makes calls that the schema accepts and that have no undeclared member", async () => {
    const { valuesFor } = await load("examine.mjs");
    const schema = {
      type: "object",
      properties: { a: { type: "integer", minimum: 3 } },
      required: ["a"],
    };
    const values: readonly Record<string, unknown>[] = valuesFor(schema, 2);
    expect(values).toHaveLength(2);
    for (const value of values) {
      expect(Object.keys(value)).toEqual(["a"]);
      expect(value["a"]).toBeGreaterThanOrEqual(3);
    }
    expect(valuesFor({ type: "string" }, 2)).toEqual([]);
    expect(valuesFor({ not: {} }, 2)).toEqual([]);
  });

  it("has each server of the list on its page once, with the version", () => {
    const servers: readonly Surveyed[] = JSON.parse(
      readFileSync(at("tools/survey/servers.json"), "utf8"),
    );
    const rows = readFileSync(at("docs/reference/survey.md"), "utf8").split("\n");
    for (const { name, version } of servers) {
      const own = rows.filter((row) => row.startsWith(`| \`${name}\` ${version} |`));
      expect([name, own.length]).toEqual([name, 1]);
    }
    expect(servers.length).toBeGreaterThanOrEqual(60);
  });
});
