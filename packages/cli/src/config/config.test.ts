import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { compileDeclared, SchemaCache } from "@touchstone/core/advanced";
import { openActivityStore } from "@touchstone/gateway/activity";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { ToolContract } from "../../../gateway/src/contracts/contract.ts";
import { outcomeOf, tempDir } from "../testing/touchstone.ts";
import { hideSecrets } from "./secrets.ts";

function file(content: unknown): string {
  const path = join(tempDir(), "touchstone.json");
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}
const outcome = (args: readonly string[], env: Record<string, string> = {}) =>
  outcomeOf(["config", ...args], { env });
const CONFIG = {
  mcpServers: {
    a: {
      command: "run",
      args: ["--token", "hunter2", "--api-key=hunter2", "x"],
      env: { SECRET: `\${PASS}` },
      alwaysAllow: [],
    },
    b: {
      url: "https://b.example/mcp?api_key=hunter2&q=1",
      headers: { Authorization: "Bearer hunter2" },
      disabled: true,
    },
  },
  auth: { api_key: "hunter2" },
  activity: { store: "postgres://me:hunter2@db/t?sslmode=require" },
  alerts: [
    {
      when: "blocked",
      min_interval: 60,
      webhook: { url: "https://hooks.example/T/hunter2", secret: `hunter2\${PASS}` },
    },
    { when: "call_error", server: "a", command: ["notify", "--token", "hunter2"] },
  ],
  input_validation: { mode: "strict" },
};

describe("config with FILE instead of --config", () => {
  it.each(["check", "show"])("%s reads FILE as it reads the file of --config", async (command) => {
    const path = file(CONFIG);
    const options = { PASS: "hunter2" };
    const plain = await outcome([command, path], options);
    expect(plain).toEqual(await outcome([command, "--config", path], options));
    expect(plain.code).toBe(0);
  });

  it("refuses FILE together with --config", async () => {
    const path = file(CONFIG);
    expect(await outcome(["check", path, "--config", path])).toEqual({
      code: 2,
      out: "",
      err: "touchstone: the configuration is named twice: as FILE, and with --config\n",
    });
  });
});

