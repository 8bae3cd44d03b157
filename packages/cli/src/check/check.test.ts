import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { eachOf } from "../../../core/src/testing/sample.ts";
import { startHttpUpstream } from "../../../gateway/src/testing/http.ts";
import { EVERYTHING_SERVER, FAULTY_SERVER, outcomeOf, tempDir } from "../testing/touchstone.ts";

const outcome = (args: readonly string[]) => outcomeOf(["check", ...args]);

function file(content: unknown): string {
  const path = join(tempDir(), "tools.json");
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content, null, 2));
  return path;
}

const GOOD = {
  name: "add",
  description: "Adds two numbers and gives their sum.",
  inputSchema: {
    type: "object",
    properties: { a: { type: "integer", description: "The first" } },
    required: ["a"],
  },
};
/** Tools with one fault each. */
const PLANTED = [
  { ...GOOD, name: "no-such-type", inputSchema: { type: "objekt" } },
  { ...GOOD, name: "dangling", inputSchema: { type: "object", $ref: "#/$defs/none" } },
  { ...GOOD, name: "undeclared", inputSchema: { ...GOOD.inputSchema, required: ["b"] } },
  { ...GOOD, name: "slow", inputSchema: pattern("^(a+)+(?=x)$") },
  { ...GOOD, name: "broken-pattern", inputSchema: pattern("(") },
  { ...GOOD, name: "GOOD twice" },
  { ...GOOD, name: "mistyped", inputSchema: { type: "object", propertees: {} } },
  GOOD,
  GOOD,
];
function pattern(source: string): object {
  const a = { type: "string", description: "A text", pattern: source };
  return { type: "object", properties: { a } };
}

