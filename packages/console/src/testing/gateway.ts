import type { BrowserContextOptions } from "playwright-core";
import { afterAll, beforeAll, describe, vi } from "vitest";
import type {
  AdminGateway,
  AdminGatewayOptions,
} from "../../../gateway/src/server/admin/testing/admin-gateway.ts";
import { FAULTY_SERVER } from "../../../gateway/src/testing/fixtures.ts";
import { initialize, post, request } from "../../../gateway/src/testing/http.ts";
import { chromiumPath } from "./browser.ts";
import { buildConsole, type OpenPage, openApart, sharedBrowser } from "./console.ts";

/** The example server whose tools violate their declarations, as an entry of `mcpServers`. */
export const FAULTY: { readonly command: string; readonly args: readonly string[] } = {
  command: process.execPath,
  args: [FAULTY_SERVER],
};

/** Calls tools of a server through the gateway, one after the other. @param key of the gateway, if it requires one */
export async function callTools(
  gateway: AdminGateway,
  server: string,
  calls: readonly (readonly [name: string, args: object])[],
  key?: string,
): Promise<void> {
  const url = gateway.url(server);
  const own: Record<string, string> = key === undefined ? {} : { "x-api-key": key };
  const headers = { ...own, ...(await initialize(url, undefined, { headers: own })) };
  await post(url, request("list", "tools/list"), headers);
  for (const [index, [name, args]] of calls.entries()) {
    await post(url, request(index, "tools/call", { name, arguments: args }), headers);
  }
}

/** A gateway, and the URL of its page. */
export type ServedGateway = AdminGateway & { readonly page: string };

/** Gateways with the page as built from the sources, and a browser for them. */
export interface GatewayConsole {
  /** @param text the text of a `touchstone.json`, with comments */
  start(text: string, options?: AdminGatewayOptions): Promise<ServedGateway>;
  open(url: string, options?: BrowserContextOptions): Promise<OpenPage>;
}

interface Loader {
  loadConsole(directory?: string): unknown;
}

/**
 * Builds the page, and opens it in the shared browser. A gateway usually serves the files in `packages/http/dist`,
 * which may be older than the sources: here it is given a fresh build.
 */
async function startGatewayConsole(chromium: string) {
  const assets = await buildConsole();
  vi.doMock("@touchstone/http/console", async (original) => {
    const module = await original<Loader>();
    const loadConsole: Loader["loadConsole"] = (directory) =>
      directory === undefined ? assets : module.loadConsole(directory);
    return { ...module, loadConsole };
  });
  const { startAdminGateway } = await import(
    "../../../gateway/src/server/admin/testing/admin-gateway.ts"
  );
  const browser = await sharedBrowser(chromium);
  const gateways: AdminGateway[] = [];
  return {
    async start(text: string, options?: AdminGatewayOptions): Promise<ServedGateway> {
      const gateway = await startAdminGateway(text, options);
      gateways.push(gateway);
      return { ...gateway, page: `http://127.0.0.1:${gateway.gateway.port}/` };
    },
    open: (url: string, options?: BrowserContextOptions): Promise<OpenPage> =>
      openApart(browser, url, options),
    async close(): Promise<void> {
      for (const gateway of gateways) await gateway.close();
    },
  };
}

/**
 * Tests of a gateway's pages, skipped where there is no Chromium. Tests can use what they are given from their own
 * `beforeAll` on.
 */
export function describeGatewayPages(
  title: string,
  tests: (console: GatewayConsole) => void,
): void {
  const chromium = chromiumPath();
  describe.skipIf(chromium === undefined)(title, () => {
    let started: Promise<Awaited<ReturnType<typeof startGatewayConsole>>>;
    beforeAll(async () => {
      started = startGatewayConsole(chromium ?? "");
      await started;
    }, 60_000);
    afterAll(async () => (await started).close());
    tests({
      start: async (text, options) => (await started).start(text, options),
      open: async (url, options) => (await started).open(url, options),
    });
  });
}