describe("config check", () => {
  it("reports a valid file, and lists the keys that it ignores", async () => {
    const { code, out } = await outcome(["check", "--config", file(CONFIG)], { PASS: "hunter2" });
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(
        /2 warnings \(1 server, 1 disabled, no server was started\)\n {2}not read: mcpServers\.a\.alwaysAllow\n/,
      ),
    ]);
  });

  it("lists policy patterns that match no tool of the stored lists", async () => {
    const dataDir = tempDir();
    const path = file({
      policy: { deny_tools: ["delete_*", "reed"] },
      mcpServers: {
        notes: { command: "c", touchstone: { policy: { allow_tools: ["read", "writ?"] } } },
        other: { command: "c" },
      },
    });
    const check = () => outcome(["check", "--config", path, "--data-dir", dataDir]);
    const start = (verdict: string) => `${path}: ${verdict} (2 servers, no server was started)\n`;
    expect((await check()).out).toBe(start("valid"));
    const store = await openActivityStore({ dataDir, sync: "normal" });
    const keep = (server: string, names: readonly string[]) =>
      store.contracts.replace(
        { server, revision: "2025-11-25", authorization: "" },
        names.map((name) => new ToolContract({ name }, new SchemaCache())),
      );
    await keep("notes", ["read", "write_file"]);
    const own = '  policy: allow_tools: "writ?" does not match a known tool of notes\n';
    expect((await check()).out).toBe(`${start("valid, with 1 warning")}${own}`);
    await keep("other", ["DELETE_all"]);
    await store.close();
    const top = '  policy: deny_tools: "reed" does not match any known tool\n';
    expect((await check()).out).toBe(`${start("valid, with 2 warnings")}${own}${top}`);
  });

  it("counts a disabled server without checking its entry", async () => {
    const off = {
      old: { type: "sse", url: "https://x/sse" },
      bare: {},
      set: { command: `\${NOPE}` },
    };
    const disabled = Object.entries(off).map(([name, entry]) => [
      name,
      { ...entry, disabled: true },
    ]);
    const path = file({ mcpServers: { good: { command: "c" }, ...Object.fromEntries(disabled) } });
    for (const option of ["--config", "--servers"]) {
      const { code, out } = await outcome(["check", option, path]);
      expect([code, out]).toEqual([
        0,
        `${path}: valid (1 server, 3 disabled, no server was started)\n`,
      ]);
      expect((await outcome(["show", option, path])).code).toBe(0);
    }
  });

  it("accepts unsupported entries in a client's file and lists them, but refuses them in our own", async () => {
    const old = { type: "sse", url: "https://x/sse" };
    const path = file({ mcpServers: { good: { command: "c" }, old } });
    const why = /skipped: old: \S+json:1:\d+: \/mcpServers\/old\/type: the old HTTP\+SSE/;
    const { code, out } = await outcome(["check", "--servers", path]);
    expect([code, out]).toEqual([0, expect.stringMatching(why)]);
    expect(out).toContain(
      `${path}: can be served in part (1 server, 1 skipped, no server was started)\n`,
    );
    const shown = await outcome(["show", "--servers", path]);
    expect([shown.code, shown.err]).toEqual([0, expect.stringMatching(why)]);
    expect(Object.keys(JSON.parse(shown.out).mcpServers)).toEqual(["good"]);
    expect((await outcome(["check", "--config", path])).code).toBe(2);
  });

  it("suggests the right spelling of an ignored key", async () => {
    const server = { command: "node", arg: ["server.js"], headers: {}, envFile: ".env" };
    const path = file({ mcpServers: { "a.b": server } });
    expect((await outcome(["check", "--config", path])).out).toMatch(
      /a\.b\.arg — did you mean "args"\?\n.*a\.b\.headers\n.*a\.b\.envFile\n/,
    );
  });

  it("reports all faults with their places", async () => {
    const path = file('{\n  "input_validation": { "mode": "Strict" },\n  "modes": 1\n}');
    const { code, err } = await outcome(["check", "--config", path]);
    expect(code).toBe(2);
    expect(err).toMatch(/touchstone\.json:2:33: .*"off", "warn", "strict"/);
    expect(err).toMatch(/touchstone\.json:3:3: /);
  });

  it("requires a file", async () => {
    expect((await outcome(["check"])).code).toBe(2);
  });
});

describe("config show", () => {
  it.each([
    ["json", (text: string) => JSON.parse(text)],
    ["yaml", (text: string) => parse(text)],
  ])("prints the effective settings as %s, without secrets", async (format, read) => {
    const args = ["show", "--config", file(CONFIG), "-f", format];
    const { code, out } = await outcome(args, { PASS: "hunter2" });
    expect(code).toBe(0);
    expect(out).not.toContain("hunter2");
    expect(read(out)).toMatchObject({
      input_validation: { mode: "strict", max_depth: 64 },
      auth: { api_key: "(set, not shown)" },
      alerts: [
        {
          when: "blocked",
          min_interval: 60,
          webhook: {
            url: "https://hooks.example/(set, not shown)",
            secret: "(set, not shown)",
            format: "json",
          },
        },
        { when: "call_error", server: "a", command: ["notify", "--token", "(set, not shown)"] },
      ],
      mcpServers: {
        a: {
          command: "run",
          env: { SECRET: "(set, not shown)" },
          touchstone: { input_validation: { mode: "strict" }, output_validation: { mode: "warn" } },
        },
        b: { url: "https://b.example/mcp?api_key=(set, not shown)&q=1", disabled: true },
      },
    });
    expect(read(out).activity.store).toBe("postgres://(set, not shown)@db/t?sslmode=require");
  });

  it.each(["json", "yaml"])("prints %s that loads to the same configuration", async (format) => {
    const { auth: _, alerts: __, ...content } = CONFIG;
    const given = ["--config", file({ ...content, listen: { address: "[::1]:0" } })];
    const shown = await outcome(["show", "-f", format, ...given], { PASS: `p\${x}` });
    const text = format === "yaml" ? JSON.stringify(parse(shown.out)) : shown.out;
    const again = await outcome(["show", "-f", format, "--config", file(text)]);
    expect(again).toEqual({ code: 0, out: shown.out, err: "" });
  });

  it.each(["--config", "--servers"])(
    "prints schemas of narrow as they were written: %s",
    async (option) => {
      const [ours, theirs] = [`\${DOOR_TOKEN}`, `\${env:DOOR_TOKEN}`];
      const narrow = (variable: string) => ({
        properties: { door: { enum: [variable, `x\${HOME:-/h}`, `$\${HOME}`] } },
      });
      const config = (variable: string) => ({
        mcpServers: {
          a: { command: "c", touchstone: { tools: { open: { narrow: narrow(variable) } } } },
        },
      });
      const path = file(config(option === "--servers" ? theirs : ours));
      const env = { DOOR_TOKEN: "hunter2", HOME: "/home/me" };
      const { code, out } = await outcome(["show", option, path], env);
      expect(code).toBe(0);
      expect(out).not.toMatch(/hunter2|home.me/);
      expect(JSON.parse(out).mcpServers.a.touchstone.tools.open.narrow).toEqual(narrow(ours));
      expect((await outcome(["show", "--config", file(out)], env)).out).toBe(out);
    },
  );

  it("prints hidden keys in a form that the loader refuses", async () => {
    const { out } = await outcome(["show", "--config", file(CONFIG)], { PASS: "hunter2" });
    const { code, err } = await outcome(["check", "--config", file(out)]);
    expect(code).toBe(2);
    expect(err).toMatch(/\/auth\/api_key: must be visible/);
    expect(err).toMatch(/\/alerts\/0\/webhook\/secret: must be visible/);
  });
});

