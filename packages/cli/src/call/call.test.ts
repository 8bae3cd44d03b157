import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { eachOf, long } from "../../../core/src/testing/sample.ts";
import { EVERYTHING_SERVER, FAULTY_SERVER, outcomeOf, tempDir } from "../testing/touchstone.ts";

const EVERYTHING = ["--", process.execPath, EVERYTHING_SERVER];
const FAULTY = ["--", process.execPath, FAULTY_SERVER];

/** A server that exits when its tool is called. */
const SILENT = [
  ...["--", process.execPath, "-e"],
  `require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method } = JSON.parse(line);
    if (method === "tools/call") process.exit();
    const tools = [{ name: "get_weather", inputSchema: { type: "object" } }];
    const about = { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } };
    const result = method === "initialize" ? about : { tools };
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
  });`,
];

/** A server with a schema whose check would take 2^60 steps, and one that refers to itself. */
const ENDLESS = [
  ...["--", process.execPath, "-e"],
  `require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method } = JSON.parse(line);
    const $defs = { d60: { type: "null" } };
    for (let i = 0; i < 60; i++) {
      const next = { $ref: "#/$defs/d" + (i + 1) };
      $defs["d" + i] = { anyOf: [next, next] };
    }
    const endless = { type: "object", $ref: "#/$defs/d0", $defs };
    const open = { type: "object" };
    const tools = [
      { name: "input", inputSchema: endless },
      { name: "output", inputSchema: open, outputSchema: endless },
      { name: "loop", inputSchema: { type: "object", allOf: [{ $ref: "#" }] } },
    ];
    const about = { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } };
    const result =
      method === "initialize" ? about
      : method === "tools/call" ? { content: [], structuredContent: {} }
      : { tools };
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
  });`,
];

const outcome = (args: readonly string[], stdin = "") => outcomeOf(["call", ...args], { stdin });