describe("touchstone check", () => {
  it("finds no error in a sound server", async () => {
    const { code, out, err } = await outcome([
      "--fail-on",
      "error",
      "--",
      process.execPath,
      EVERYTHING_SERVER,
    ]);
    expect([code, out]).toEqual([0, expect.stringMatching(/\d+ checked, 0 errors/)]);
    expect(err).toMatch(/^\d+ tools, \d+ open to undeclared arguments/m);
  });

  it("finds the broken schema of a faulty server", async () => {
    const { code, out } = await outcome(["-f", "json", "--", process.execPath, FAULTY_SERVER]);
    expect(code).toBe(1);
    const { findings } = JSON.parse(out);
    const errors = findings.filter(({ level }: { level: string }) => level === "error");
    expect(errors).toHaveLength(1);
    expect(errors[0].path).toBe("/outputSchema/properties/value/type");
  });

  it.each([
    ["a list", (tools: unknown) => tools],
    ["a result", (tools: unknown) => ({ tools })],
    ["an answer", (tools: unknown) => ({ jsonrpc: "2.0", id: 1, result: { tools } })],
  ])("finds every planted fault in %s, with its place", async (_, wrap) => {
    const { code, out } = await outcome(["-f", "json", file(wrap(PLANTED))]);
    expect(code).toBe(1);
    const { findings } = JSON.parse(out);
    const found = new Set(findings.map(({ subject }: { subject: string }) => subject));
    for (const { name } of PLANTED) expect(found).toContain(name);
    for (const { line, column } of findings) {
      expect(line).toBeGreaterThan(1);
      expect(column).toBeGreaterThan(1);
    }
  });

  it.each([
    ["pretty", /^error tool-shape, no-such-type/m],
    ["sarif", /"ruleId": "tool-shape"/],
    ["junit", /<testcase classname="[^"]*tools\.json" name="add">/],
  ])("writes %s", async (format, wanted) => {
    const { out } = await outcome(["-f", format, file(PLANTED)]);
    expect(out).toMatch(wanted);
  });

  it.each([
    ["error", 0],
    ["warning", 0],
    ["note", 1],
  ])(
    "with --fail-on %s counts findings from that level up as JUnit failures",
    async (level, failures) => {
      const undescribed = { type: "object", properties: { n: { type: "integer" } } };
      const tools = [{ name: "t", description: "Does a thing.", inputSchema: undescribed }];
      const { code, out } = await outcome(["--fail-on", level, "-f", "junit", file(tools)]);
      expect(code).toBe(failures);
      expect(out).toContain(`<testsuites tests="1" failures="${failures}" errors="0">`);
      expect(out).toMatch(
        failures === 1 ? /<failure message="1 finding">note / : /<system-out>note /,
      );
      expect(out).toContain("go by. Add a description.");
    },
  );

  it("shows what adapt would change for each client, and refuses an unknown client", async () => {
    const odd = { ...GOOD, name: "odd", inputSchema: { properties: { a: { const: "x" } } } };
    const path = file({ tools: [GOOD, odd, PLANTED[0]] });
    const args = [
      "--adapt",
      "claude-code,gemini-openapi",
      "--fail-on",
      "error",
      "-o",
      "json",
      path,
    ];
    const { findings } = JSON.parse((await outcome(args)).out);
    const adapted = findings.filter(({ rule }: { rule: string }) => rule.startsWith("adapt-"));
    const said = adapted.map(
      (found: { subject: string; rule: string; message: string; level: string }) =>
        `${found.level} ${found.subject} ${found.rule} ${found.message}`,
    );
    expect(said).toEqual([
      "note odd adapt-for adapted: parameters get the type object",
      "note odd adapt-for adapted: const is written as enum",
      "note odd adapt-for adapted: the type of values to choose from is named",
      expect.stringContaining("note no-such-type adapt-unusable_tools left out: its inputSchema"),
    ]);
    const { code, err } = await outcome(["--adapt", "netscape", path]);
    expect([code, err]).toEqual([2, expect.stringContaining('"netscape" is none of claude-code')]);
  });

  it.each([["check"], ["lint", "--for", "gemini"], ["tools"]])(
    "warns of a page of a list that is not the last: %s",
    async (...command) => {
      const file = join(tempDir(), "page.json");
      const tools = [{ name: "t", description: "d", inputSchema: { type: "object" } }];
      const said = async (result: object) => {
        writeFileSync(file, JSON.stringify(result));
        return (await outcomeOf([...command, file])).err;
      };
      const line =
        /^touchstone: warning: \S+page\.json: holds one page of the list: "nextCursor" names another/m;
      expect(await said({ tools, nextCursor: "2" })).toMatch(line);
      expect(await said({ jsonrpc: "2.0", id: 1, result: { tools, nextCursor: "" } })).toMatch(
        line,
      );
      for (const whole of [{ tools }, tools, { tools, nextCursor: null }]) {
        expect(await said(whole)).not.toContain("nextCursor");
      }
    },
  );

  it.each([
    ["check"],
    ["lint", "--for", "gemini"],
    ["lock", "--lock", "LOCK"],
    ["lock", "--lock", "LOCK", "--check"],
  ])("does not exit with 0 for a page that is not the last: %s %s %s %s", async (...command) => {
    const dir = tempDir();
    const lock = join(dir, "tools.lock");
    const words = command.map((word) => (word === "LOCK" ? lock : word));
    const page = join(dir, "page.json");
    const tool = { name: "t", description: "d", inputSchema: { type: "object", properties: {} } };
    writeFileSync(page, JSON.stringify({ tools: [tool] }));
    if (words.includes("--check")) await outcomeOf(["lock", "--lock", lock, page]);
    expect(await outcomeOf([...words, page])).toMatchObject({ code: 0 });
    const before = existsSync(lock) ? readFileSync(lock, "utf8") : "";
    writeFileSync(page, JSON.stringify({ tools: [tool], nextCursor: "2" }));
    const { code, out } = await outcomeOf([
      ...words,
      page,
      ...(words[0] === "lock" ? [] : ["-o", "json"]),
    ]);
    expect(code).toBe(3);
    if (words[0] !== "lock") expect(out).toContain('"not-examined"');
    expect(existsSync(lock) ? readFileSync(lock, "utf8") : "").toBe(before);
  });

  it("warns of a key that occurs twice in the file", async () => {
    const twice = JSON.stringify([GOOD], null, 2).replace(/"name"/, '"name": "sub",\n    "name"');
    const { code, err } = await outcome([file(twice)]);
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(/^touchstone: warning: \S+tools\.json:4:5 \/0\/name occurs twice/),
    ]);
  });

  it.each([
    ["check", "server", ["--", "no-such-command-x"], "no-such-command-x"],
    ["check", "file", ["no-such-file.json"], "no-such-file.json"],
    ["lint", "server", ["--for", "openai", "--", "no-such-command-x"], "no-such-command-x"],
    ["replay", "file", ["no-such-file.jsonl"], "no-such-file.jsonl"],
  ])(
    "%s writes a report that says why nothing was checked: %s",
    async (command, rule, args, name) => {
      const [json, sarif, junit] = await Promise.all(
        ["json", "sarif", "junit"].map(async (format) => {
          const { code, out, err } = await outcomeOf([command, "-f", format, ...args]);
          expect([code, err]).toEqual([3, expect.stringMatching(/^touchstone: .*\n$/)]);
          return out;
        }),
      );
      const message = expect.stringMatching(/cannot be (?:reached|read): .*; check the/);
      expect(JSON.parse(json ?? "")).toMatchObject({
        name,
        findings: [{ rule, level: "error", subject: name, message }],
      });
      const [run] = JSON.parse(sarif ?? "").runs;
      expect(run.invocations).toMatchObject([{ executionSuccessful: false }]);
      expect(run.results).toMatchObject([{ ruleId: rule, message: { text: message } }]);
      expect(junit).toMatch(/<testsuites tests="1" failures="1" errors="0">/);
      expect(junit).toContain(`name="${name}"`);
    },
  );

  it.each([
    ["check", "--timeout", ["5"]],
    ["lint", "--timeout", ["5", "--for", "openai"]],
    ["check", "--servers", ["mcp.json"]],
  ])("%s refuses %s together with a file", async (command, flag, values) => {
    const tools = file([GOOD]);
    const { code, err } = await outcomeOf([command, tools, flag, ...values]);
    expect([code, err]).toEqual([
      2,
      `touchstone: ${flag} is for a server, and ${tools} is a file; leave it out\n`,
    ]);
  });

  it.each([
    ["no JSON", () => [file("{")], 2, /not JSON/],
    ["no tools", () => [file({ tool: [] })], 2, /holds no tools; it must be/],
    [
      "a file of servers",
      () => [file({ mcpServers: { "a\u202e": {}, b: {} } })],
      2,
      /holds servers and no tools; name one of them: --servers \S+tools\.json NAME\. It has: a\\u\{202e\}, b\n/,
    ],
    ["no server", () => ["--", "no-such-command-x"], 3, /cannot be reached/],
    ["a name and no configuration", () => ["node"], 2, /put -- before a command\n/],
    ["another scheme", () => ["ftp://x/y"], 2, /must begin with http:\/\/ or https:\/\/\n/],
    ["two servers", () => ["a", "b"], 2, /too much/],
  ])("%s exits with the documented status", async (_, args, wanted, text) => {
    const { code, err } = await outcome(args());
    expect([code, err]).toEqual([wanted, expect.stringMatching(text)]);
    expect(err).not.toMatch(/\n +at /);
  });
});

