import { getEventListeners } from "node:events";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { ProcessTree } from "@touchstone/gateway/config";
import { expect, it } from "vitest";
import { closeOnStop } from "./leaving.ts";

it("leaves nothing at the signal of a command once a server is closed", async () => {
  const stop = new AbortController().signal;
  const args = ["-e", "process.stdin.resume()"];
  const transport = new StdioClientTransport({ command: process.execPath, args });
  closeOnStop(transport, stop);
  await transport.start();
  expect(getEventListeners(stop, "abort")).toHaveLength(1);
  await Promise.all([transport.close(), transport.close()]);
  expect(getEventListeners(stop, "abort")).toEqual([]);
});

it("ends what a server that has to be killed has started, as npx does", async () => {
  const stays = "setInterval(() => {}, 60000)";
  const code = `const { spawn } = require("node:child_process");
    console.error(spawn(process.execPath, ["-e", ${JSON.stringify(stays)}]).pid); ${stays}`;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ["-e", code],
    stderr: "pipe",
  });
  closeOnStop(transport, new AbortController().signal);
  const told = new Promise((resolve) => transport.stderr?.once("data", resolve));
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
