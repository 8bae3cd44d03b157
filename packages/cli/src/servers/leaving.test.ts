import { getEventListeners } from "node:events";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
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
