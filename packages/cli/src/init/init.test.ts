import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { parseConfig } from "@touchstone/gateway/config";
import { expect, it } from "vitest";
import { FAULTY_SERVER, outcomeOf, tempDir } from "../testing/touchstone.ts";
import type { AskChoices, InitOffer } from "./questions.ts";
import { runInit } from "./run-init.ts";

const faulty = { command: process.execPath, args: [FAULTY_SERVER] };

/** A home directory with three servers in Cursor's file, and a project with one in VS Code's file. */
function place() {
  const [home, cwd] = [tempDir(), tempDir()];
  const write = (path: string, value: object): void => {
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, JSON.stringify(value));
  };
  write(join(home, ".cursor/mcp.json"), {
    mcpServers: {
      files: { ...faulty, env: { KEY: `\${env:KEY}` }, alwaysAllow: ["x"] },
      wrapped: { command: "touchstone", args: ["wrap", "--", "x"] },
      old: { type: "sse", url: "https://example.com/sse" },
    },
  });
  write(join(cwd, ".vscode/mcp.json"), { servers: { files: { command: "other" } } });
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, "config"), KEY: "secret-value" };
  return { home, cwd, env, file: join(cwd, "touchstone.json") };
}

it("--yes writes every server that can be served, in warn mode, with a schema for editors", async () => {
  const { cwd, env, file } = place();
  const { code, out, err } = await outcomeOf(["init", "--yes"], { cwd, env });
  expect([code, out]).toEqual([0, expect.stringContaining(`Wrote ${file}: 2 servers`)]);
  expect(err).toContain("skipped");
  const text = readFileSync(file, "utf8");
  expect(JSON.parse(text)).toEqual({
    $schema: "./touchstone.schema.json",
    input_validation: { mode: "warn" },
    output_validation: { mode: "warn" },
    protocol_validation: { mode: "warn" },
    mcpServers: {
      files: { ...faulty, env: { KEY: `\${KEY}` } },
      "files-vs-code": { command: "other" },
    },
  });
  expect(statSync(file).mode & 0o077).toBe(0);
  const schema = JSON.parse(readFileSync(join(cwd, "touchstone.schema.json"), "utf8"));
  expect(schema.properties.mcpServers).toBeDefined();
  expect(() => parseConfig(text, { file, env })).not.toThrow();
  // A user who has just chosen the servers is not asked whether to start them.
  const checked = await outcomeOf(["check", "files"], { cwd, env });
  expect(checked.err).not.toContain("would start");
});

it("points to install if a client's file is not JSON", async () => {
  const { cwd, home, env } = place();
  const path = join(home, ".codex/config.toml");
  mkdirSync(join(path, ".."));
  writeFileSync(path, '[mcp_servers.files]\ncommand = "npx"\n');
  const { code, err } = await outcomeOf(["init", "--yes"], { cwd, env });
  expect(code).toBe(0);
  expect(err).toContain(`skipped: ${path}: init reads JSON only; touchstone install`);
});

it("never overwrites a file, and does not prompt without a terminal", async () => {
  const { cwd, env, file } = place();
  const piped = await outcomeOf(["init"], { cwd, env });
  expect([piped.code, piped.err]).toEqual([2, expect.stringContaining("use --yes")]);
  writeFileSync(file, "{}");
  const again = await outcomeOf(["init", "--yes"], { cwd, env });
  expect([again.code, again.err]).toEqual([2, expect.stringContaining("already")]);
  expect(readFileSync(file, "utf8")).toBe("{}");
});

it("writes the chosen servers, also to the user's file, and nothing if canceled", async () => {
  const { home, cwd, env } = place();
  const offers: InitOffer[] = [];
  const told: string[] = [];
  const run = (ask: AskChoices) => {
    const output = { write: (text: string) => told.push(text) };
    const io = { stdin: new PassThrough(), stdout: output, stderr: output, env } as never as object;
    const at = { platform: "linux", home, cwd, env } as const;
    return runInit({}, { ...io, place: at } as never, async (offer) => {
      offers.push(offer);
      return ask(offer);
    });
  };
  await expect(run(async () => undefined)).rejects.toThrow("nothing was written");
  await run(async ({ servers, files }) => ({
    servers: servers.slice(1),
    mode: "strict",
    file: files[1]?.path ?? "",
  }));
  const [offer] = offers;
  expect(offer?.clients).toEqual([
    `Cursor: ${join(home, ".cursor/mcp.json")}`,
    `VS Code: ${join(cwd, ".vscode/mcp.json")}`,
  ]);
  expect(offer?.servers.map(({ name, client }) => `${name} ${client}`)).toEqual([
    "files Cursor",
    "files-vs-code VS Code",
  ]);
  const user = join(home, "config/touchstone/touchstone.json");
  expect(JSON.parse(readFileSync(user, "utf8"))).toMatchObject({
    input_validation: { mode: "strict" },
    mcpServers: { "files-vs-code": { command: "other" } },
  });
  expect(told.join("")).toContain(`Wrote ${user}: 1 server, 1 wrapped server, mode strict.`);
});
