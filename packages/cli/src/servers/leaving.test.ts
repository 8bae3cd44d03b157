import { getEventListeners } from "node:events";
import { ProcessTree } from "@touchstone/gateway/config";
import { ChildLink } from "@touchstone/gateway/transport";
import { expect, it } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { ServerPeer } from "./peer.ts";

function peerTo(
  code: string,
  stop: AbortSignal,
  stderr: (line: string) => void = () => {},
): ServerPeer {
  const env = { PATH: process.env["PATH"] ?? "" };
  const child = { command: process.execPath, args: ["-e", code], env, stderr, hurry: stop };
  return new ServerPeer(
    (events) => new ChildLink({ ...child, maxFrameBytes: 65_536 }, events),
    stop,
  );
}

it("removes its listener on the command's signal when a server is closed", async () => {
  const stop = new AbortController().signal;
  const peer = peerTo("process.stdin.resume()", stop);
  expect(getEventListeners(stop, "abort")).toHaveLength(1);
  await Promise.all([peer.close(), peer.close()]);
  expect(getEventListeners(stop, "abort")).toEqual([]);
});

it("kills the children of a server that it has to kill, as with npx", long, async () => {
  const stays = "setInterval(() => {}, 60000)";
  const code = `const { spawn } = require("node:child_process");
    console.error(spawn(process.execPath, ["-e", ${JSON.stringify(stays)}]).pid); ${stays}`;
  let tell = (_line: string): void => {};
  const told = new Promise<string>((resolve) => {
    tell = resolve;
  });
  const peer = peerTo(code, new AbortController().signal, tell);
  const pid = Number(await told);
  const tree = new ProcessTree(process.pid);
  await peer.close();
  const gone = (): boolean => {
    try {
      process.kill(pid, 0);
      return !tree.runs;
    } catch {
      return true;
    }
  };
  await expect.poll(gone).toBe(true);
});