describe("touchstone call", () => {
  it("prints the result of a tool", async () => {
    const { code, out } = await outcome(["get-sum", '{"a":2,"b":3}', ...EVERYTHING]);
    expect(code).toBe(0);
    expect(JSON.parse(out).content[0].text).toContain("5");
  });

  it(
    "takes arguments from a file and from standard input, and a name from a configuration",
    long,
    async () => {
      const folder = tempDir();
      const file = join(folder, "args.json");
      writeFileSync(file, '{"message":"from a file"}');
      const config = join(folder, "touchstone.json");
      const server = { command: process.execPath, args: [EVERYTHING_SERVER] };
      writeFileSync(config, JSON.stringify({ mcpServers: { all: server } }));
      const named = await outcome(["--config", config, "all", "echo", `@${file}`]);
      expect([named.code, named.out]).toEqual([0, expect.stringContaining("from a file")]);
      const piped = await outcome(["echo", "-", ...EVERYTHING], '{"message":"from a pipe"}');
      expect([piped.code, piped.out]).toEqual([0, expect.stringContaining("from a pipe")]);
    },
  );

  it("does not start the commands of a file that it finds, unless the user approves them", async () => {
    const folder = tempDir();
    const started = join(folder, "started");
    const run = `require("node:fs").writeFileSync(${JSON.stringify(started)}, "")`;
    const server = { command: process.execPath, args: ["-e", run] };
    writeFileSync(
      join(folder, "touchstone.json"),
      JSON.stringify({ mcpServers: { theirs: server } }),
    );
    for (const args of [["theirs", "t"], ["theirs"]]) {
      const { code, err } = await outcomeOf(["call", ...args], { cwd: folder });
      expect([code, err]).toEqual([
        2,
        expect.stringMatching(/was found, not named, and would start 1 command; .* --config /),
      ]);
    }
    expect(existsSync(started)).toBe(false);
  });

  it.each<[string, object, string, number, RegExp]>([
    [
      "rules",
      { input_validation: { rules: { type: "warning" } } },
      '{"city":5}',
      1,
      /warning: .city must be a string/,
    ],
    [
      "undeclared",
      { input_validation: { undeclared: "violation" } },
      '{"city":"a","x":1}',
      1,
      /\/x/,
    ],
    [
      "policy",
      { policy: { deny_tools: ["get_*"] } },
      '{"city":"a"}',
      1,
      /was not called: the policy .*\n.*deny_tools/,
    ],
    [
      "narrow",
      { tools: { get_weather: { narrow: { properties: { city: { enum: ["Rome"] } } } } } },
      '{"city":"Oslo"}',
      1,
      /was not called: the policy .*\n.*city/,
    ],
    [
      "repair",
      { input_validation: { repair: ["drop-nulls"] } },
      '{"city":"Rome","units":null}',
      0,
      /repaired: drop-nulls/,
    ],
  ])(
    "decides by the settings of a configured server: %s",
    async (_, touchstone, args, status, said) => {
      const config = join(tempDir(), "touchstone.json");
      const faulty = { command: process.execPath, args: [FAULTY_SERVER], touchstone };
      writeFileSync(config, JSON.stringify({ mcpServers: { faulty } }));
      const { code, err } = await outcome(["--config", config, "faulty", "get_weather", args]);
      expect([code, err]).toEqual([status, expect.stringMatching(said)]);
    },
  );

  it("repairs arguments with --repair, and reports it", long, async () => {
    const fixed = await outcome(["get-sum", '{"a":"2","b":3}', "--repair", ...EVERYTHING]);
    expect(fixed.code).toBe(0);
    expect(fixed.err).toContain("\ntouchstone: repaired: coerce-scalars at /a\n");
    expect(JSON.parse(fixed.out).content[0].text).toContain("5");
    const json = ["--repair=safe,drop-nulls", "-o", "json", ...EVERYTHING];
    const { input, repair } = JSON.parse(
      (await outcome(["get-sum", '{"a":2,"b":"3.0"}', ...json])).out,
    );
    expect(input.valid).toBe(true);
    expect(repair).toEqual({
      arguments: { a: 2, b: 3 },
      repairs: [{ kind: "coerce-scalars", path: "/b" }],
      patch: [{ op: "replace", path: "/b", value: 3 }],
    });
    const left = await outcome(["get-sum", '{"a":"two","b":"3"}', "--repair=all", ...EVERYTHING]);
    expect(left.code).toBe(1);
    expect(left.err).toContain("/a");
    expect(left.err).not.toContain("repaired");
  });

  it("does not send arguments that break the schema, unless told to", async () => {
    const bad = ["get_weather", '{"city":5}', ...FAULTY];
    const stopped = await outcome(bad);
    expect([stopped.code, stopped.out]).toEqual([1, ""]);
    expect(stopped.err).toMatch(
      /was not called: .*\n {2}Change \/city: must be a string; it is an integer/,
    );
    const sent = await outcome(["--unchecked", ...bad]);
    expect(sent.code).toBe(1);
    expect(JSON.parse(sent.out)).toHaveProperty("content");
  });

  it("exits with 3 if something could not be checked and no issue was found", long, async () => {
    const input = await outcome(["input", "{}", "-f", "json", ...ENDLESS]);
    expect(input.code).toBe(3);
    expect(JSON.parse(input.out)).toMatchObject({ input: { valid: false, outcome: "budget" } });
    expect(input.err).toMatch(
      /input was not called: the arguments could not be checked; --unchecked/,
    );
    const sent = await outcome(["input", "{}", "--unchecked", ...ENDLESS]);
    expect([sent.code, sent.err]).toEqual([
      3,
      expect.stringMatching(/arguments could not be checked/),
    ]);
    const output = await outcome(["output", "{}", ...ENDLESS]);
    expect([output.code, output.err]).toEqual([
      3,
      expect.stringMatching(/the result of output could not be checked against its output schema/),
    ]);
  });

  it("warns of a key that occurs twice in the arguments", long, async () => {
    const args = ["get-sum", '{"a":1,"b":"x","b":3}', ...EVERYTHING];
    const { code, out, err } = await outcome(args);
    expect([code, err]).toEqual([0, expect.stringContaining("arguments /b: the key occurs twice")]);
    expect(out).toContain("4");
  });

  it("reports how to fix arguments that the schema refuses", async () => {
    const { err } = await outcome(["get_weather", '{"city":"Oslo","units":"K"}', ...FAULTY]);
    expect(err).toContain('Change /units: must be one of "celsius", "fahrenheit"; it is a string');
  });

  it("reports that a result does not match the output schema", async () => {
    const { code, out, err } = await outcome(["get_weather", '{"city":"Berlin"}', ...FAULTY]);
    expect([code, err]).toEqual([1, expect.stringContaining("/temperature must be a number")]);
    expect(JSON.parse(out)).toHaveProperty("structuredContent");
  });

  it("prints results as JSON", long, async () => {
    const { code, out } = await outcome(["-f", "json", "get-sum", '{"a":2}', ...EVERYTHING]);
    expect(code).toBe(1);
    const { input, result } = JSON.parse(out);
    expect(input.errors[0]).toMatchObject({ path: "/b", keyword: "required" });
    expect(result).toBeUndefined();
  });

  it.each([
    [
      "the arguments",
      ["t", "@/none", "--", "no-such-command-x"],
      /^\/none cannot be read: there is/,
    ],
    [
      "the server",
      ["t", "{}", "--", "no-such-command-x"],
      /^no-such-command-x cannot be reached: /,
    ],
    [
      "an answer",
      ["get_weather", '{"city":"none"}', ...SILENT],
      /^get_weather returned no result: /,
    ],
  ])("prints the reason as JSON if %s is missing, and so the result", async (_, args, wanted) => {
    const { code, out, err } = await outcome(["-f", "json", ...args]);
    expect(code).toBe(3);
    const { tool, failure, ...rest } = JSON.parse(out);
    expect([tool, rest]).toEqual([args[0], {}]);
    expect(failure).toEqual({ reason: expect.stringMatching(wanted) });
    expect(err).toBe(`touchstone: ${failure.reason}\n`);
  });

  it("distinguishes an unusable schema from a value that does not match", async () => {
    const code = `require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method } = JSON.parse(line);
      const broken = { type: "strin" };
      const tools = [{ name: "in", inputSchema: broken }, { name: "out", inputSchema: {}, outputSchema: broken }];
      const results = {
        initialize: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } },
        "tools/list": { tools },
        "tools/call": { content: [], structuredContent: {} },
      };
      const error = { code: -32601, message: "no such method" };
      const answer = method in results ? { result: results[method] } : { error };
      if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
    });`;
    const server = ["--", process.execPath, "-e", code];
    const said = async (...args: string[]) => {
      const { code, err } = await outcome([...args, "{}", ...server]);
      return [code, err.split("\n")[0]];
    };
    expect(await said("in")).toEqual([
      1,
      "touchstone: in was not called: its input schema cannot be used; --unchecked sends the arguments anyway",
    ]);
    expect(await said("--unchecked", "in")).toEqual([
      1,
      "touchstone: the input schema cannot be used",
    ]);
    expect(await said("out")).toEqual([
      1,
      "touchstone: the result of out was not checked: its output schema cannot be used",
    ]);
  });

  eachOf(
    [
      ["arguments and no tool", ["-a", "a=1", "http://127.0.0.1:1/mcp"], 2, /-a needs a tool/],
      ["no server", ["--"], 2, /missing required argument|name a server/],
      ["no JSON", ["echo", "{", ...EVERYTHING], 2, /not JSON: .* at byte 1\n/],
      [
        "no such file",
        ["echo", "@/none", ...EVERYTHING],
        3,
        /none cannot be read: there is no such file/,
      ],
      [
        "a name of no file",
        ["echo", "@-", ...EVERYTHING],
        2,
        /@- is not a file: standard input is - alone/,
      ],
      [
        "no such tool",
        ["ecco", "{}", ...EVERYTHING],
        2,
        /no tool "ecco" — did you mean "echo"\? It has: /,
      ],
      [
        "no such command",
        ["t", "{}", "--", "no-such-command-x"],
        3,
        /cannot be reached: command not found/,
      ],
    ],
    1,
  )("with %s exits with the documented status", async (_, args, code, wanted) => {
    const { code: got, err } = await outcome(args);
    expect([got, err]).toEqual([code, expect.stringMatching(wanted)]);
    expect(err).not.toMatch(/\n +at /);
  });
});
