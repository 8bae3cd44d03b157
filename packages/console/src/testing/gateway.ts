import type { Browser, BrowserContextOptions } from "playwright-core";
import {
  type AdminGateway,
  startAdminGateway,
} from "../../../gateway/src/admin/testing/admin-gateway.ts";
import { FAULTY_SERVER } from "../../../gateway/src/testing/fixtures.ts";
import { initialize, post, request } from "../../../gateway/src/testing/http.ts";
import { launchChromium } from "./browser.ts";
import { builtPage } from "./built-page.ts";
import { buildConsole, type OpenPage, openPage } from "./console.ts";

export type { AdminGateway };

/** The example server whose tools break what they declare, as an entry of `mcpServers`. */
export const FAULTY: { readonly command: string; readonly args: readonly string[] } = {
  command: process.execPath,
  args: [FAULTY_SERVER],
};

/** Calls tools of a server through the gateway, one after the other. */
export async function callTools(
  gateway: AdminGateway,
  server: string,
  calls: readonly (readonly [name: string, args: object])[],
): Promise<void> {
  const url = gateway.url(server);
  const headers = await initialize(url);
  await post(url, request("list", "tools/list"), headers);
  for (const [index, [name, args]] of calls.entries()) {
    await post(url, request(index, "tools/call", { name, arguments: args }), headers);
  }
}

/** Gateways with the page as it stands in the sources, and a browser for them. */
export interface GatewayConsole {
  /** @param text of a `touchstone.json`, comments and all */
  start(text: string): Promise<AdminGateway & { readonly page: string }>;
  open(url: string, options?: BrowserContextOptions): Promise<OpenPage>;
  close(): Promise<void>;
}

/** Builds the page and starts a browser. The test file has to mock what {@link builtPage} says. */
export async function startGatewayConsole(chromium: string): Promise<GatewayConsole> {
  builtPage.assets = await buildConsole();
  const browser: Browser = await launchChromium(chromium);
  const gateways: AdminGateway[] = [];
  return {
    async start(text) {
      const gateway = await startAdminGateway(text);
      gateways.push(gateway);
      return { ...gateway, page: `http://127.0.0.1:${gateway.gateway.port}/` };
    },
    async open(url, options = {}) {
      return openPage(await browser.newContext(options), url);
    },
    async close() {
      await browser.close();
      for (const gateway of gateways) await gateway.close();
    },
  };
}
