import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, openSync, readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { eachOf, long } from "../packages/core/src/testing/sample.ts";
import { tempDir } from "../packages/records/src/testing/temp-dir.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

type Script = ChildProcessByStdio<null, Readable, Readable>;

/** Starts a script from the root of the checkout, with folders of its own for what it leaves behind. */
function start(script: string, stdout: "pipe" | number = "pipe") {
  const folder = tempDir();
  const child = spawn(process.execPath, [script], {
    cwd: ROOT,
    env: { ...process.env, TMPDIR: folder, npm_command: "start", TOUCHSTONE_DATA_DIR: tempDir() },
    stdio: ["ignore", stdout, "pipe"],
  }) as Script;
  let told = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    told += text;
  });
  const ended = once(child, "close").then(([code, signal]) => code ?? signal);
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return { child, told: () => told, ended, left: () => readdirSync(folder) };
}

it("the demo exits quietly if its reader is gone", long, async () => {
  const { child, told, ended, left } = start("tools/demo.mjs");
  await once(child.stdout, "data");
  child.stdout.destroy();
  expect([await ended, told(), left()]).toEqual([0, "", []]);
});

it("the demo reports in one line that its output cannot be written", long, async () => {
  const { told, ended, left } = start("tools/demo.mjs", openSync("/dev/full", "w"));
  expect([await ended, told(), left()]).toEqual([
    1,
    expect.stringMatching(/^the output cannot be written: .*ENOSPC.*\n$/),
    [],
  ]);
});

const SIGNALS: [NodeJS.Signals, number][] = [
  ["SIGTERM", 143],
  ["SIGINT", 130],
  ["SIGHUP", 129],
];

eachOf(SIGNALS, 1)("the demo removes its files after %s", async (signal, status) => {
  const { child, told, ended, left } = start("tools/demo.mjs");
  await once(child.stdout, "data");
  child.kill(signal);
  expect([await ended, told(), left()]).toEqual([status, "", []]);
});

eachOf<NodeJS.Signals>(["SIGINT", "SIGHUP"], 0)(
  "npm start leaves no process or file after %s",
  async (signal) => {
    const { child, told, ended, left } = start("tools/start.mjs");
    let shown = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      shown += text;
    });
    while (!shown.includes("Press Ctrl+C")) await once(child.stdout, "data");
    expect(shown).toContain("npx touchstone activity list --data-dir ");
    child.kill(signal);
    expect([await ended, told(), left()]).toEqual([0, "", []]);
  },
);

it("npm start does not rebuild what is current", long, async () => {
  // Pictures that the tests of the console take, for one, make a folder beside its sources.
  const outputs = join(ROOT, "packages/console/dist");
  mkdirSync(outputs, { recursive: true });
  utimesSync(join(outputs, ".."), new Date(), new Date());
  const { child, told, ended } = start("tools/start.mjs");
  await once(child.stdout, "data");
  child.kill("SIGTERM");
  expect([await ended, told()]).toEqual([0, ""]);
});
