import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { eachOf, long } from "../../../core/src/testing/sample.ts";
import { recorded } from "../activity/testing/run.ts";
import { FAULTY_SERVER, outcomeOf, recordsIn, tempDir, touchstone } from "../testing/touchstone.ts";

const faulty = { command: process.execPath, args: [FAULTY_SERVER] };
const request = (id: number, method: string, params: object): string =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
const HELLO = request(0, "initialize", {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "t", version: "1" },
});
const bad = (id: number): string =>
  request(id, "tools/call", { name: "get_weather", arguments: { city: 5 } });

const outcome = (args: readonly string[], dataDir: string) => outcomeOf(args, { dataDir });

async function changesIn(dataDir: string) {
  const records = await recordsIn(dataDir);
  return records
    .filter(({ type }) => type === "config_change")
    .map(({ server, source, reason }) => [server, source, reason]);
}

const until = /\d{4}-\d\d-\d\dT[\d:.]+Z/;

describe("touchstone pause", () => {
  it("makes a running wrap block nothing until the pause expires or is ended", long, async () => {
    const dataDir = tempDir();
    const args = [
      "wrap",
      "--mode",
      "strict",
      "--name",
      "crm",
      "--",
      process.execPath,
      FAULTY_SERVER,
    ];
    const { child, seen, ended } = touchstone(args, { dataDir });
    const call = async (id: number) => {
      child.stdin.write(bad(id));
      const [line] = await seen("stdout", new RegExp(`.*"id":${id}\\D.*`));
      return JSON.parse(line).result.isError === true;
    };
    child.stdin.write(HELLO);
    expect(await call(1)).toBe(true);

    const other = await outcome(["pause", "files"], dataDir);
    expect(other.out).toMatch(/^files is paused until \d\d:\d\d:\d\d \(30 min\)\n/);
    const paused = await outcome(
      ["pause", "--for", "1h", "--reason", "the schema is wrong", "-o", "json"],
      dataDir,
    );
    expect(JSON.parse(paused.out)).toEqual({
      all: { since: expect.stringMatching(until), until: expect.stringMatching(until) },
      servers: { files: expect.anything() },
    });
    await seen(
      "stderr",
      /warn: .*the checks of every server are paused until.*why="the schema is wrong"/,
    );
    expect(await call(2)).toBe(false);
    const [begun] = (await recordsIn(dataDir)).filter(({ type }) => type === "config_change");
    const { username } = userInfo();
    expect(begun).toMatchObject({
      ...{ actor: `user ${username}`, caller: username, given_reason: "the schema is wrong" },
    });

    const resumed = await outcome(["resume", "--reason", "it is right again"], dataDir);
    expect(resumed).toMatchObject({ code: 0, out: `nothing is paused in ${dataDir}\n` });
    await seen("stderr", /are no longer paused, before its time.*why="it is right again"/);
    expect(await call(3)).toBe(true);
    const changes = (await recordsIn(dataDir)).filter(({ type }) => type === "config_change");
    expect(changes.find(({ reason }) => reason?.includes("no longer paused"))).toMatchObject({
      ...{ actor: `user ${username}`, caller: username, given_reason: "it is right again" },
    });

    // The pause ends by itself.
    await outcome(["pause", "crm", "--for", "6s"], dataDir);
    await seen("stderr", /the checks of crm are paused until/);
    expect(await call(4)).toBe(false);
    await seen("stderr", /the checks of crm are no longer paused\s/);
    expect(await call(5)).toBe(true);
    child.stdin.end();
    expect(await ended).toBe(0);

    expect(await changesIn(dataDir)).toEqual([
      [
        "crm",
        "gateway",
        expect.stringMatching(
          /^the checks of every server are paused until .*Z: strict checks only warn; no policy, narrow, pin, limit of calls or results, or restriction of a caller is set that would block$/,
        ),
      ],
      ["crm", "gateway", "the checks of every server are no longer paused, before its time"],
      ["crm", "gateway", expect.stringMatching(/^the checks of crm are paused until/)],
      ["crm", "gateway", "the checks of crm are no longer paused"],
    ]);
    const decided = (await recordsIn(dataDir)).filter(
      ({ type, direction }) => type === "policy_decision" && direction === "input",
    );
    expect(decided.map(({ mode, decision }) => [mode, decision])).toEqual([
      ["strict", "blocked"],
      ["warn", "warning"],
      ["strict", "blocked"],
      ["warn", "warning"],
      ["strict", "blocked"],
    ]);
  });

  it("pauses one server of a serve that starts later, and shows the pause", long, async () => {
    const dataDir = tempDir();
    await outcome(["pause", "faulty", "--for", "1h"], dataDir);
    const config = join(tempDir(), "touchstone.json");
    const content = {
      listen: { address: "127.0.0.1:0" },
      input_validation: { mode: "strict" },
      mcpServers: { faulty, other: faulty },
    };
    writeFileSync(config, JSON.stringify(content));
    const { child, seen, ended } = touchstone(["serve", "--config", config], { dataDir });
    const [, site = ""] = await seen("stderr", /the console is at (http:\S+)/);
    const shown = await (await fetch(`${site}api/v1/servers`)).json();
    expect(
      shown.map(({ name, pausedUntil }: Record<string, unknown>) => [name, pausedUntil]),
    ).toEqual([
      ["faulty", expect.stringMatching(until)],
      ["other", undefined],
    ]);
    const call = async (server: string) => {
      const url = `${site}mcp/${server}`;
      const args = ["call", url, "get_weather", '{"city":5}', "--unchecked", "-o", "json"];
      return JSON.parse((await outcome(args, tempDir())).out).result.isError === true;
    };
    expect([await call("faulty"), await call("other")]).toEqual([false, true]);

    const doctor = await outcome(["doctor", "--config", config], dataDir);
    expect(doctor.out).toMatch(/\nfaulty is paused until \d\d:\d\d:\d\d \(60 min\)\n/);
    const json = await outcome(["doctor", "--config", config, "-o", "json"], dataDir);
    expect(JSON.parse(json.out).paused.servers).toHaveProperty("faulty");

    // A file that other users may write does not pause anything.
    chmodSync(join(dataDir, "pause.json"), 0o666);
    await seen("stderr", /pause\.json is ignored: other users may write/);
    expect(await call("faulty")).toBe(true);
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
    expect(await changesIn(dataDir)).toEqual([
      ["faulty", "gateway", expect.stringContaining("paused until")],
      ["faulty", "gateway", "the checks of faulty are no longer paused, before its time"],
    ]);
  });

  it("is listed by --status, and ended by --off for one server or all", async () => {
    const dataDir = tempDir();
    const run = (...args: string[]) => outcome(["pause", ...args], dataDir);
    expect(await run("--status")).toMatchObject({
      code: 0,
      out: `nothing is paused in ${dataDir}\n`,
    });
    await run("a", "--for", "90s");
    await run("b\u001b[2J", "--for", "24h");
    const { out } = await run("--status");
    expect(out).toMatch(
      /^a is paused .*\n {2}strict checks only warn; policy, narrow, pin, limits and restrictions of callers still block.*\nb\\u\{1b\}\[2J is paused until .* \(24 h\)\n .*\ntouchstone resume ends it\n$/,
    );
    expect((await run("a", "--off")).out).not.toContain("a is paused");
    await run();
    const one = await outcome(["resume", "a"], dataDir);
    expect([one.code, one.err]).toEqual([2, expect.stringContaining("every server is paused")]);
    expect((await run("--off")).out).toBe(`nothing is paused in ${dataDir}\n`);
    // The file contains who ended the last pause.
    expect(JSON.parse(readFileSync(join(dataDir, "pause.json"), "utf8"))).toEqual({
      servers: {},
      ended: { by: expect.any(String) },
    });
    expect((await outcome(["resume"], dataDir)).out).toBe(`nothing is paused in ${dataDir}\n`);
    expect(existsSync(join(dataDir, "pause.json"))).toBe(false);
  });

  eachOf(
    [
      ["checks", [], "strict checks only warn", "policy of 1 server, narrow of 1 tool, "],
      ["policy, too", ["--policy"], "strict checks, policy and narrow only warn", ""],
    ],
    0,
  )(
    "of %s reports what still blocks, by record, log, API and command",
    async (_, more, warning, rules) => {
      const dataDir = tempDir();
      const config = join(tempDir(), "touchstone.json");
      const content = {
        listen: { address: "127.0.0.1:0" },
        input_validation: { mode: "strict" },
        limits: { calls_per_minute: 100 },
        mcpServers: {
          faulty: {
            ...faulty,
            touchstone: {
              policy: { deny_tools: ["update_contact"] },
              pin: "strict",
              lock: "first_use",
              tools: {
                get_weather: {
                  narrow: { properties: { city: { maxLength: 3 } } },
                  limits: { calls_per_minute: 50 },
                },
              },
            },
          },
        },
      };
      writeFileSync(config, JSON.stringify(content));
      const { child, seen, ended, stderr } = touchstone(["serve", "--config", config], { dataDir });
      const [, site = ""] = await seen("stderr", /the console is at (http:\S+)/);
      const call = async (tool: string, args: object) => {
        const words = [
          "call",
          `${site}mcp/faulty`,
          tool,
          JSON.stringify(args),
          "--unchecked",
          "-o",
          "json",
        ];
        const { out } = await outcome(words, tempDir());
        const { result } = out === "" ? {} : JSON.parse(out);
        return result === undefined || result.isError === true ? "blocked" : "forwarded";
      };
      const decisions = async () => [
        await call("get_weather", { city: 5 }),
        await call("get_weather", { city: "Berlin" }),
        await call("update_contact", { id: 1 }),
      ];
      expect(await decisions()).toEqual(["blocked", "blocked", "blocked"]);
      const still = `these still block: ${rules}pin of 1 server, 2 limits of calls or results`;
      const begun = await outcome(["pause", "faulty", "--config", config, ...more], dataDir);
      expect(begun.out).toContain(`\n  ${warning}; by ${config}, ${still}\n`);
      await seen("stderr", /the checks of faulty are paused until/);
      expect(stderr()).toContain(`${warning}; ${still}`);
      const expected = more.length > 0 ? "forwarded" : "blocked";
      expect(await decisions()).toEqual(["forwarded", expected, expected]);
      const [shown] = await (await fetch(`${site}api/v1/servers`)).json();
      const own = more.length > 0 ? 0 : 1;
      expect(shown.stillBlocking).toEqual({
        ...{ policy: own, narrow: own, pin: 1, limits: 2 },
        callers: 0,
      });
      const change = (await recordsIn(dataDir)).find(({ reason }) =>
        reason?.includes("paused until"),
      );
      expect(change?.reason).toMatch(new RegExp(`Z: ${warning}; ${still}$`));
      child.kill("SIGTERM");
      await ended;
    },
  );

  it("pauses the policy only for who may write the configuration file", async () => {
    const dataDir = tempDir();
    const folder = tempDir();
    const config = join(folder, "touchstone.json");
    writeFileSync(config, "{}");
    const gone = join(folder, "gone.json");
    const none = await outcome(["pause", "--policy", "--config", gone], dataDir);
    expect(none).toMatchObject({ code: 3, out: "" });
    expect(none.err).toContain(`--policy needs the right to write ${gone}`);
    expect(existsSync(join(dataDir, "pause.json"))).toBe(false);
    const json = ["pause", "--policy", "--config", config, "-o", "json"];
    expect(JSON.parse((await outcome(json, dataDir)).out)).toMatchObject({ all: { policy: true } });
    for (const refused of [
      ["--policy", "--off"],
      ["--policy", "--status"],
    ]) {
      expect((await outcome(["pause", ...refused], dataDir)).code).toBe(2);
    }
  });

  it("warns about a server name that no record has, and pauses it anyway", async () => {
    const { dataDir } = await recorded([
      { type: "tool_call", source: "gateway", server: "files", tool: "read", status: "success" },
    ]);
    const known = await outcome(["pause", "files"], dataDir);
    expect([known.code, known.err]).toEqual([0, ""]);
    const { code, out, err } = await outcome(["pause", "fils"], dataDir);
    expect([code, out]).toEqual([0, expect.stringContaining("fils is paused until")]);
    expect(err).toBe(
      'touchstone: warning: no server in the records is named "fils" — did you mean "files"?' +
        " A server that gets this name later is paused, too.\n",
    );
  });

  it.each([
    [["--for", "25h"], 2, "24h at most"],
    [["--for", "0m"], 2, "24h at most"],
    [["--for", "soon"], 2, "24h at most"],
    [["--for", "1h", "--off"], 2, "exclude each other"],
    [["--off", "--status"], 2, "exclude each other"],
    [["a", "--status"], 2, "--status takes no server"],
    [[" "], 2, "must not be empty"],
  ])("refuses %j", async (args, code, said) => {
    const dataDir = tempDir();
    const ended = await outcome(["pause", ...args], dataDir);
    expect([ended.code, ended.out, ended.err]).toEqual([code, "", expect.stringContaining(said)]);
    expect(existsSync(join(dataDir, "pause.json"))).toBe(false);
  });

  it("refuses a data directory whose pauses gateways would ignore", async () => {
    const dataDir = tempDir();
    chmodSync(dataDir, 0o777);
    const { code, out, err } = await outcome(["pause"], dataDir);
    expect([code, out]).toEqual([3, ""]);
    expect(err).toContain("the pause cannot be written: other users may write");
  });
});
