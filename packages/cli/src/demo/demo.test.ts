import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { eachOf, long } from "../../../core/src/testing/sample.ts";
import { openBrowser } from "../io/open-browser.ts";
import { outcomeOf, recordsIn, tempDir, touchstone } from "../testing/touchstone.ts";

/** Starts the demo with a separate folder for its files. */
function demo(...args: string[]) {
  const [folder, home] = [tempDir(), tempDir()];
  const env = { TMPDIR: folder, HOME: home, npm_command: "" };
  const run = touchstone(["demo", ...args], { env, dataDir: join(home, "records") });
  return { ...run, left: () => [...readdirSync(folder), ...readdirSync(home)] };
}

it("shows the one blocked call and what the agent read, and removes its files", async () => {
  const { ended, stdout, stderr, left } = demo("--once");
  expect(await ended).toBe(0);
  const text = stdout();
  expect(text).toContain("✗ 1 blocked");
  expect(text).toContain("The blocked call: faulty/get_weather, whose arguments are strict\n");
  expect(text).toContain('The agent sent   {"city":5,"units":"kelvin","town":"Oslo"}');
  expect(text).toContain("    - Remove /town: it is not declared.\n    - Change /city: must be");
  expect(text).toContain('The agent read   {"city":"Oslo","temperature":18}');
  expect(text).not.toContain("http://");
  expect([stderr(), left()]).toEqual(["", []]);
});

it(
  "prints a link that works once, and commands that find its records, until it is stopped",
  long,
  async () => {
    const { child, seen, ended, stdout, stderr, left } = demo();
    await seen("stdout", /Press Ctrl\+C/);
    const [, url = "", id = "", code = ""] =
      /(http:\/\/127\.0\.0\.1:\d+\/)#\/activity\/(\w+)\?code=(\S+)/.exec(stdout()) ?? [];
    const signIn = () =>
      fetch(`${url}api/v1/sign-in`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ code }),
      });
    expect([(await signIn()).status, (await signIn()).status]).toEqual([200, 403]);
    const printed = [...stdout().matchAll(/^ {2}touchstone (activity .*)$/gm)];
    expect(printed.map(([, command = ""]) => command.split(" --data-dir")[0])).toEqual([
      "activity last --blocked",
      "activity list",
      "activity drift faulty get_weather",
    ]);
    for (const [, command = ""] of printed) {
      const words = command.split(" ");
      // The shapes of results are stored a moment after the results.
      await vi.waitFor(
        async () => {
          const { code, out, err } = await outcomeOf(words);
          // A list of calls reports the number of other records.
          const said = words[1] === "list" ? /^not listed: .*\n$/ : /^$/;
          expect([command, code, err]).toEqual([command, 0, expect.stringMatching(said)]);
          expect(out).toContain(words[1] === "last" ? id : "get_weather");
        },
        { timeout: 20_000 },
      );
    }
    child.kill("SIGINT");
    expect([await ended, stderr(), left()]).toEqual([0, "", []]);
    expect(stdout()).toContain("To keep them: touchstone demo --keep DIR");
  },
);

it("records calls of every kind, one of them blocked", long, async () => {
  const kept = join(tempDir(), "kept");
  const { ended, stdout, left } = demo("--once", "--keep", kept);
  expect([await ended, left()]).toEqual([0, []]);
  expect(stdout()).toContain(`touchstone ui --data-dir ${kept}`);
  const records = await recordsIn(kept);
  const calls = records.filter(({ type }) => type === "tool_call");
  const statuses = calls.map(({ status }) => status);
  expect(statuses.filter((status) => status === "blocked")).toHaveLength(1);
  expect(new Set(statuses)).toEqual(new Set(["success", "warning", "blocked", "error"]));
  expect(calls.some(({ arguments: args }) => args?.includes("kelvin"))).toBe(true);
  expect(records.flatMap(({ guard }) => guard ?? [])).toContainEqual(expect.anything());
});

eachOf<NodeJS.Signals>(["SIGTERM", "SIGINT", "SIGHUP"], 1)(
  "removes its files if %s arrives during the calls",
  async (signal) => {
    const { child, seen, ended, left } = demo();
    await seen("stdout", /An agent makes/);
    child.kill(signal);
    expect([await ended, left()]).toEqual([0, []]);
  },
);

it("exits if the reader of its output is gone", long, async () => {
  const { child, seen, ended, left } = demo();
  await seen("stdout", /An agent makes/);
  child.stdout.destroy();
  expect([await ended, left()]).toEqual([0, []]);
});

it("refuses --keep with a directory that is not empty", long, async () => {
  const full = tempDir();
  writeFileSync(join(full, "mine"), "");
  const { ended, stdout, stderr, left } = demo("--keep", full);
  expect([await ended, stdout(), left(), readdirSync(full)]).toEqual([2, "", [], ["mine"]]);
  expect(stderr()).toContain("is not empty; name a new directory");
});

it("uses a server that passes touchstone check", async () => {
  const server = new URL("../../../../examples/notes-server/server.mjs", import.meta.url).pathname;
  expect((await outcomeOf(["check", "--", process.execPath, server])).code).toBe(0);
});

it("opens the link with the program of BROWSER, and reports whether that works", async () => {
  const folder = tempDir();
  mkdirSync(join(folder, "bin"));
  const program = join(folder, "bin", "browser");
  const opened = join(folder, "opened");
  writeFileSync(program, `#!/bin/sh\nprintf %s "$1" > ${opened}\n`, { mode: 0o755 });
  expect(await openBrowser("http://127.0.0.1/#/?code=x", { BROWSER: program })).toBe(true);
  expect(readFileSync(opened, "utf8")).toBe("http://127.0.0.1/#/?code=x");
  for (const env of [
    { BROWSER: join(folder, "nowhere") },
    { BROWSER: "false" },
    { BROWSER: "none", DISPLAY: ":0" },
    { BROWSER: program, CI: "1" },
    {},
  ]) {
    expect([env, await openBrowser("http://127.0.0.1/", env, "linux")]).toEqual([env, false]);
  }
});
