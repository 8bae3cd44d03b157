import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { FAULTY_SERVER, tempDir, touchstone } from "./testing/touchstone.ts";

const FAULTY = { command: process.execPath, args: [FAULTY_SERVER] };

it("takes a changed file without a restart, or refuses it whole", async () => {
  const file = join(tempDir(), "touchstone.json");
  const write = (content: unknown): void => {
    writeFileSync(`${file}.new`, typeof content === "string" ? content : JSON.stringify(content));
    renameSync(`${file}.new`, file);
  };
  const listen = { address: "127.0.0.1:0" };
  write({ listen, mcpServers: { faulty: FAULTY } });
  const { seen, stderr, child, ended } = touchstone(["serve", "--config", file]);
  await seen("stderr", /ready/);

  write({ listen, mcpServers: { faulty: FAULTY, second: FAULTY } });
  await seen("stderr", /the configuration has changed: second is new/);
  const [, url = ""] = await seen("stderr", /second: (http:\S+)/);

  write('{ "mode": ');
  await seen("stderr", /refused, the old one still holds: .*touchstone\.json:1:/);
  write({ listen, mcpServers: {} });
  await seen("stderr", /refused, the old one still holds: .*no server that is enabled/);
  expect((await fetch(url, { method: "PUT" })).status).toBe(405);

  child.kill("SIGTERM");
  expect(await ended).toBe(0);
  expect(stderr()).not.toMatch(/\n +at /);
});
