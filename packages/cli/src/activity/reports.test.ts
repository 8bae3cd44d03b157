import { generateKeyPairSync } from "node:crypto";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ActivityEntry, openActivityStore } from "@touchstone/gateway/activity";
import Database from "libsql";
import { describe, expect, it } from "vitest";
import { judgedBy } from "../../../gateway/src/features/drift/testing/shapes.ts";
import { recorded, run, tempDir } from "./testing/run.ts";

const CALL: ActivityEntry = {
  type: "tool_call",
  source: "gateway",
  server: "crm",
  tool: "update_contact",
  status: "warning",
  request_id: "r1",
  checks: "input warn violation, output warn undeclared, protocol warn pass",
};
const { checks: _, ...DECIDED } = CALL;
const PASSED: ActivityEntry = {
  ...CALL,
  checks: "input warn pass, output warn undeclared, protocol warn pass",
};
const WARNED: ActivityEntry = {
  ...DECIDED,
  type: "policy_decision",
  direction: "input",
  mode: "warn",
  decision: "warning",
  outcome: "violation",
  issues: [{ path: "/x", message: "must NOT have additional properties", rule: "extra" }],
};
const ENTRIES: readonly ActivityEntry[] = [
  CALL,
  WARNED,
  {
    ...{ ...CALL, tool: "\u001b[2J", status: "success", request_id: "r2" },
    checks: "input warn pass, output warn undeclared, protocol warn pass",
  },
];
/** Returns the report of a rollout without the part about each tool. */
const wholeOf = (stdout: string): string => stdout.split("\n\n")[0]?.trimEnd() ?? "";

describe("activity summary", () => {
  it("counts the last 24 hours, as a table and as JSON", async () => {
    const { dataDir } = await recorded(ENTRIES);
    const { stdout, code } = await run(["summary", "--data-dir", dataDir]);
    expect(code).toBe(0);
    expect(stdout).toContain("calls      2 (1 success, 1 warning)");
    expect(stdout).toMatch(/crm +update_contact +1 +0 +1 +0 +0 +0\n/);
    expect(stdout).toMatch(/crm +update_contact +input +extra +1\n/);
    expect(stdout).not.toContain("\u001b");
    const json = await run(["summary", "--data-dir", dataDir, "-o", "json", "--period", "1h"]);
    expect(JSON.parse(json.stdout)).toMatchObject({
      records: 0,
      since: "2026-08-31T11:00:00.000Z",
    });
  });

  it("cuts a long name so that the counts stay on the screen", async () => {
    const { dataDir } = await recorded([{ ...WARNED, tool: "x".repeat(200) }]);
    const { stdout } = await run(["summary", "--data-dir", dataDir]);
    expect(stdout).toMatch(/crm +x+… +input/);
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThan(140);
  });

  it.each([
    [["--period", "1y"], "--period: "],
    [["--period", "1h", "--since", "1h"], "--period: "],
    [["--period", "999999999d"], "--period: "],
    [["--period", "1h", "--until", "2h"], "--period: "],
    [["--status", "x"], "--status: "],
    [["-o", "jsonl"], "error: option '-o, --output <format>'"],
  ])("refuses %j with exit 2", async (args, start) => {
    const ended = await run(["summary", "--data-dir", tempDir(), ...args]);
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.message.startsWith(start)).toBe(true);
  });
});

const REPAIRED: ActivityEntry = {
  ...WARNED,
  mode: "strict",
  decision: "repaired",
  status: "repaired",
  repairs: "coerce-scalars at /n",
};

describe("activity repairs", () => {
  const repaired = (request_id: string, repairs: string, tool = "update_contact") =>
    ({ ...REPAIRED, request_id, repairs, tool }) as const;
  const entries = [
    { ...CALL, decision: "repaired" as const },
    { ...CALL, status: "success" as const, request_id: "r2" },
    repaired("r1", "coerce-scalars at /items/0/n; coerce-scalars at /items/12/n"),
    repaired("r2", "coerce-scalars at /items/3/n; rename-properties at /a; drop-nulls at b"),
    repaired("r3", "parse-json-strings at the root", "\u001b[2J"),
  ];

  it("counts calls by tool, kind and place, with a hint for each kind", async () => {
    const { dataDir } = await recorded(entries);
    const { stdout, code } = await run(["repairs", "--data-dir", dataDir]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^repaired 3 of 2 calls\n\nSERVER +TOOL +REPAIR +AT +CALLS\n/);
    expect(stdout).toMatch(/crm +update_contact +coerce-scalars +\/items\/\*\/n +2\n/);
    expect(stdout).toMatch(/crm +update_contact +rename-properties +\/a; drop-nulls at b +1\n/);
    expect(stdout).toMatch(/crm +\S+ +parse-json-strings +the root +1\n/);
    expect(stdout).toMatch(/\ncoerce-scalars: Models send .+\n/);
    expect(stdout).not.toContain("fill-defaults");
    expect(stdout).not.toContain("\u001b");
  });

  it("prints the same as JSON, and an empty result if there are no records", async () => {
    const { dataDir } = await recorded(entries);
    const { stdout } = await run(["repairs", "--data-dir", dataDir, "-o", "json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ since: null, until: null, calls: 2, repaired: 3, repairs_left_out: 0 },
      repairs: [
        { server: "crm", tool: "update_contact", path: "/items/*/n", calls: 2 },
        { kind: "parse-json-strings", path: "", calls: 1 },
        { kind: "rename-properties", path: "/a; drop-nulls at b", calls: 1 },
      ],
      hints: { "coerce-scalars": expect.stringContaining("accept both types") },
    });
    const none = await run(["repairs", "--data-dir", tempDir(), "-o", "json"]);
    expect(JSON.parse(none.stdout)).toMatchObject({ repaired: 0, repairs: [], hints: {} });
  });

  it("shows repaired calls in summary and rollout too", async () => {
    const { dataDir } = await recorded([...entries, ...ENTRIES]);
    const args = ["--data-dir", dataDir];
    const rollout = await run(["rollout", ...args]);
    expect(rollout.stdout).toMatch(
      /^strict would have blocked 1 of 4 checked calls; repaired: 3:\n/,
    );
    const summary = await run(["summary", "--period", "9999d", ...args], { columns: 200 });
    expect(summary.stdout).toContain("decisions  3 repaired, 1 warning\n");
    expect(summary.stdout).toMatch(/BLOCKED +REPAIRED +ERROR/);
    const json = await run(["summary", "--period", "9999d", ...args, "-o", "json"]);
    expect(JSON.parse(json.stdout).tools[0]).toMatchObject({ tool: "update_contact", repaired: 1 });
  });
});

