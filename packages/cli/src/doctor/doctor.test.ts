import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import Database from "libsql";
import { describe, expect, it } from "vitest";
import { eachOf, long } from "../../../core/src/testing/sample.ts";
import { TWICE_SERVER } from "../../../gateway/src/testing/twice-server.ts";
import { openActivityStore } from "../../../records/src/open-sqlite.ts";
import {
  EVERYTHING_SERVER,
  FAULTY_SERVER,
  needsOtherUser,
  outcomeOf,
  tempDir,
  touchstone,
} from "../testing/touchstone.ts";

const node = (script: string): object => ({ command: process.execPath, args: [script] });

function file(mcpServers: object, more: object = {}): string {
  const path = join(tempDir(), "touchstone.json");
  writeFileSync(path, JSON.stringify({ mcpServers, ...more }));
  return path;
}
const outcome = (args: readonly string[]) => outcomeOf(["doctor", ...args]);

it("finds nothing wrong with a sound server", long, async () => {
  const config = file({
    everything: node(EVERYTHING_SERVER),
    off: { command: "x", disabled: true },
  });
  const { code, out } = await outcome(["--config", config, "--mode", "strict"]);
  expect([code, out]).toEqual([0, expect.stringMatching(/everything: stdio .*answers: /s)]);
  expect(out).toMatch(
    /MCP 2025-11-25, \d+ tools, 1 with an output schema, \d+ open to undeclared arguments/,
  );
  expect(out).toContain("input strict, output strict, protocol strict");
  expect(out).toContain("\noff: disabled, not examined\n");
});

it("says that nothing was examined if a configuration has no servers", async () => {
  const { code, out } = await outcome(["--config", file({})]);
  expect([code, out]).toEqual([0, "the configuration has no servers, so none was examined\n"]);
});

it("checks a disabled server if it is named", async () => {
  const config = file({
    off: { ...node(FAULTY_SERVER), disabled: true },
    unset: { command: "x", env: { KEY: `\${NO_SUCH_VARIABLE}` }, disabled: true },
  });
  const named = await outcome(["--config", config, "off"]);
  expect([named.code, named.out]).toEqual([1, expect.stringMatching(/^off: stdio .*answers: /s)]);
  const broken = await outcome(["--config", config, "unset"]);
  expect([broken.code, broken.err]).toEqual([2, expect.stringContaining("NO_SUCH_VARIABLE")]);
  const all = await outcome(["--config", config]);
  expect([all.code, all.out]).toEqual([
    0,
    "off: disabled, not examined\nunset: disabled, not examined\n",
  ]);
});

const DIES = `console.error("no good \u001b[2J"); console.error("bad key: " + process.env.KEY); process.exit(7)`;

it("reports an unreachable server and continues", async () => {
  const config = file({
    gone: { command: "no-such-command-anywhere" },
    dies: { command: process.execPath, args: ["-e", DIES], env: { KEY: "secret-of-mine" } },
    closed: { url: "http://127.0.0.1:1/mcp" },
    moved: { ...node(FAULTY_SERVER), cwd: "/no/such/directory" },
    faulty: node(FAULTY_SERVER),
  });
  const { code, out, err } = await outcome(["--config", config, "--format", "json"]);
  expect(code).toBe(1);
  const { servers } = JSON.parse(out);
  const reachable = servers.map((found: { reachable: boolean }) => found.reachable);
  expect(reachable).toEqual([false, false, false, false, true]);
  expect(servers[3].reason).toBe(
    'its "cwd" is not a directory: /no/such/directory; make it, or name another one',
  );
  expect(err).toContain("gone, dies, closed, moved");
  expect(servers[1].stderr).toEqual(["no good \u001b[2J", "bad key: (set, not shown)"]);
  const pretty = await outcome(["--config", config, "dies"]);
  expect(pretty.out).toContain("    | no good \\u{1b}[2J\n    | bad key: (set, not shown)\n");
});

