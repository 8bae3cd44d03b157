import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import type { ProcessIo } from "../io/process-io.ts";
import { tempDir } from "../testing/touchstone.ts";
import { askToStart } from "./approve-config.ts";

/** A terminal with a user who types lines. */
function terminal(home: string) {
  const told: string[] = [];
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const io = {
    stdin,
    stderr: { isTTY: true, write: (text: string) => told.push(text) },
    env: { XDG_CONFIG_HOME: home },
  } as unknown as ProcessIo;
  const ask = (file: string, typed: string): Promise<string> => {
    told.length = 0;
    if (typed !== "") stdin.write(`${typed}\n`);
    return askToStart(file, io).then(
      () => "started",
      (error: Error) => error.message,
    );
  };
  return { ask, told: () => told.join(""), stdin };
}

const entry = (...args: string[]): object => ({ command: "node", args });

it("lists a file's commands without secrets, and asks once per content and location", async () => {
  const [home, folder] = [tempDir(), tempDir()];
  const file = join(folder, "touchstone.json");
  const write = (to: string, ...args: string[]): void =>
    writeFileSync(to, JSON.stringify({ mcpServers: { a: entry(...args) } }));
  write(file, "server.js", "--token", "hunter2-hunter2");
  const { ask, told } = terminal(home);
  expect(await ask(file, "n")).toBe("nothing was started");
  expect(told()).toContain(`${file} starts:\n  a: node server.js --token`);
  expect(told()).toContain("Start them? [y/N] ");
  expect(told()).not.toContain("hunter2");
  expect(await ask(file, "yes")).toBe("started");
  expect([await ask(file, ""), told()]).toEqual(["started", ""]);
  write(file, "other.js");
  expect(await ask(file, "no")).toBe("nothing was started");
  const copy = join(folder, "copy");
  mkdirSync(copy);
  write(join(copy, "touchstone.json"), "server.js", "--token", "hunter2-hunter2");
  expect(await ask(join(copy, "touchstone.json"), "n")).toBe("nothing was started");
  const approvals = join(home, "touchstone", "approved.json");
  expect(statSync(approvals).mode & 0o077).toBe(0);
  expect(JSON.parse(readFileSync(approvals, "utf8"))).toHaveLength(1);
});

it("does not ask if nothing would be started", async () => {
  const file = join(tempDir(), "touchstone.json");
  const mcpServers = {
    web: { url: "https://example.com/mcp" },
    off: { ...entry(), disabled: true },
    mine: { touchstone: {} },
  };
  writeFileSync(file, JSON.stringify({ mcpServers }));
  const { ask, told } = terminal(tempDir());
  expect([await ask(file, ""), told()]).toEqual(["started", ""]);
});
