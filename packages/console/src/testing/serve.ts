import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createNodeHandler,
  type NodeHandler,
  type ToolCallHandler,
  type ToolsProvider,
  type UIConfig,
} from "@touchstone/http";
import { build, type InlineConfig, mergeConfig } from "vite";
import { loadConsole } from "../../../http/src/page/load.ts";
import { buildSettings } from "../build/settings.ts";

/** A server on this machine, with a function that closes it. */
export interface Served {
  readonly url: string;
  close(): Promise<void>;
}

/** Builds a page as the console is built, and returns its files as the handlers accept them. */
export async function buildPage(
  entry: string,
  more: InlineConfig = {},
): Promise<NonNullable<ReturnType<typeof loadConsole>>> {
  // The value that a test runner sets here would select React's development build.
  const { NODE_ENV = "" } = process.env;
  process.env["NODE_ENV"] = "production";
  const directory = mkdtempSync(join(tmpdir(), "touchstone-console-"));
  try {
    const quiet: InlineConfig = { configFile: false, logLevel: "silent" };
    await build(mergeConfig(mergeConfig(buildSettings(entry, directory), quiet), more));
    const assets = loadConsole(directory);
    if (assets === undefined) throw new Error("the build left no manifest");
    return assets;
  } finally {
    process.env["NODE_ENV"] = NODE_ENV;
    rmSync(directory, { recursive: true });
  }
}

/** Serves the tool API with a page on a free port of the loopback interface. */
export async function serve(
  tools: ToolsProvider,
  handleCall: ToolCallHandler,
  options: UIConfig,
): Promise<Served> {
  const handler: NodeHandler = createNodeHandler(tools, handleCall, options);
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
