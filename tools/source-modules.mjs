// Loads TypeScript sources of the packages, which Node cannot run as they are, into tools.
import { fileURLToPath } from "node:url";
import { createServer } from "vite";

/**
 * Starts what loads modules. `load` takes a path below packages/; modules share what they import. Call `close` at the end.
 * Vite's `runnerImport` loads no more modules after it has returned one; a server does.
 */
export async function startLoader() {
  const server = await createServer({
    configFile: false,
    appType: "custom",
    logLevel: "error",
    server: { middlewareMode: true, hmr: false, ws: false, watch: null },
  });
  return {
    load: (path) =>
      server.ssrLoadModule(fileURLToPath(new URL(`../packages/${path}`, import.meta.url))),
    close: () => server.close(),
  };
}
