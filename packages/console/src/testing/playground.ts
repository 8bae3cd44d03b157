import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, mergeConfig } from "vite";
import {
  loadPlayground,
  type PlaygroundFiles,
  playgroundResponse,
} from "../../../http/src/page/load.ts";
import { playgroundSettings } from "../build/settings.ts";
import type { Served } from "./serve.ts";

const ROOT: string = fileURLToPath(new URL("../playground", import.meta.url));

let built: Promise<PlaygroundFiles> | undefined;

/** Builds the playground as it is published, once for all files of tests that one process runs. */
export function buildPlayground(): Promise<PlaygroundFiles> {
  built ??= buildFiles();
  return built;
}

async function buildFiles(): Promise<PlaygroundFiles> {
  // The value that a test runner sets here would select React's development build.
  const { NODE_ENV = "" } = process.env;
  process.env["NODE_ENV"] = "production";
  const directory = mkdtempSync(join(tmpdir(), "touchstone-playground-"));
  try {
    const quiet = { configFile: false, logLevel: "silent" } as const;
    await build(mergeConfig(playgroundSettings(ROOT, directory), quiet));
    const files = loadPlayground(directory);
    if (files === undefined) throw new Error("the build left no page");
    return files;
  } finally {
    process.env["NODE_ENV"] = NODE_ENV;
    rmSync(directory, { recursive: true });
  }
}

/** Serves the playground on a free port of the loopback interface. */
export async function servePlayground(files: PlaygroundFiles): Promise<Served> {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "", "http://localhost");
    const found = playgroundResponse(files, pathname.slice(1), "");
    response.writeHead(found?.status ?? 404, Object.fromEntries(found?.headers ?? []));
    response.end(found && new Uint8Array(await found.arrayBuffer()));
  });
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