it("reports unusable schemas and what happens to their tools", async () => {
  const config = file({ faulty: node(FAULTY_SERVER) });
  const { code, out } = await outcome(["--config", config, "faulty"]);
  expect(code).toBe(1);
  expect(out).toMatch(
    /! \S+: the output schema cannot be used.*\(its results: each passes unchecked\)/,
  );
  expect(out).toContain("  schemas that cannot be used: 0 tools blocked, 1 left unchecked\n");
  const tools = [
    { name: "in", inputSchema: { type: "object", properties: { a: { type: "x" } } } },
    {
      name: "out",
      inputSchema: { type: "object" },
      outputSchema: { type: "object", $ref: "#/no" },
    },
    {
      name: "external",
      inputSchema: { type: "object" },
      outputSchema: { type: "object", $ref: "https://example.com/s.json" },
    },
  ];
  const list = `() => ({ result: { tools: ${JSON.stringify(tools)} } })`;
  const path = file({ it: scripted({ tools: {} }, list) });
  const counts = async (...options: readonly string[]): Promise<unknown> => {
    const { out: json } = await outcome(["--config", path, ...options, "--format", "json"]);
    return JSON.parse(json).servers[0].unusable;
  };
  expect(await counts()).toEqual({ blocked: 0, unchecked: 3 });
  expect(await counts("--mode", "strict")).toEqual({ blocked: 2, unchecked: 1 });
  const to = (policy: string) => counts("--mode", "strict", "--on-invalid-schema", policy);
  expect(await to("block")).toEqual({ blocked: 3, unchecked: 0 });
  expect(await to("block_external")).toEqual({ blocked: 1, unchecked: 2 });
  expect(await to("allow")).toEqual({ blocked: 0, unchecked: 3 });
});

it("reports duplicate tools in a server's list, and uses the last one", async () => {
  const config = file({ twice: TWICE_SERVER });
  const { code, out } = await outcome(["--config", config]);
  expect([code, out]).toEqual([0, expect.stringMatching(/3 tools/)]);
  expect(out).toContain("  ! same: listed more than once; the last declaration counts\n");
  const json = await outcome(["--config", config, "--format", "json"]);
  expect(JSON.parse(json.out).servers).toMatchObject([{ repeated: ["same"], broken: [] }]);
});

it("reports which servers of a client's file are skipped", async () => {
  const servers = file({ faulty: node(FAULTY_SERVER), surf: { endpoint: "https://x/mcp" } });
  const reason = /touchstone\.json:1:\d+: \/mcpServers\/surf: .* did you mean "url"\?/;
  const pretty = await outcome(["--servers", servers]);
  expect([pretty.code, pretty.err]).toEqual([1, expect.stringContaining("1 server skipped")]);
  expect(pretty.out).toMatch(/^faulty: stdio .*\nsurf: skipped: .*did you mean "url"/s);
  const json = await outcome(["--servers", servers, "--format", "json"]);
  const { leftOut } = JSON.parse(json.out);
  expect(leftOut).toEqual([{ server: "surf", reason: expect.stringMatching(reason) }]);
  const named = await outcome(["--servers", servers, "surf"]);
  expect([named.code, named.err]).toEqual([2, expect.stringMatching(reason)]);
});

/**
 * Returns the source of a stdio server whose responses a function makes: it gets the method and params, and returns a
 * result or an error.
 */
const scripted = (capabilities: object, list: string) => ({
  command: process.execPath,
  args: [
    "-e",
    `const list = ${list};
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method, params } = JSON.parse(line);
      if (id === undefined) return;
      const serverInfo = { name: "scripted", version: "1" };
      const result = { protocolVersion: "2025-11-25", capabilities: ${JSON.stringify(capabilities)}, serverInfo };
      const error = { error: { code: -32601, message: "no such method" } };
      const answer = { initialize: () => ({ result }), "tools/list": () => list(params ?? {}) }[method];
      console.log(JSON.stringify({ jsonrpc: "2.0", id, ...(answer?.() ?? error) }));
    });`,
  ],
});
const ONE = '{ name: "one", inputSchema: { type: "object" } }';
const UNLISTED = (reason: string, effect: string): RegExp =>
  new RegExp(`  ! .*${reason}.* \\(.* ${effect}; .*on_unknown_schema.*\\)\n`);

