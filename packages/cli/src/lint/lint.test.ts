import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { EVERYTHING_SERVER, outcomeOf, tempDir } from "../testing/touchstone.ts";

const outcome = (args: readonly string[]) => outcomeOf(["lint", ...args]);
function file(tools: readonly object[]): string {
  const path = join(tempDir(), "tools.json");
  writeFileSync(path, JSON.stringify({ tools }, null, 2));
  return path;
}
const tool = (name: string, a: object, more: object = {}): object => ({
  ...{ name, description: "d" },
  inputSchema: { type: "object", properties: { a }, ...more },
});
const TOOLS = [
  tool("list", { type: "array" }),
  tool("kind", { type: ["string", "null"], const: "x" }),
  tool("either", { type: "string" }, { anyOf: [{ required: ["a"] }] }),
];

describe("touchstone lint", () => {
  it("reports what each provider refuses, with its place in the file", async () => {
    const path = file(TOOLS);
    const { code, out } = await outcome([
      "--for",
      "vscode,anthropic,gemini-openapi",
      path,
      "-f",
      "json",
    ]);
    expect(code).toBe(1);
    const { findings } = JSON.parse(out) as {
      findings: { rule: string; subject: string; line: number }[];
    };
    const of = (provider: string): string[] =>
      findings
        .filter(({ rule }) => rule.startsWith(`${provider}/`))
        .map(({ rule, subject }) => `${subject} ${rule.split("/")[1]}`);
    expect(of("vscode")).toEqual(["list array-items"]);
    expect(of("anthropic")).toEqual(["either top-level"]);
    expect(of("gemini-openapi")).toEqual([
      "list array-items",
      "kind keyword",
      "kind type-list",
      // `type` and `properties` occur next to anyOf.
      "either any-of-alone",
      "either any-of-alone",
      "either type-missing",
      "either required-undeclared",
    ]);
    for (const { line } of findings) expect(line).toBeGreaterThan(1);
  });

  it("measures names with the prefix of a client", async () => {
    const path = file([tool("n".repeat(50), { type: "string" })]);
    const rules = async (...prefix: string[]): Promise<string[]> => {
      const { out } = await outcome(["--for", "anthropic,bedrock", ...prefix, path, "-f", "json"]);
      const { findings } = JSON.parse(out) as { findings: { rule: string; level: string }[] };
      return findings.map(({ rule, level }) => `${level} ${rule}`);
    };
    const both = ["anthropic/prefixed-name", "bedrock/prefixed-name"];
    expect(await rules()).toEqual(both.map((rule) => `warning ${rule}`));
    expect(await rules("--prefix", "mcp__a__")).toEqual([]);
    expect(await rules("--prefix", "mcp__github__x_")).toEqual(both.map((rule) => `error ${rule}`));
  });

  it.each([
    ["pretty", /^error vscode\/array-items, list/m],
    ["sarif", /"ruleId": "vscode\/array-items"/],
    ["junit", /<failure message="1 finding">error vscode\/array-items/],
  ])("prints a %s report", async (format, wanted) => {
    const { out } = await outcome(["--for", "vscode", file(TOOLS), "-f", format]);
    expect(out).toMatch(wanted);
  });

  it("refuses - as the file of --rewrite", async () => {
    const { code, err } = await outcome(["--for", "vscode", file(TOOLS), "--rewrite", "-"]);
    expect([code, err]).toEqual([2, expect.stringContaining("Name a file: something else goes")]);
  });

  it("writes the rewritten tools, and reports errors that remain", async () => {
    const path = file(TOOLS);
    const out = join(tempDir(), "rewritten.json");
    const first = await outcome(["--for", "vscode,anthropic", path, "--rewrite", out]);
    expect(first.err).toMatch(/list: arrays of anything get items/);
    expect(first.err).toMatch(/: wrote \S+; 1 schema proved to accept the same as before\n/);
    expect(first.err).toMatch(
      /1 error in 1 tool is left: no other schema is known that accepts just the same\n/,
    );
    expect(JSON.parse(readFileSync(out, "utf8")).tools[0].inputSchema.properties.a).toEqual({
      type: "array",
      items: {},
    });
    expect((await outcome(["--for", "vscode", out])).code).toBe(0);
    const unchanged = join(tempDir(), "again.json");
    const second = await outcome(["--for", "vscode", out, "--rewrite", unchanged]);
    expect(second.err).toMatch(/: wrote \S+; nothing was changed\n$/);
    const again = await outcome(["--for", "vscode", path, "--rewrite", out]);
    expect([again.code, again.err]).toEqual([
      3,
      expect.stringMatching(/cannot be written: there is a file of this name already/),
    ]);
  });

  const EXACT = `{"tools":[{"name":"t","description":"d","inputSchema":{"type":"object","properties":{
    "a":{"type":"array","minItems":1.0},"b":{"type":"integer","maximum":9007199254740993},
    "c":{"type":"number","maximum":2e400}}},
    "_meta":{"n":9007199254740992,"x":1e400}}]}`;
  const tells = (text: string): void => {
    expect(text).toMatch(/"minItems": 1\.0,\s+"items": \{\}/);
    for (const number of ["9007199254740993", "1e400", "2e400", "9007199254740992"]) {
      expect(text).toMatch(new RegExp(` ${number},?\n`));
    }
  };

  it("keeps numbers as they are in the file", async () => {
    const dir = tempDir();
    const out = join(dir, "rewritten.json");
    writeFileSync(join(dir, "tools.json"), EXACT);
    await outcome(["--for", "vscode", join(dir, "tools.json"), "--rewrite", out]);
    tells(readFileSync(out, "utf8"));
  });

  it("keeps numbers as the server sent them", async () => {
    const out = join(tempDir(), "rewritten.json");
    const server = `require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method, params } = JSON.parse(line);
      if (id === undefined) return;
      const info = { serverInfo: { name: "s", version: "1" }, capabilities: { tools: {} } };
      const results = {
        initialize: JSON.stringify({ ...info, protocolVersion: params?.protocolVersion }),
        "tools/list": ${JSON.stringify(EXACT.replaceAll("\n", ""))},
      };
      const none = '"error":{"code":-32601,"message":"not found"}';
      const member = results[method] ? '"result":' + results[method] : none;
      console.log('{"jsonrpc":"2.0","id":' + JSON.stringify(id) + "," + member + "}");
    });`;
    const args = ["--for", "vscode", "--rewrite", out, "--", process.execPath, "-e", server];
    expect((await outcome(args)).code).toBe(1);
    tells(readFileSync(out, "utf8"));
  });

  it("lints the tools of a running server", async () => {
    const { code, out } = await outcome([
      "--for",
      "openai,anthropic,vscode",
      "--",
      process.execPath,
      EVERYTHING_SERVER,
    ]);
    expect([code, out]).toEqual([0, expect.stringMatching(/\d+ checked, 0 errors/)]);
  });

  it.each([
    ["nobody", () => ["--for", "", file(TOOLS)], /"" is none of openai/],
    [
      "a provider that is not known",
      () => ["--for", "openai,x", file(TOOLS)],
      /"x" is none of openai, openai-strict/,
    ],
    ["two files", () => ["--for", "openai", "a", "b"], /lint takes one server or file/],
  ])("refuses to lint for %s", async (_, args, text) => {
    const { code, err } = await outcome(args());
    expect([code, err]).toEqual([2, expect.stringMatching(text)]);
    expect(existsSync("b")).toBe(false);
  });
});
