import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { expect, it } from "vitest";
import { chromiumPath, launchChromium } from "../packages/console/src/testing/browser.ts";
import { long } from "../packages/core/src/testing/sample.ts";
import { startAdminGateway } from "../packages/gateway/src/server/admin/testing/admin-gateway.ts";
import { FAULTY_SERVER } from "../packages/gateway/src/testing/fixtures.ts";

/** A page with a client of each SDK, which reports what it received. */
const SCRIPT = `
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Transport1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from "@modelcontextprotocol/client";

const told = { name: "page", version: "1" };

async function use(client, Transport, url, key) {
  await client.connect(new Transport(new URL(url), { requestInit: { headers: { "x-api-key": key } } }));
  const { tools } = await client.listTools();
  const { isError } = await client.callTool({ name: "get_weather", arguments: { city: "Oslo" } });
  await client.close();
  return [tools.length > 0, isError === true];
}

window.run = async (url, key, viewer) => ({
  v1: await use(new Client1(told), Transport1, url, key),
  v2: await use(new Client2(told), Transport2, url, key),
  activity: (await (await fetch(new URL("/api/v1/activity?type=tool_call", url), { headers: { "x-api-key": viewer } })).json()).total,
  unauthorized: (await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: "{}" })).headers.get("www-authenticate"),
  settings: await fetch(new URL("/api/v1/modes", url), { method: "PATCH", headers: { "x-api-key": key, "content-type": "application/json" }, body: "{}" }).then(() => "sent", () => "not sent"),
});
`;

async function bundled(): Promise<string> {
  const name = fileURLToPath(new URL("page.js", import.meta.url));
  const built = await rolldown({
    input: name,
    platform: "browser",
    logLevel: "silent",
    plugins: [
      {
        name: "page",
        resolveId: (id) => (id === name ? id : null),
        load: (id) => (id === name ? SCRIPT : null),
      },
    ],
  });
  const { output } = await built.generate({ format: "iife" });
  await built.close();
  return output[0].code;
}

async function listening(server: Server): Promise<string> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const chromium = chromiumPath();

it.skipIf(chromium === undefined)(
  "serves web pages of an allowed origin, and no others",
  { ...long, timeout: 120_000 },
  async () => {
    const script = await bundled();
    const answer = (_: unknown, response: import("node:http").ServerResponse): void => {
      response.writeHead(200, { "content-type": "text/html" });
      response.end(`<!doctype html><title>page</title><script>${script}</script>`);
    };
    const allowed = createServer(answer);
    const foreign = createServer(answer);
    const origin = await listening(allowed);
    const other = await listening(foreign);
    const touchstone = await startAdminGateway(
      JSON.stringify({
        listen: { address: "127.0.0.1:0", allowed_origins: [origin] },
        auth: { api_key: "s3cret", keys: [{ name: "vera", role: "viewer", key: "v1ewer" }] },
        mcpServers: { faulty: { command: process.execPath, args: [FAULTY_SERVER] } },
      }),
    );
    const browser = await launchChromium(chromium ?? "");
    try {
      const run = async (from: string): Promise<unknown> => {
        const page = await browser.newPage();
        await page.goto(from);
        const target = JSON.stringify([touchstone.url("faulty"), "s3cret", "v1ewer"]);
        return page.evaluate(`run(...${target}).catch((error) => "failed: " + error.message)`);
      };
      expect(await run(origin)).toEqual({
        v1: [true, false],
        v2: [true, false],
        activity: 2,
        unauthorized: "Bearer",
        settings: "not sent",
      });
      expect(await run(other)).toMatch(/^failed: /);
    } finally {
      await browser.close();
      await touchstone.close();
      for (const server of [allowed, foreign]) server.close().closeAllConnections();
    }
  },
);