it.each([
  ["does not declare the capability", {}, "() => undefined", 0, "capability tools", {}],
  ["lists no tools", { tools: {} }, "() => ({ result: { tools: [] } })", 0, "lists no tools", {}],
  [
    "refuses its list",
    { tools: {} },
    '() => ({ error: { code: -32603, message: "not today" } })',
    1,
    "tool list cannot be fetched",
    {},
  ],
  [
    "refuses a page of its list",
    { tools: {} },
    `({ cursor }) => cursor === "2" ? undefined : ({ result: { tools: [${ONE}], nextCursor: "2" } })`,
    1,
    "list of tools is incomplete",
    {},
  ],
  [
    "lists more tools than are read",
    { tools: {} },
    `() => ({ result: { tools: [${ONE}, { ...${ONE}, name: "two" }] } })`,
    0,
    "lists 2 tools, and limits.tools is 1",
    { limits: { tools: 1 } },
  ],
])("reports that calls cannot be checked if a server %s", async (...row) => {
  const [, capabilities, list, status, reason, more] = row;
  const config = file({ it: scripted(capabilities, list) }, more);
  const strict = await outcome(["--config", config, "--mode", "strict"]);
  expect([strict.code, strict.out]).toEqual([
    status,
    expect.stringMatching(UNLISTED(reason, "is blocked")),
  ]);
  expect(strict.out).toContain('set on_unknown_schema to "allow" for this server');
  const warn = await outcome(["--config", config]);
  expect(warn.out).toMatch(UNLISTED(reason, "passes unchecked"));
  const allowed = await outcome([
    "--config",
    config,
    "--mode",
    "strict",
    "--on-unknown-schema",
    "allow",
    "--format",
    "json",
  ]);
  expect(JSON.parse(allowed.out).servers).toMatchObject([
    {
      reachable: true,
      unknown: [{ reason: expect.stringMatching(reason), effect: "passes unchecked" }],
    },
  ]);
  const off = await outcome(["--config", config, "--mode", "off"]);
  expect([off.code, off.out]).toEqual([status, expect.not.stringContaining("on_unknown_schema")]);
});

it("reports tools that have settings but that no server lists", async () => {
  const list = `() => ({ result: { tools: [${ONE}] } })`;
  const strict = { output_validation: { mode: "strict" } };
  const server = {
    ...scripted({ tools: {} }, list),
    touchstone: { tools: { one: strict, hidden: strict } },
  };
  const { code, out } = await outcome(["--config", file({ it: server })]);
  expect([code, out]).toEqual([
    0,
    expect.stringMatching(UNLISTED("hidden: is configured", "is blocked")),
  ]);
  expect(out).not.toContain("! one");
});

it.runIf(process.getuid?.() === 0)("works without a home directory", long, async (context) => {
  needsOtherUser(context);
  const config = file({});
  chmodSync(dirname(config), 0o755);
  const user = { uid: 61234, gid: 61234, env: { HOME: "", TOUCHSTONE_DATA_DIR: "" } };
  const { ended, stderr } = touchstone(["doctor", "--config", config], user);
  expect([await ended, stderr()]).toEqual([0, ""]);
});

describe("packages for telemetry", () => {
  /** Returns a command that runs the program as if these packages were not installed. */
  function without(packages: string): string {
    const path = join(tempDir(), "without.mjs");
    writeFileSync(
      path,
      `import { Module } from "node:module";
       const find = Module._resolveFilename;
       Module._resolveFilename = (name, ...rest) => {
         if (/${packages}/.test(name)) throw new Error("not found: " + name);
         return find(name, ...rest);
       };`,
    );
    return `--import ${path}`;
  }
  const INSTALL = /npm install( @opentelemetry\/[a-z-]+@\d+\.\d+\.\d+){4}/;
  const VARIABLES = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://127.0.0.1:9" };

  const NOTHING = /^the configuration has no servers, so none was examined\n$/;

  eachOf<[string, object, Record<string, string>, number, RegExp]>(
    [
      ["telemetry is off", {}, {}, 0, NOTHING],
      [
        "metrics are on",
        { metrics: true },
        {},
        1,
        /does not start\n {2}! .*: npm install prom-client@15\.1\.3\n$/,
      ],
      ["OTLP is on", { otlp: true }, { OTEL_METRICS_EXPORTER: "none" }, 1, INSTALL],
      ["variables ask for OTLP", {}, VARIABLES, 0, INSTALL],
      ["OTLP is off", { otlp: false }, VARIABLES, 0, NOTHING],
    ],
    1,
  )("are reported as missing if %s", async (_, telemetry, env, code, wanted) => {
    const config = file({}, { telemetry });
    const run = touchstone(["doctor", "--config", config], {
      env: { NODE_OPTIONS: without("prom-client|@opentelemetry"), ...env },
    });
    expect([await run.ended, run.stdout()]).toEqual([code, expect.stringMatching(wanted)]);
  });

  it("are not reported if they are installed", long, async () => {
    const config = file({}, { telemetry: { metrics: true, otlp: true } });
    expect(await outcome(["--config", config])).toMatchObject({
      code: 0,
      out: "the configuration has no servers, so none was examined\n",
    });
    const missing = touchstone(["doctor", "--config", config, "-o", "json"], {
      env: { NODE_OPTIONS: without("prom-client") },
    });
    expect(await missing.ended).toBe(1);
    expect(JSON.parse(missing.stdout()).telemetry).toEqual({
      missing: ["prom-client@15.1.3"],
      install: "npm install prom-client@15.1.3",
      refuses: true,
    });
  });
});