describe("activity rollout", () => {
  it.each([
    [[ENTRIES[2] as ActivityEntry], "strict would block 0 of 1 checked call"],
    [[CALL, { ...WARNED, direction: "protocol" as const }], "no rule allows"],
  ])("explains why it suggests no rules, and still prints JSON", async (entries, why) => {
    const { dataDir } = await recorded(entries);
    const args = ["rollout", "--data-dir", dataDir, "--suggest"];
    const told = await run(args);
    expect(told.code).toBe(0);
    expect(told.stderr).toContain(`There are no rules to suggest: ${why}`);
    expect(JSON.parse(told.stdout)).toEqual({ mcpServers: {} });
    expect(told.stderr.includes("No rule allows:\n  1 ×")).toBe(entries.length > 1);
    const json = await run([...args, "-o", "json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({ suggestion: { mcpServers: {} } });
    expect(told.stderr.endsWith(json.stderr)).toBe(true);
  });

  it("counts messages that are not calls separately", async () => {
    const { tool: _, ...aside } = WARNED;
    const { dataDir } = await recorded([{ ...aside, direction: "protocol" }]);
    const { stdout } = await run(["rollout", "--data-dir", dataDir]);
    expect(stdout).toMatch(
      /^strict would have blocked 0 of 0 checked calls, and 1 other message:\n/,
    );
  });

  it("does not count issues that a configuration's rules excuse, so its own suggestion excuses all", async () => {
    const { dataDir } = await recorded(ENTRIES);
    const rollout = ["rollout", "--data-dir", dataDir, "--fail-on", "blocked"];
    const suggested = await run(["rollout", "--data-dir", dataDir, "--suggest", "-o", "json"]);
    const { mcpServers } = JSON.parse(suggested.stdout).suggestion;
    const config = join(dataDir, "touchstone.json");
    const write = (touchstone: object) =>
      writeFileSync(config, JSON.stringify({ mcpServers: { crm: { command: "x", touchstone } } }));
    write({});
    expect(await run([...rollout, "--config", config])).toMatchObject({ code: 1 });
    write(mcpServers.crm.touchstone);
    expect(await run([...rollout, "--config", config])).toMatchObject({
      code: 0,
      stdout: `strict would have blocked 0 of 2 checked calls

crm/\\u{1b}[2J: 1 call
  arguments  safe: 1 checked, 0 would be blocked
  results    cannot be checked: the tool declares no output schema
  protocol   safe: 1 checked, 0 would be blocked

crm/update_contact: 1 call
  arguments  safe: 1 checked, 0 would be blocked
  results    cannot be checked: the tool declares no output schema
  protocol   safe: 1 checked, 0 would be blocked
`,
    });
  });

  it.each<[object, string | undefined]>([
    [{ input_validation: { mode: "strict", rules: { type: "warning" } } }, undefined],
    [{ input_validation: { undeclared: "violation" } }, "input_validation.undeclared"],
    [{ tools: { update_contact: { limits: { calls_per_minute: 1 } } } }, "limits"],
    [
      { input_validation: { max_depth: 4 }, output_validation: { max_bytes: 1000 } },
      "input_validation.max_depth, output_validation.max_bytes",
    ],
  ])(
    "names the settings of a file that it cannot apply to records: %j",
    async (touchstone, keys) => {
      const { dataDir } = await recorded([
        { ...PASSED, status: "success", tool: "update_contact" },
      ]);
      const config = join(dataDir, "touchstone.json");
      writeFileSync(config, JSON.stringify({ mcpServers: { crm: { command: "x", touchstone } } }));
      const args = ["rollout", "--data-dir", dataDir, "--config", config];
      const line = `not applied: ${keys} of the file; calls were checked with the settings at their time; touchstone replay applies all of these except limits to a capture`;
      expect(
        (await run(args)).stdout.split("\n").filter((one) => one.startsWith("not applied")),
      ).toEqual(keys === undefined ? [] : [line]);
      const json = JSON.parse((await run([...args, "-o", "json"])).stdout);
      expect(json.not_applied).toEqual(keys?.split(", "));
      const { code, message } = await run([...args, "--fail-on", "blocked"]);
      if (keys !== undefined) {
        expect([code, message]).toEqual([3, `${line}; --allow-unchecked ignores that`]);
      } else expect(message ?? "").not.toContain("not applied");
    },
  );

  it("names repairs that a file lacks, if arguments were repaired", async () => {
    const { dataDir } = await recorded(ENTRIES);
    const config = join(dataDir, "touchstone.json");
    const named = async (input: object) => {
      const touchstone = { input_validation: input };
      writeFileSync(config, JSON.stringify({ mcpServers: { crm: { command: "x", touchstone } } }));
      const args = ["rollout", "--data-dir", dataDir, "--config", config, "-o", "json"];
      const { repaired, not_applied: keys } = JSON.parse((await run(args)).stdout);
      return { repaired, keys };
    };
    const { repaired, keys } = await named({});
    expect(keys).toEqual(repaired > 0 ? ["input_validation.repair"] : undefined);
  });

  it("reports what a configuration's policy would have blocked, and where it cannot tell", async () => {
    const call = (tool: string, more: Partial<ActivityEntry> = {}): ActivityEntry => ({
      ...{ ...PASSED, status: "success", tool, request_id: `${tool}${more.caller}` },
      ...more,
    });
    const { dataDir } = await recorded([
      call("delete_contact", { caller: "ci" }),
      call("delete_contact", { caller: "ci" }),
      call("Delete_contact"),
      call("read_contact"),
      call("delete_contact", { status: "blocked" }),
      call("list", { server: "files" }),
      call("move", { server: "files", status: "error" }),
      call("any", { server: "gone" }),
    ]);
    const config = join(dataDir, "touchstone.json");
    const write = (top: object, crm: object, files: object) =>
      writeFileSync(
        config,
        JSON.stringify({
          policy: top,
          mcpServers: {
            crm: { command: "x", touchstone: { policy: crm } },
            files: { command: "x", touchstone: { policy: files } },
          },
        }),
      );
    const args = ["rollout", "--data-dir", dataDir, "--config", config];
    const at = (lines: string): string =>
      `strict would have blocked 0 of 8 checked calls\n${lines}`.trimEnd();
    write({}, { deny_tools: ["delete_*"] }, { mode: "warn", allow_tools: ["list"] });
    const offences = [
      '  2 × deny_tools on crm/delete_contact (caller ci): deny_tools of the server has "delete_*"\n',
      '  1 × deny_tools on crm/Delete_contact: deny_tools of the server has "delete_*"\n',
      "  1 × allow_tools on files/move: allow_tools of the server does not have it\n",
    ];
    const sent = "calls that reached their server";
    const told = await run(args);
    expect(wholeOf(told.stdout)).toBe(
      at(`policy would have blocked 4 of 7 ${sent}:\n${offences.join("")}`),
    );
    expect(await run([...args, "--fail-on", "blocked"])).toMatchObject({
      ...{ code: 1, message: `policy would have blocked 4 of 7 ${sent}` },
    });
    write({ read_only: true }, {}, { mode: "off" });
    const open = await run(args);
    expect(open.stdout).toContain(
      `policy would have blocked 0 of 7 ${sent}\n5 calls could not be evaluated`,
    );
    expect(open.stdout).toContain("  1 × read_only on gone/any: ");
    expect(wholeOf(open.stdout)).not.toContain("files/");
    const json = JSON.parse((await run([...args, "-o", "json"])).stdout);
    expect(json.policy).toMatchObject({ calls: 7, would_block: 0, unknown: 5, left_out: 0 });
    expect(json.policy.unknowns[0]).toMatchObject({
      server: "crm",
      caller: "ci",
      rule: "read_only",
    });
    write({}, {}, {});
    expect(wholeOf((await run(args)).stdout)).toBe(at(""));
  });

  it("reports what a configuration's narrow and keys would have blocked, by caller, tool and rule", async () => {
    const call = (path: string | undefined, more: Partial<ActivityEntry> = {}): ActivityEntry => ({
      ...{ ...CALL, status: "success", server: "files", tool: "read", caller: "ci" },
      ...{ request_id: `${path}${more.caller}${more.tool}` },
      ...(path === undefined ? {} : { arguments: Buffer.from(JSON.stringify({ path })) }),
      ...more,
    });
    const { dataDir } = await recorded(
      [
        call("/etc/passwd"),
        call("/etc/hosts"),
        call("/notes/a"),
        call("/etc/hosts", { caller: "alice" }),
        call("/etc/hosts", { status: "blocked" }),
        call("/etc/hosts", { tool: "other" }),
        call("/etc/hosts", { server: "gone" }),
        call(undefined),
        call(undefined, { result: Buffer.from("{}") }),
        call(`/notes/${"x".repeat(99)}`),
        call("/etc/postgres://u:hunter2@h/"),
        call(undefined, { arguments: Buffer.from('{"path":"/notes/a","token":"hunter2"}') }),
        call("/notes/a", { caller: "bob" }),
        call("/notes/a", { caller: "eve" }),
      ],
      { bodies: { maxBytes: 80 } },
    );
    const config = join(dataDir, "touchstone.json");
    const narrow = { properties: { path: { within: ["/notes"] } }, required: ["path"] };
    const tools = { read: { narrow } };
    const write = (more: object, touchstone: object = { tools }): void =>
      writeFileSync(
        config,
        JSON.stringify({ ...more, mcpServers: { files: { command: "x", touchstone } } }),
      );
    const args = ["rollout", "--data-dir", dataDir, "--config", config];
    const told = async (): Promise<string> =>
      wholeOf((await run(args)).stdout).replace(/^strict would.*\n?/, "");
    write({});
    const within = "the tool's narrow schema at /properties/path/within refuses it";
    expect(await told()).toBe(
      [
        "policy would have blocked 4 of 13 calls that reached their server:",
        `  2 × within on files/read (caller ci): ${within}`,
        "  1 × narrow on files/read (caller ci): the tool's narrow schema at /required refuses it",
        `  1 × within on files/read (caller alice): ${within}`,
        "4 calls could not be evaluated:",
        "  2 × narrow on files/read (caller ci): parts of its arguments are redacted",
        "  1 × narrow on files/read (caller ci): its arguments are recorded in part (activity.body_max_bytes)",
        "  1 × narrow on files/read (caller ci): its arguments are not recorded (activity.bodies)",
      ].join("\n"),
    );
    const key = (name: string, more: object = {}): object => ({
      name,
      key: `${name}-key`,
      ...more,
    });
    write(
      {
        auth: {
          keys: [
            key("ci", { tools: ["read"] }),
            key("alice", { servers: ["gone"] }),
            key("bob", { read_only: true }),
          ],
        },
      },
      {},
    );
    expect(await told()).toBe(
      [
        "policy would have blocked 3 of 13 calls that reached their server:",
        "  1 × allow_tools on files/other (caller ci): allow_tools of the caller does not have it",
        "  1 × auth.keys on files/read (caller alice): servers of the caller does not have it",
        "  1 × auth.keys on files/read (caller eve): no key of auth.keys has this name",
        "1 call could not be evaluated:",
        "  1 × read_only on files/read (caller bob): records do not have what a tool declares (readOnlyHint)",
      ].join("\n"),
    );
    write({ policy: { mode: "off" } });
    expect(await told()).toBe("");
  });

  it("judges narrow by the arguments that the gateway would send", async () => {
    const call = (n: number, sent: string, more: Partial<ActivityEntry> = {}): ActivityEntry => ({
      ...{ ...CALL, tool: `t${n}`, status: "success", request_id: `r${n}` },
      ...{ arguments: Buffer.from(sent), checks: "input warn violation" },
      ...more,
    });
    const repaired = (
      n: number,
      sent: string,
      to: string | undefined,
      repairs = "coerce-scalars at /n",
    ): readonly ActivityEntry[] => {
      const patch = to === undefined ? {} : { patch: Buffer.from(to) };
      const decision = { ...WARNED, decision: "repaired", status: "repaired", repairs } as const;
      return [
        call(n, sent, { repairs }),
        { ...decision, tool: `t${n}`, request_id: `r${n}`, ...patch },
      ];
    };
    const to = (value: unknown): string => JSON.stringify([{ op: "replace", path: "/n", value }]);
    const { dataDir } = await recorded(
      [
        ...repaired(1, '{"n":"2"}', to(2)),
        ...repaired(2, '{"n":"99"}', to(99)),
        ...repaired(3, '{"n":"99"}', undefined),
        ...repaired(
          4,
          '{"x":99}',
          '[{"op":"move","from":"/x","path":"/n"}]',
          "rename-properties at /x",
        ),
        call(5, '{"n":"99"}'),
        call(6, '{"n":99}', { checks: "input warn pass" }),
        call(7, '{"n":2,"m":null}', { adapt: "drop-nulls at /m" }),
        ...repaired(8, '{"n":"99"}', '[{"op":"replace","path":"/missing/x","value":1}]'),
      ],
      { bodies: { maxBytes: 500 } },
    );
    const config = join(dataDir, "touchstone.json");
    const told = async (input: object): Promise<readonly string[]> => {
      const narrow = { properties: { n: { maximum: 3 } } };
      const tools = Object.fromEntries(
        Array.from({ length: 8 }, (_, n) => [`t${n + 1}`, { narrow, input_validation: input }]),
      );
      const mcpServers = { crm: { command: "x", touchstone: { tools } } };
      writeFileSync(config, JSON.stringify({ mcpServers }));
      const { stdout } = await run([
        "rollout",
        "--data-dir",
        dataDir,
        "--config",
        config,
        "-o",
        "json",
      ]);
      const { policy } = JSON.parse(stdout);
      const of = (found: readonly { tool: string; reason: string }[]) =>
        found.map(
          ({ tool, reason }) => `${tool}: ${reason.replace(/^the tool's narrow schema at/, "")}`,
        );
      return [...of(policy.offences), ...of(policy.unknowns)].sort();
    };
    const refused = "/properties/n/maximum refuses it";
    const unrecorded = "its repaired arguments are not recorded (field patch of its decision)";
    expect(await told({ repair: ["safe"] })).toEqual([
      `t2:  ${refused}`,
      `t3: ${unrecorded}`,
      "t5: it is unknown how repair would change its arguments",
      `t6:  ${refused}`,
      "t7: its arguments were changed by adapt",
      `t8: ${unrecorded}`,
    ]);
    expect(await told({ repair: ["all"] })).toContain(`t4:  ${refused}`);
    // Without repair, the strings are sent unchanged, and "maximum" does not apply to them.
    expect(await told({})).toEqual([`t6:  ${refused}`, "t7: its arguments were changed by adapt"]);
    expect(await told({ repair: ["safe"], mode: "off" })).toHaveLength(2);
  });

  it("cuts a report on very many tools and counts what it leaves out", async () => {
    const { dataDir } = await recorded(
      Array.from({ length: 1_002 }, (_, n) => ({ ...WARNED, tool: `t${n}`, request_id: `r${n}` })),
    );
    const rollout = await run(["rollout", "--data-dir", dataDir]);
    expect(wholeOf(rollout.stdout).split("\n")).toHaveLength(1 + 1_000 + 1 + 1);
    expect(rollout.stdout).toMatch(/\n\n902 more tools; --server and --tool narrow it down\n$/);
    expect(rollout.stdout).toMatch(/\n {2}and 2 more combinations of tool and rules; --server and/);
    const summary = await run(["summary", "--data-dir", dataDir]);
    expect(summary.stdout).toMatch(/\n\n902 more lines of rules\n$/);
  });

  it("reports what strict would have blocked, and suggests rules that excuse it", async () => {
    const { dataDir } = await recorded(ENTRIES);
    const { stdout, stderr } = await run(["rollout", "--data-dir", dataDir, "--suggest"]);
    expect(stderr).toBe(
      "strict would have blocked 1 of 2 checked calls:\n  1 × extra on crm/update_contact (input)\n" +
        `not compared: policy, narrow, keys and limits; --config FILE compares those of a file

crm/\\u{1b}[2J: 1 call
  arguments  safe: 1 checked, 0 would be blocked
  results    cannot be checked: the tool declares no output schema
  protocol   safe: 1 checked, 0 would be blocked

crm/update_contact: 1 call
  arguments  would block 1 of 1
  results    cannot be checked: the tool declares no output schema
  protocol   safe: 1 checked, 0 would be blocked
` +
        "\nThe settings on stdout forward these with a warning: add them to touchstone.json.\n",
    );
    expect(JSON.parse(stdout)).toEqual({
      mcpServers: {
        crm: {
          touchstone: {
            tools: { update_contact: { input_validation: { rules: { "/x": "warning" } } } },
          },
        },
      },
    });
  });

  it.each([
    [[], 1, "strict would have blocked 1 of 3 checked calls"],
    [["--server", "other"], 0, ""],
    [["--tool", "\u001b[2J"], 0, ""],
    [["--tool", "t"], 3, "none of 1 call was checked; --allow-unchecked ignores that"],
    [["--tool", "t", "--allow-unchecked"], 0, ""],
    [
      ["--tool", "failed"],
      3,
      "crm/failed, results: not checked: 1 call; --allow-unchecked ignores that",
    ],
    [["--tool", "before"], 3, "none of 1 call was checked; --allow-unchecked ignores that"],
  ])("with --fail-on blocked and %j exits with %d", async (args, code, message) => {
    const call = { ...CALL, status: "success" } as const;
    const { checks: __, ...before } = { ...call, tool: "before", request_id: "r5" };
    const { dataDir } = await recorded([
      ...ENTRIES,
      { ...call, tool: "t", request_id: "r3", checks: "none" },
      {
        ...{ ...call, tool: "failed", status: "error", request_id: "r4" },
        checks: "input warn pass, output warn skipped, protocol warn pass",
      },
      before,
    ]);
    const ended = await run(["rollout", "--data-dir", dataDir, "--fail-on", "blocked", ...args]);
    expect(ended).toMatchObject({ code, message });
  });
});

describe("activity export", () => {
  it("shows progress on stderr only if that is a terminal", async () => {
    const { dataDir } = await recorded(ENTRIES);
    const args = ["export", "--data-dir", dataDir];
    expect((await run(args, { slow: true })).stderr).toBe("\r\u001b[K3 records\r\u001b[K");
    expect((await run(args, { slow: true, columns: 80 })).stderr).toBe("");
    const file = ["--out", join(tempDir(), "out.jsonl")];
    expect((await run([...args, ...file], { columns: 80 })).stderr).toMatch(/^3 records written/);
  });

  it("writes a file that only its owner can read, with the same text as stdout", async () => {
    const { dataDir, records } = await recorded(ENTRIES);
    const file = join(tempDir(), "out.jsonl");
    const ended = await run([
      "export",
      "--data-dir",
      dataDir,
      "--out",
      file,
      "--type",
      "tool_call",
    ]);
    expect(ended).toMatchObject({ code: 0, stdout: "" });
    expect(ended.stderr).toContain("2 records written to");
    const text = readFileSync(file, "utf8");
    expect(
      text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual([records[0], records[2]]);
    if (process.platform !== "win32") expect(statSync(file).mode & 0o777).toBe(0o600);
    const piped = await run(["export", "--data-dir", dataDir, "--type", "tool_call"]);
    expect(piped.stdout).toBe(text);
    const dash = ["export", "--data-dir", dataDir, "--type", "tool_call", "--out", "-"];
    expect(await run(dash)).toMatchObject({ stdout: text, stderr: "" });
  });

  it("leaves no file if it fails", async () => {
    const { dataDir } = await recorded(ENTRIES);
    const file = join(tempDir(), "none", "out.jsonl");
    const ended = await run(["export", "--data-dir", dataDir, "--out", file]);
    expect(ended).toMatchObject({ code: 3 });
    expect(ended.message).toContain("cannot be written");
    expect(existsSync(file)).toBe(false);
  });

  it.each([
    ["--format", "xml"],
    ["--since", "x"],
    ["--format", "csv", "--output", "ecs"],
    ["--output", "table"],
  ])("refuses %s %s %s %s with exit 2", async (...args) => {
    expect(await run(["export", "--data-dir", tempDir(), ...args])).toMatchObject({ code: 2 });
  });
});

describe("activity verify and checkpoint", () => {
  function tamper(dataDir: string, statement: string): void {
    const db = new Database(join(dataDir, "activity.db"));
    db.exec(statement);
    db.close();
  }

  it("exits with 0 if the records are in order and with 1 if they are not", async () => {
    const { dataDir, records } = await recorded(ENTRIES);
    const fine = await run(["verify", "--data-dir", dataDir]);
    expect(fine).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^not covered: version, .*\n3 records in 1 chain: everything that was compared is in order\n$/,
      ),
    });
    tamper(dataDir, "UPDATE activity SET status = 'success' WHERE seq = 1");
    const ended = await run(["verify", "--data-dir", dataDir]);
    expect(ended.code).toBe(1);
    expect(ended.stdout).toContain(`position 1: record ${records[1]?.id} was changed`);
    const json = await run(["verify", "--data-dir", dataDir, "-o", "json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({ ok: false, faults: [{ kind: "edited" }] });
  });

  it("reports wrong counts even if the hash chains are in order", async () => {
    const { dataDir } = await recorded(ENTRIES);
    const db = new Database(join(dataDir, "activity.db"));
    db.exec("DELETE FROM tally");
    db.close();
    const ended = await run(["verify", "--data-dir", dataDir]);
    expect(ended).toMatchObject({ code: 1 });
    expect(ended.stdout).toMatch(
      /^store: the counts .*\nnot covered: .*\n3 records in 1 chain: NOT in order\n$/,
    );
    expect(ended.message).toContain("tampered with, or damaged, in 1 place");
  });

  it("detects removed newest records with a checkpoint, and refuses to sign invalid records", async () => {
    const { dataDir, records } = await recorded(ENTRIES);
    const files = tempDir();
    const [key, pub, out] = ["key.pem", "key.pub.pem", "checkpoint.json"].map((name) =>
      join(files, name),
    ) as [string, string, string];
    const pair = generateKeyPairSync("ed25519");
    writeFileSync(key, pair.privateKey.export({ type: "pkcs8", format: "pem" }));
    writeFileSync(pub, pair.publicKey.export({ type: "spki", format: "pem" }));
    const at = ["--data-dir", dataDir];
    expect(await run(["checkpoint", ...at, "--key", key, "--out", out])).toMatchObject({
      code: 0,
      stderr: `Where 1 chain stands was signed into ${out}\n`,
    });
    const signed = ["--checkpoint", out, "--public-key", pub];
    const verify = ["verify", ...at, ...signed];
    expect(await run(verify)).toMatchObject({ code: 0 });
    const gone = await run(["verify", "--data-dir", join(files, "none"), ...signed]);
    expect([gone.code, gone.message]).toEqual([
      1,
      "the checkpoint lists records, but there are none",
    ]);
    tamper(
      dataDir,
      `DELETE FROM activity WHERE seq = 2; UPDATE chains SET records = 2, head = '${records[1]?.hash}'`,
    );
    expect(await run(["verify", ...at])).toMatchObject({ code: 0 });
    expect(await run(verify)).toMatchObject({ code: 1 });
    tamper(dataDir, "UPDATE activity SET status = 'error' WHERE seq = 0");
    const refused = await run(["checkpoint", ...at, "--key", key]);
    expect(refused).toMatchObject({ code: 1, stdout: "" });
  });

  it.each([
    [["verify", "--checkpoint", "x"], 2, "must be given together"],
    [["verify", "--checkpoint", "none", "--public-key", "none"], 3, "none cannot be read"],
    [["checkpoint"], 2, "--key FILE is needed"],
    [["checkpoint", "--key", "package.json"], 3, "not an Ed25519 key"],
  ])("refuses %j with exit %d", async (args, code, text) => {
    const { dataDir } = await recorded(ENTRIES);
    const ended = await run([...args, "--data-dir", dataDir]);
    expect(ended.code).toBe(code);
    expect(ended.message).toContain(text);
  });
});

describe("activity erase", () => {
  const OF_HER = {
    ...ENTRIES[0],
    type: "tool_call",
    source: "gateway",
    caller: "Gundula",
  } as const;

  it("erases what the records have about a caller, once that is confirmed", async () => {
    const { dataDir } = await recorded([...ENTRIES, OF_HER, OF_HER]);
    const args = ["erase", "--caller", "Gundula", "--data-dir", dataDir];
    expect(await run([...args, "--dry-run"])).toMatchObject({
      ...{ code: 0, stdout: "the content of 2 records would be erased\n" },
    });
    expect(await run(args)).toMatchObject({ code: 2, message: expect.stringContaining("--yes") });
    const done = await run([...args, "--yes", "--reason", "request 17", "-o", "json"]);
    expect(done.code).toBe(0);
    expect(JSON.parse(done.stdout)).toMatchObject({ records: 2, unsalted: 0, remains: [] });
    const listed = await run(["list", "--records", "--data-dir", dataDir, "-o", "json"]);
    expect(listed.stdout).not.toContain("Gundula");
    expect(listed.stdout).toContain("about one caller (erasure ");
    const { code, stdout } = await run(["verify", "--data-dir", dataDir]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^2 erased records: their content can no longer be checked; /);
    const again = await run([...args, "--yes"]);
    expect(again.stdout).toContain("the content of 0 records erased");
    expect(again.stdout).toContain("not erased: backups of the store");
  });

  it.each([
    [[], "either --caller NAME or --session ID"],
    [["--caller", "a", "--session", "b"], "either --caller NAME or --session ID"],
    [["--caller", "alice", "--reason", "Alice asked"], "must not name"],
  ])("refuses %j", async (options, words) => {
    const { dataDir } = await recorded(ENTRIES);
    const ended = await run(["erase", "--data-dir", dataDir, "--yes", ...options]);
    expect(ended).toMatchObject({ code: 2, message: expect.stringContaining(words) });
  });
});

describe("activity prune", () => {
  it("removes the oldest records, and the rest can still be verified", async () => {
    const { dataDir } = await recorded(ENTRIES);
    const bounds = ["--older-than", "30d", "--max-records", "1"];
    const why = ["--reason", "disk full"];
    const pruned = await run(["prune", "--data-dir", dataDir, ...bounds, ...why]);
    expect(pruned).toMatchObject({ code: 0, stdout: "2 records removed\n" });
    expect((await run(["verify", "--data-dir", dataDir])).stdout).toContain(
      "\n2 records in 2 chains (2 more were removed by retention): everything that was compared is in order\n",
    );
    const { stdout } = await run(["list", "--records", "--data-dir", dataDir, "-o", "json"]);
    expect(JSON.parse(stdout).activities[0]).toMatchObject({
      type: "config_change",
      actor: expect.stringMatching(/^user /),
      given_reason: "disk full",
      reason: "removed 2 records: older than 30 days, beyond 1 record",
    });
    // Nothing was removed, so there is nothing to record.
    await run(["prune", "--data-dir", dataDir, "--max-records", "2"]);
    expect((await run(["verify", "--data-dir", dataDir])).stdout).toContain("\n2 records in 2");
  });

  it.each([[[]], [["--older-than", "x"]], [["--max-bytes", "-1"]]])(
    "refuses %j with exit 2",
    async (args) => {
      expect(await run(["prune", "--data-dir", tempDir(), ...args])).toMatchObject({ code: 2 });
    },
  );
});

describe("reports without a data directory", () => {
  it.each([
    ["summary", ["--since", "2026-08-01T00:00:00Z"]],
    ["rollout", ["--since", "2026-08-01T00:00:00Z", "--suggest"]],
  ])("%s prints the same JSON and YAML as with no matching records", async (command, args) => {
    const { dataDir } = await recorded([]);
    const none = ["--data-dir", join(tempDir(), "none")];
    const all = [command, ...args, "--until", "2026-08-02T00:00:00Z"];
    for (const format of ["json", "yaml"]) {
      const met = await run([...all, "--data-dir", dataDir, "-o", format]);
      expect(met.stderr).not.toContain("No activity");
      const ended = await run([...all, ...none, "-o", format]);
      expect([ended.code, ended.stdout]).toEqual([0, met.stdout]);
      expect(ended.stdout).toContain("2026-08-02T00:00:00.000Z");
    }
    expect(await run([...all, ...none])).toMatchObject({ code: 0, stdout: "" });
  });
});

describe("commands that need records", () => {
  it.each([
    [["verify"], "nothing was verified"],
    [["checkpoint", "--key", "package.json"], "nothing was signed"],
    [["export"], "nothing was exported"],
    [["prune", "--max-records", "1"], "nothing was removed"],
    [["list", "--fail-on", "blocked"], "nothing was checked"],
    [["rollout", "--fail-on", "blocked"], "nothing was checked"],
    [["drift", "crm", "find", "--fail-on", "drift"], "nothing was compared"],
  ])("exit with 3 if there are none: %j", async (args, message) => {
    const dataDir = join(tempDir(), "mistyped");
    const ended = await run([...args, "--data-dir", dataDir]);
    expect(ended).toMatchObject({ code: 3, stdout: "" });
    expect(ended.stderr).toBe(`No activity has been recorded in ${dataDir}.\n`);
    expect(ended.message).toContain(`${message}; --data-dir or TOUCHSTONE_DATA_DIR choose another`);
    expect(existsSync(dataDir)).toBe(false);
  });
});

describe("--store", () => {
  it.each(["nonsense", "mysql://u:secret@h/d"])("refuses %s without repeating it", async (url) => {
    const ended = await run(["list", "--store", url]);
    expect(ended).toMatchObject({ code: 2 });
    expect(ended.message).toContain("not a URL of a PostgreSQL database");
    expect(ended.message).not.toContain("secret");
  });

  it("reports an unreachable database without the password", async () => {
    const ended = await run(["list", "--store", "postgresql://u:secret@127.0.0.1:1/d"]);
    expect(ended).toMatchObject({ code: 3 });
    expect(ended.message).toContain("postgresql://127.0.0.1:1/d does not answer");
    expect(ended.message).not.toContain("secret");
  });
});

describe("activity drift", () => {
  const SCHEMA = { type: "object", required: ["id"], properties: { id: { type: "integer" } } };

  async function seenUnder(schema: object, ...results: readonly unknown[]): Promise<string> {
    const { dataDir } = await recorded([CALL]);
    const store = await openActivityStore({ dataDir, sync: "normal" });
    const key = { server: "crm", tool: "find", schemaHash: "sha256:1" };
    const kept = { ...key, schema: JSON.stringify(schema), shape: judgedBy(schema, ...results) };
    await store.shapes.add([kept, { ...kept, tool: "find; id" }]);
    await store.close();
    return dataDir;
  }
  const seen = (...results: readonly unknown[]) => seenUnder(SCHEMA, ...results);

  it("reports how results differ, and proposes a schema", async () => {
    const dataDir = await seen({ id: 1, "na\u001bme": 1, name: "x" }, { name: "y" });
    const { stdout, code } = await run(["drift", "crm", "find", "--data-dir", dataDir]);
    expect(code).toBe(0);
    expect(stdout).toContain(
      "2 results of crm/find differed in 3 ways from the schema, which refused 1 of them:\n",
    );
    expect(stdout).toContain(
      "  (the result) had 1 member in 2 whose name was not kept, as it may be",
    );
    expect(stdout).toContain("\nA schema that fits:\n");
    expect(stdout).toContain("  /id is required, but was missing in 1 of 2\n");
    expect(stdout).toContain("  /name is not declared, but occurred in 2 of 2 (string)\n");
    expect(stdout).not.toContain("\u001b");
    const json = await run(["drift", "crm", "find", "--data-dir", dataDir, "-o", "json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({
      results: 2,
      partial: false,
      proposed_fits: true,
      proposed: { properties: { id: { type: "integer" }, name: { type: "string" } } },
    });
    const failed = ["drift", "crm", "find", "--data-dir", dataDir, "--fail-on", "drift"];
    expect(await run(failed)).toMatchObject({ code: 1 });
  });

  it("reports which limit results exceed, and proposes a schema without it", async () => {
    const schema = { properties: { at: { type: "string", pattern: `^${"x".repeat(80)}` } } };
    const dataDir = await seenUnder(schema, { at: "y" }, {});
    const { stdout } = await run(["drift", "crm", "find", "--data-dir", dataDir]);
    expect(stdout).toContain(`  /at broke "pattern": "^${"x".repeat(57)}… in 1 of 2 results\n`);
    expect(stdout).toMatch(/\nA schema that fits:\n[^^]*$/);
  });

  it("reports values that the schema may not accept", async () => {
    const schema = { properties: { at: { type: "array", items: { type: "string" } } } };
    const dataDir = await seenUnder(schema, { at: Array<number>(60).fill(1) });
    const { stdout } = await run(["drift", "crm", "find", "--data-dir", dataDir]);
    expect(stdout).toContain(
      "1 result of crm/find differed in 1 way from the schema, which refused it:",
    );
    expect(stdout).toContain(
      "\nA schema that may fit. It is unknown whether it accepts all\n" +
        "  items of long arrays beyond the first 50\nThe schema:\n{",
    );
    const json = await run(["drift", "crm", "find", "--data-dir", dataDir, "-o", "json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({
      refused: 1,
      proposed_fits: false,
      proposed_unsure: ["items"],
    });
  });

  it("reports refusals in parts of the schema that it does not compare, and fails the gate", async () => {
    const schema = {
      dependentSchemas: { a: { required: ["b"] } },
      properties: { a: true, b: true },
    };
    const dataDir = await seenUnder(schema, { a: 1 }, { a: 1 }, { a: 1, b: 2 });
    const told =
      "3 results of crm/find matched the compared parts of the schema, which refused 2 of them";
    const args = ["drift", "crm", "find", "--data-dir", dataDir, "--fail-on", "drift"];
    const ended = await run(args);
    expect(ended.code).toBe(1);
    expect(ended.stdout).toContain(`${told} for another reason.\n`);
    expect(ended.stdout).toContain("list --type policy_decision --server crm --tool find\n");
    expect(ended.message).toContain(told);
    // Running the printed command must not execute anything that a server has put into a name.
    const hostile = await run(["drift", "crm", "find; id", "--data-dir", dataDir]);
    expect(hostile.stdout).toContain("--server crm --tool 'find; id'\n");
  });

  it("reports when nothing differs and when there are no results", async () => {
    const dataDir = await seen({ id: 1 });
    const good = await run(["drift", "crm", "find", "--data-dir", dataDir, "--fail-on", "drift"]);
    expect(good).toMatchObject({ code: 0 });
    expect(good.stdout).toContain("1 result of crm/find had what the schema declares");
    const none = await run(["drift", "crm", "other", "--data-dir", dataDir]);
    expect(none).toMatchObject({ code: 0, stdout: "" });
    expect(none.stderr).toContain(
      "are stored 2 s after they arrive, for tools with an output schema",
    );
    expect(none.stderr).toContain('"drift": true');
    for (const where of [dataDir, tempDir()]) {
      const json = await run(["drift", "crm", "other", "--data-dir", where, "-o", "json"]);
      expect([json.code, JSON.parse(json.stdout)]).toMatchObject([
        0,
        { tool: "other", results: 0, findings: [], schema_hash: null, proposed: null },
      ]);
    }
    const gate = ["drift", "crm", "other", "--data-dir", dataDir, "--fail-on", "drift"];
    expect(await run(gate)).toMatchObject({ code: 3, message: none.stderr.trimEnd() });
    const wrong = await run(["drift", "crm", "find", "--data-dir", dataDir, "--fail-on", "x"]);
    expect(wrong).toMatchObject({ code: 2 });
  });
});
