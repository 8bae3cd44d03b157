import { ChildProcess } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { long } from "../../../../core/src/testing/sample.ts";
import { processStat } from "../../../../util/src/process-stat.ts";
import { ProcessTree } from "../../../../util/src/process-tree.ts";
import { SCRIPTED_SERVER } from "../../testing/fixtures.ts";
import { LineLog } from "../../testing/line-log.ts";
import { tempDir } from "../../testing/wrapped.ts";
import { ChildLink, type ChildOptions } from "./child.ts";

const links: ChildLink[] = [];
afterEach(async () => {
  for (const link of links.splice(0)) {
    link.kill("SIGKILL");
    await link.ended;
  }
});

function start(args: readonly string[], options: Partial<ChildOptions> = {}) {
  const frames = new LineLog();
  const stderr = new LineLog();
  const oversize: { head: string; tail: string; size: number }[] = [];
  const link = new ChildLink(
    {
      command: process.execPath,
      args,
      env: { PATH: process.env["PATH"] ?? "" },
      maxFrameBytes: 1_000_000,
      stderr: (line) => stderr.add(line),
      ...options,
    },
    {
      frame: (bytes) => frames.add(Buffer.from(bytes).toString()),
      oversize: ({ head, tail, size }) =>
        oversize.push({
          head: Buffer.from(head).toString(),
          tail: Buffer.from(tail).toString(),
          size,
        }),
    },
  );
  links.push(link);
  void link.ended.then(() => {
    frames.end();
    stderr.end();
  });
  return { link, frames, stderr, oversize };
}

const script = (code: string, options: Partial<ChildOptions> = {}) => start(["-e", code], options);