describe("doctor --require", () => {
  const hash = async (config: string): Promise<string> => {
    const { out } = await outcome(["--config", config, "--require", "everything", "-o", "json"]);
    return JSON.parse(out).servers[0].hashes.echo;
  };

  it("exits with a status for the reason why a requirement is not met", long, async () => {
    const config = file({
      everything: node(EVERYTHING_SERVER),
      gone: { command: "no-such-command-anywhere" },
      off: { command: "x", disabled: true },
    });
    const echo = await hash(config);
    expect(echo).toMatch(/^sha256:[0-9a-f]{64}$/);
    const other = `sha256:${"0".repeat(64)}`;
    const cases: readonly (readonly [readonly string[], number, RegExp])[] = [
      [["everything"], 0, /^required everything: it answers$/m],
      [["everything:echo"], 0, /^required everything:echo: it is listed$/m],
      [[`everything:echo@${echo}`], 0, /it is listed/],
      [[`everything:echo@${echo.slice(0, 19)}`], 0, /it is listed/],
      [["gone"], 4, /^! required gone: gone cannot be reached: command not found/m],
      [["off:x"], 4, /^! required off:x: off cannot be reached: it is disabled or skipped/m],
      [["everything:ecko"], 5, /does not list this tool — did you mean "echo"/],
      [[`everything:echo@${other}`], 6, new RegExp(`it is ${echo} now`)],
      [[`everything:echo@${other}`, "everything:ecko", "everything:echo"], 5, /has changed/],
    ];
    for (const [required, code, wanted] of cases) {
      const args = required.flatMap((one) => ["--require", one]);
      const ended = await outcome(["--config", config, ...args]);
      expect([required, ended.code, ended.out]).toEqual([
        required,
        code,
        expect.stringMatching(wanted),
      ]);
    }
  });

  it.each([
    ["nobody:x", /no such server.*It has: everything|The configuration has: everything/],
    ["everything:", /write server, server:tool or server:tool@sha256:DIGEST/],
    ["everything:echo@sha256:12", /write server, server:tool or/],
  ])("refuses %s", async (required, wanted) => {
    const config = file({ everything: node(EVERYTHING_SERVER) });
    const { code, err } = await outcome(["--config", config, "--require", required]);
    expect([code, err]).toEqual([2, expect.stringMatching(wanted)]);
  });
});

it("reports which tools policy does not allow, and which patterns match none", long, async () => {
  const everything = {
    ...node(EVERYTHING_SERVER),
    touchstone: { policy: { allow_tools: ["echo", "gett*"] } },
  };
  const faulty = { ...node(FAULTY_SERVER) };
  const top = { policy: { deny_tools: ["ECHO", "nothing*"], mode: "warn" } };
  const { out } = await outcome(["--config", file({ everything, faulty }, top)]);
  expect(out).toMatch(/\n {2}policy: warn, (\d+) of \1 tools not allowed: /);
  expect(out).toContain('  ! allow_tools: "gett*" matches no tool of this server\n');
  expect(out).toContain('\ndeny_tools: "nothing*" matches no tool of any server\n');
  expect(out).not.toContain('"ECHO" matches');
  const json = await outcome(["--config", file({ everything }), "-o", "json"]);
  expect(JSON.parse(json.out).servers[0].policy).toMatchObject({
    mode: "strict",
    unmatched: [{ level: "server", setting: "allow_tools", pattern: "gett*" }],
  });
});