describe("config schema", () => {
  it("accepts a valid configuration, and refuses a misspelled mode", async () => {
    const { code, out } = await outcome(["schema"]);
    expect(code).toBe(0);
    const schema = compileDeclared({ text: out });
    expect(schema.error).toBeUndefined();
    expect(schema.validate(CONFIG).outcome).toBe("pass");
    expect(schema.validate({ input_validation: { mode: "Strict" } }).outcome).toBe("violation");
  });
});

describe("config schema touchstone.lock", () => {
  it("prints the schema of lock files", async () => {
    const { out } = await outcome(["schema", "touchstone.lock"]);
    const schema = compileDeclared({ text: out });
    expect(schema.validate({ lock_version: 1, servers: {} }).outcome).toBe("pass");
    expect(schema.validate({ lock_version: 1 }).outcome).toBe("violation");
  });
});

describe("hideSecrets", () => {
  it.each([
    [
      ["--token", "x"],
      ["--token", "(set, not shown)"],
    ],
    [["--api-key=x"], ["--api-key=(set, not shown)"]],
    [
      ["-H", "Authorization: Bearer x"],
      ["-H", "Authorization: (set, not shown)"],
    ],
    [["postgres://me:pw@db/x"], ["postgres://(set, not shown)@db/x"]],
    [["https://a/?q=1&apiKey=x#y"], ["https://a/?q=1&apiKey=(set, not shown)#y"]],
    [["https://a/s/0123456789abcdef0123/mcp?q=1"], ["https://a/s/(set, not shown)/mcp?q=1"]],
    [["sk-hunter2hunter2hunter2"], ["(set, not shown)"]],
    [
      ["sh", "-c", "A=1 API_KEY=x mysql -px db; curl -u me:x y"],
      [
        "sh",
        "-c",
        "A=1 API_KEY=(set, not shown) mysql -p(set, not shown) db; curl -u me:(set, not shown) y",
      ],
    ],
    [
      ["mysql", "-px", "curl", "-u", "me:x"],
      ["mysql", "-p(set, not shown)", "curl", "-u", "me:(set, not shown)"],
    ],
    [
      ["--author-token-file", "--verbose"],
      ["--author-token-file", "--verbose"],
    ],
    [
      ["-y", "@scope/server", "/path"],
      ["-y", "@scope/server", "/path"],
    ],
  ])("%j", (args, shown) => {
    expect(hideSecrets(args)).toEqual(shown);
  });
});