describe("ChildLink", () => {
  it("names a missing command, and its directory if one was given", async () => {
    const missing = { command: "touchstone-no-such-command" };
    expect(await start([], missing).link.ended).toEqual({
      reason:
        'cannot start "touchstone-no-such-command": command not found. Check the spelling and the PATH',
      failedToStart: true,
      code: "ENOENT",
    });
    const home = await start([], { cwd: "~/none" }).link.ended;
    expect(home.reason).toMatch(
      /directory not found\. "~" is not expanded: write the whole path, or/,
    );
    const cwd = join(tempDir(), "none");
    expect(await start([], { cwd }).link.ended).toEqual({
      reason: `cannot start "${process.execPath}" in ${JSON.stringify(cwd)}: command or directory not found`,
      failedToStart: true,
      code: "ENOENT",
    });
  });

  it("reports a start that the system refuses", async () => {
    const inFile = await start([], { command: `${process.execPath}/server` }).link.ended;
    expect(inFile).toMatchObject({ failedToStart: true, code: "ENOTDIR" });
    expect(inFile.reason).toMatch(/a part of its path, or of "cwd", is not a directory$/);
    const huge = await start(["a".repeat(3_000_000)]).link.ended;
    expect(huge).toMatchObject({ failedToStart: true, code: "E2BIG" });
  });

  it("reports a file that is not executable", async () => {
    const command = join(tempDir(), "server");
    writeFileSync(command, "text");
    chmodSync(command, 0o644);
    const end = await start([], { command }).link.ended;
    expect(end).toMatchObject({ failedToStart: true });
    expect(end.reason).toBe(
      `cannot start ${JSON.stringify(command)}: it is not executable by this user`,
    );
  });

  it("reports how the child ended", async () => {
    expect(await script("process.exit(7)").link.ended).toEqual({
      reason: "exited with code 7",
      exitCode: 7,
    });
    expect(await script('process.kill(process.pid, "SIGKILL")').link.ended).toEqual({
      reason: "was ended by SIGKILL",
      signal: "SIGKILL",
    });
  });

  it("delivers stdout lines unchanged, even a last one without a line feed", async () => {
    const { link, frames } = script(
      String.raw`process.stdout.write('{"a":1.0}\r\n\n \n{"é":2}\n{"half"')`,
    );
    await link.ended;
    expect(frames.lines).toEqual(['{"a":1.0}\r', '{"é":2}', '{"half"']);
  });

  it("reports the ends and size of an oversize line, and continues after it", async () => {
    const code =
      'const x = (n) => process.stdout.write("x".repeat(n) + "\\n"); x(10); x(11); x(2);';
    const { link, frames, oversize } = script(code, { maxFrameBytes: 10 });
    await link.ended;
    expect(frames.lines).toEqual(["xxxxxxxxxx", "xx"]);
    expect(oversize).toEqual([{ head: "x".repeat(11), tail: "x".repeat(11), size: 11 }]);
  });

  it("delivers stderr line by line, and cuts endless lines", async () => {
    const code = String.raw`process.stderr.write("one\r\n\n  two\n" + "y".repeat(20000) + "\nlast")`;
    const { link, stderr } = script(code);
    await link.ended;
    expect(stderr.lines).toEqual(["one", "  two", `${"y".repeat(16_384)}…`, "last"]);
  });

  it("gives the child exactly the given environment and directory", async () => {
    const cwd = tempDir();
    const code = "process.stdout.write(JSON.stringify([process.cwd(), process.env]))";
    const { link, frames } = script(code, { cwd, env: { ONLY: "1" } });
    await link.ended;
    const [where, env] = JSON.parse(frames.text) as [string, Record<string, string>];
    expect(where.endsWith(cwd)).toBe(true);
    expect(env).toEqual({ ONLY: "1" });
  });

  it("drops messages for a child that has exited", async () => {
    const { link } = script("");
    await link.ended;
    await link.send(Buffer.from("{}"));
    await link.close();
  });

  it("does not wait for pipe space of a child that exits without reading", async () => {
    const { link, stderr } = script('console.error("up"); setInterval(() => {}, 60_000)');
    await stderr.find("up");
    const sent = link.send(Buffer.alloc(1_000_000, "x"));
    link.kill("SIGKILL");
    await sent;
    expect(await link.ended).toMatchObject({ signal: "SIGKILL", stopped: true });
  });

  it("stops a child by closing its stdin", async () => {
    const { link } = script('process.stdin.on("end", () => process.exit(4)).resume()');
    await link.close();
    expect(await link.ended).toEqual({ reason: "exited with code 4", exitCode: 4 });
  });

  it("kills a child that does not exit, sooner when told to hurry", long, async () => {
    const { link, stderr } = start([SCRIPTED_SERVER, "--linger"]);
    const hurry = new AbortController();
    const closed = link.close(60_000, hurry.signal);
    await stderr.find("lingering after end of stdin");
    hurry.abort();
    await stderr.find("lingering after SIGTERM");
    await closed;
    expect(await link.ended).toMatchObject({ signal: "SIGKILL", stopped: true });
  });

  it("abandons a child of another user that it may not kill", async () => {
    // The system refuses such a signal to a process that `sudo -u` has started.
    const refuse = vi.spyOn(ChildProcess.prototype, "kill").mockImplementation(function (
      this: ChildProcess,
    ) {
      const error = { code: "EPERM", syscall: "kill" };
      return !this.emit("error", Object.assign(new Error("kill EPERM"), error));
    });
    vi.spyOn(ProcessTree.prototype, "signal").mockResolvedValue();
    const told: string[] = [];
    const code = 'console.log("up"); setInterval(() => {}, 60000)';
    const { link, frames } = start(["-e", code], { leftBehind: (text) => told.push(text) });
    try {
      await frames.find("up");
      await link.close(0, AbortSignal.abort());
      expect(refuse).toHaveBeenCalledTimes(2);
      expect(await link.ended).toEqual({
        reason: "runs on: this user may not end it",
        stopped: true,
      });
      expect(told).toEqual([`the server runs on as process ${link.pid}: this user may not end it`]);
    } finally {
      vi.restoreAllMocks();
      process.kill(link.pid ?? 0, "SIGKILL");
    }
  });

  it("kills the children of a child that exits without them, as npx does", long, async () => {
    const server = `process.on("SIGTERM", () => {}); setInterval(() => {}, 60000); console.log("up");`;
    const code = `const { spawn } = require("node:child_process");
      const child = spawn(process.execPath, ["-e", ${JSON.stringify(server)}], { stdio: ["ignore", "pipe", "ignore"] });
      child.stdout.once("data", () => console.log(child.pid)); setInterval(() => {}, 60000);`;
    const { link, frames } = script(code);
    const pid = Number(await frames.find((line) => line !== ""));
    await link.close(0);
    expect(await link.ended).toMatchObject({ signal: "SIGTERM", stopped: true });
    await expect.poll(() => processStat(pid)).toBeUndefined();
  });

  it("does not wait forever for a grandchild that holds the pipes", long, async () => {
    const code = `const { spawn } = require("node:child_process");
      const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 60000)"], { stdio: "inherit", detached: true });
      console.log(child.pid); process.exit(3);`;
    const { link, frames } = script(code);
    expect(await link.ended).toMatchObject({ exitCode: 3 });
    process.kill(Number(frames.text), "SIGKILL");
  });

  it("loses no output of a child that exits while reading is paused", async () => {
    const { link, frames } = script(String.raw`process.stdout.write("x\n".repeat(20_000))`);
    link.pause();
    expect(await link.ended).toMatchObject({ exitCode: 0 });
    expect(frames.lines).toHaveLength(20_000);
  });
});