it("counts what is held, revoked and recorded of pinned servers, as approve --list has it", async () => {
  const dataDir = tempDir();
  const store = await openActivityStore({ dataDir, sync: "normal" });
  await store.append([{ type: "system_start", source: "gateway", server: "crm", reason: "serve" }]);
  const item = (name: string, kind: "tool" | "prompt" = "tool") => ({
    ...{ kind, name, hash: `sha256:${name}`, text: JSON.stringify({ name }) },
  });
  await store.pins.firstUse("crm", "tool", [item("a"), item("b")]);
  await store.pins.saw("crm", [item("c"), item("d"), item("p", "prompt")]);
  await store.pins.decide("crm", [item("b")], { state: "revoked", caller: undefined });
  await store.close();
  const pinned = { pin: "strict", lock: "first_use" };
  const config = file({
    crm: { ...node(FAULTY_SERVER), touchstone: pinned },
    other: node(FAULTY_SERVER),
  });
  const run = (...args: string[]) =>
    outcomeOf(["doctor", "--config", config, ...args], { dataDir });
  const { out } = await run();
  expect(out).toContain(
    "\ncrm: pin strict: 2 held, 1 revoked, 1 recorded, 1 approved; touchstone approve crm --list shows them\n",
  );
  expect(out).not.toContain("other: pin");
  expect(JSON.parse((await run("-o", "json")).out).pins).toEqual([
    { server: "crm", pin: "strict", held: 2, revoked: 1, recorded: 1, approved: 1 },
  ]);
  expect(
    (await outcomeOf(["doctor", "--config", config], { dataDir: tempDir() })).out,
  ).not.toContain("pin strict:");
});

describe("the approvals of a store", () => {
  const pinned = () =>
    file({ crm: { ...node(FAULTY_SERVER), touchstone: { pin: "strict", lock: "first_use" } } });
  const LINE = "\ncrm: pin strict: 1 held, 0 approved;";
  /** Returns a digest of each file in a directory. Ignores `-shm`, which is memory that readers change. */
  const filesOf = (dir: string): readonly (readonly [string, string])[] =>
    readdirSync(dir).map((name) => {
      const bytes = name.endsWith("-shm") ? "" : readFileSync(join(dir, name));
      return [name, createHash("sha256").update(bytes).digest("hex")];
    });
  const filled = async () => {
    const dataDir = tempDir();
    const store = await openActivityStore({ dataDir, sync: "normal" });
    await store.append([{ type: "system_start", source: "gateway", reason: "serve" }]);
    await store.pins.saw("crm", [{ kind: "tool", name: "a", hash: "sha256:a", text: "{}" }]);
    return { dataDir, store };
  };

  it("are read without a change of any file, also in a directory that cannot be written", async () => {
    const { dataDir, store } = await filled();
    await store.close();
    const before = filesOf(dataDir);
    chmodSync(dataDir, 0o500);
    const { out } = await outcomeOf(["doctor", "--config", pinned()], { dataDir });
    chmodSync(dataDir, 0o700);
    expect(out).toContain(LINE);
    expect(filesOf(dataDir)).toEqual(before);
  });

  it("are read beside a gateway that has them open", async () => {
    const { dataDir, store } = await filled();
    const before = readdirSync(dataDir);
    const { out } = await outcomeOf(["doctor", "--config", pinned()], { dataDir });
    expect(out).toContain(LINE);
    expect(readdirSync(dataDir)).toEqual(before);
    await store.close();
  });

  it("are unknown in one of an earlier release, which stays as it is", async () => {
    const dataDir = tempDir();
    const db = new Database(join(dataDir, "activity.db"));
    const fixture = "../../../records/src/testing/layout-16.sqlite.sql";
    db.exec(readFileSync(new URL(fixture, import.meta.url), "utf8"));
    db.close();
    const before = filesOf(dataDir);
    const { out } = await outcomeOf(["doctor", "--config", pinned()], { dataDir });
    expect(out).toMatch(/\napprovals: unknown: The tables of .* are of an earlier release\./);
    expect(filesOf(dataDir)).toEqual(before);
  });

  it("are unknown in a copy whose log has not been read", async () => {
    const { dataDir, store } = await filled();
    const copy = tempDir();
    for (const name of ["activity.db", "activity.db-wal"]) {
      copyFileSync(join(dataDir, name), join(copy, name));
    }
    await store.close();
    const before = filesOf(copy);
    const { out } = await outcomeOf(["doctor", "--config", pinned()], { dataDir: copy });
    expect(out).toMatch(/\napprovals: unknown: .* write-ahead log that has not been read yet\./);
    expect(filesOf(copy)).toEqual(before);
  });

  it("of which there are none are not mentioned, and no directory is made", async () => {
    const dataDir = join(tempDir(), "none");
    const { out } = await outcomeOf(["doctor", "--config", pinned()], { dataDir });
    expect(out).not.toContain("pin strict:");
    expect(out).not.toContain("approvals: unknown");
    expect(existsSync(dataDir)).toBe(false);
  });
});