describe("a server that requires credentials", () => {
  async function startClosed(): Promise<string> {
    const upstream = await startHttpUpstream(({ method, body, headers }, response) => {
      if (headers.authorization !== "Bearer good") {
        response.writeHead(401, { "www-authenticate": "Bearer" }).end();
        return;
      }
      const message = method === "POST" ? JSON.parse(body) : {};
      const serverInfo = { name: "closed", version: "1" };
      const result = {
        initialize: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo },
        "tools/list": { tools: [GOOD] },
        "tools/call": { content: [{ type: "text", text: "3" }] },
      }[message.method as "initialize"];
      if (message.id === undefined) {
        response.writeHead(method === "POST" ? 202 : 405).end();
        return;
      }
      const error = { code: -32601, message: "no such method" };
      response.writeHead(200, { "content-type": "application/json" });
      const answer = result === undefined ? { error } : { result };
      response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, ...answer }));
    });
    onTestFinished(() => upstream.close());
    return upstream.url;
  }

  eachOf(
    [
      ["check", []],
      ["lint", ["--for", "openai"]],
      ["call", ["add", '{"a":1}']],
    ],
    1,
  )("receives them from --header and --header-env: %s", async (command, more) => {
    const url = await startClosed();
    const run = async (options: string[]) => {
      const env = { TOKEN: "Bearer good" };
      const { code, err } = await outcomeOf([command, ...options, url, ...more], { env });
      return [code, err];
    };
    const advice = expect.stringMatching(/HTTP status 401: .*--header Authorization=/);
    expect(await run([])).toEqual([3, advice]);
    expect(await run(["--header", "Authorization=Bearer bad"])).toEqual([3, advice]);
    expect((await run(["--header", "Authorization=Bearer good"]))[0]).toBe(0);
    expect((await run(["--header-env", "Authorization=TOKEN"]))[0]).toBe(0);
  });

  it("cannot be a file", async () => {
    for (const option of ["--header", "--header-env"]) {
      const { code, err } = await outcome([option, "A=b", file({ tools: [GOOD] })]);
      expect([code, err]).toEqual([2, expect.stringContaining(`${option} is for a server`)]);
    }
  });
});
