import { getEventListeners } from "node:events";
import { ProcessTree } from "@touchstone/gateway/config";
import { expect, it } from "vitest";
import { ExactCalls } from "./exact-call.ts";
import { closeOnStop } from "./leaving.ts";
import { StdioTransport } from "./stdio-transport.ts";

function transportTo(code: string, stop: AbortSignal, stderr: (line: string) => void = () => {}) {
  const upstream = {
    type: "stdio",
    command: process.execPath,
    args: ["-e", code],
    env: {},
  } as const;
  const transport = new StdioTransport({
    upstream,
    env: { PATH: process.env["PATH"] ?? "" },
    stop,
    stderr,
    exact: new ExactCalls(),
  });
  closeOnStop(transport, stop);
  return transport;
}

it("leaves nothing at the signal of a command once a server is closed", async () => {
  const stop = new AbortController().signal;
  const transport = transportTo("process.stdin.resume()", stop);
  await transport.start();
  expect(getEventListeners(stop, "abort")).toHaveLength(1);
  await Promise.all([transport.close(), transport.close()]);
  expect(getEventListeners(stop, "abort")).toEqual([]);
});

it("ends what a server that has to be killed has started, as npx does", async () => {
  const stays = "setInterval(() => {}, 60000)";
  const code = `const { spawn } = require("node:child_process");
    console.error(spawn(process.execPath, ["-e", ${JSON.stringify(stays)}]).pid); ${stays}`;
  let tell = (_line: string): void => {};
  const told = new Promise<string>((resolve) => {
    tell = resolve;
  });
  const transport = transportTo(code, new AbortController().signal, tell);
  await transport.start();
  const pid = Number(await told);
  const tree = new ProcessTree(process.pid);
  await transport.close();
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
