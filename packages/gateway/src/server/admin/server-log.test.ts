import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { initialize, post, request } from "../../testing/http.ts";
import type { ShownServerLog } from "../api/operator-schemas.ts";
import { type AdminGateway, startAdminGateway } from "./testing/admin-gateway.ts";

async function started(config: object): Promise<AdminGateway> {
  const gateway = await startAdminGateway(JSON.stringify(config));
  onTestFinished(() => gateway.close());
  return gateway;
}

async function logOf(gateway: AdminGateway, server: string, after = ""): Promise<ShownServerLog> {
  const query = after === "" ? "" : `?after=${after}`;
  const { status, body } = await gateway.get(`servers/${server}/log${query}`);
  expect(status).toBe(200);
  return body as ShownServerLog;
}
const textsOf = ({ lines }: ShownServerLog): readonly string[] =>
  lines.map(({ kind, text }) => `${kind}: ${text}`);

/** When a server is removed, its log is dropped. */
const begin = (gateway: AdminGateway, server: string): Promise<unknown> =>
  post(gateway.url(server), request(1, "initialize", {}), {}).catch(() => {});

it("has a server's stderr, starts and ends, without secrets, and goes on after a cursor", async () => {
  const script = `console.error("hello \\u001b[31mred\\u001b[0m \\u202e " + process.env.TOKEN); process.exit(3)`;
  const gateway = await started({
    mcpServers: {
      dies: { command: process.execPath, args: ["-e", script], env: { TOKEN: "very-own-value" } },
      gone: { command: "/nowhere/server" },
    },
  });
  await begin(gateway, "dies");
  const whole = async (): Promise<readonly string[]> => textsOf(await logOf(gateway, "dies"));
  await expect
    .poll(whole)
    .toEqual(["info: started", "stderr: hello red \u202e [redacted]", "error: exited with code 3"]);
  const { place, cursor, missed, lines } = await logOf(gateway, "dies");
  expect([place, missed, new Set(lines.map(({ pid }) => pid)).size]).toEqual(["gateway", 0, 1]);
  expect((await logOf(gateway, "dies", cursor)).lines).toEqual([]);
  const [gone] = textsOf(await logOf(gateway, "gone"));
  expect(gone).toMatch(/^error: .*\/nowhere\/server/);
});

it("says when a URL responds and when not, and where the logs of others are", async () => {
  const upstream = createServer((_, response) => {
    response.writeHead(503).end();
  }).listen(0, "127.0.0.1");
  await once(upstream, "listening");
  onTestFinished(() => {
    upstream.closeAllConnections();
    upstream.close();
  });
  const { port } = upstream.address() as AddressInfo;
  const gateway = await started({
    mcpServers: {
      web: { url: `http://127.0.0.1:${port}/mcp/SECRET` },
      off: { command: "x", disabled: true },
      wrapped: { touchstone: {} },
    },
  });
  await begin(gateway, "web");
  const log = await logOf(gateway, "web");
  expect(textsOf(log)).toEqual(["error: the server answered with the HTTP status 503"]);
  expect(await logOf(gateway, "off")).toMatchObject({ place: "disabled", lines: [] });
  expect(await logOf(gateway, "wrapped")).toMatchObject({ place: "client", lines: [] });
});

it("survives a change of the server's entry, and hides what was a secret before", async () => {
  const config = (token: string) => ({
    mcpServers: {
      dies: {
        command: process.execPath,
        args: ["-e", "console.error(process.env.TOKEN); process.exit(3)"],
        env: { TOKEN: token },
      },
    },
  });
  const gateway = await started(config("the-first-value"));
  await begin(gateway, "dies");
  const texts = async (): Promise<readonly string[]> => textsOf(await logOf(gateway, "dies"));
  await expect.poll(texts).toHaveLength(3);
  const { parseConfig } = await import("../../config/load.ts");
  const options = { file: gateway.file, env: {}, overrides: { listen: "127.0.0.1:0" } };
  await gateway.gateway.reload(parseConfig(JSON.stringify(config("the-second-one")), options));
  await begin(gateway, "dies");
  await expect.poll(texts).toHaveLength(6);
  expect((await texts()).filter((text) => text.startsWith("stderr"))).toEqual([
    "stderr: [redacted]",
    "stderr: [redacted]",
  ]);
  // The log of a server that is gone is dropped.
  const other = { mcpServers: { off: { command: "x", disabled: true } } };
  await gateway.gateway.reload(parseConfig(JSON.stringify(other), options));
  expect((await gateway.get("servers/dies/log")).status).toBe(404);
  await gateway.gateway.reload(parseConfig(JSON.stringify(config("the-third-value")), options));
  expect(await texts()).toEqual([]);
});

it("of a server that floods its stderr is bounded, and calls go on", async () => {
  const script = `
    const lines = "x\\n".repeat(30000) + "y".repeat(1000000) + "\\n";
    const { createInterface } = require("readline");
    const bad = Buffer.concat([Buffer.alloc(70000, 0xff), Buffer.from("\\n")]);
    createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, params } = JSON.parse(line);
      const result = { protocolVersion: params?.protocolVersion, capabilities: {}, serverInfo: { name: "f", version: "1" } };
      if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
    });
    const go = () => process.stderr.write(lines, () => process.stderr.write(bad, () => setImmediate(go)));
    go();`;
  const gateway = await started({
    mcpServers: { floods: { command: process.execPath, args: ["-e", script] } },
  });
  const url = gateway.url("floods");
  const headers = await initialize(url);
  let cursor = "";
  for (let at = 2; at < 12; at += 1) {
    expect((await post(url, request(at, "ping", {}), headers)).status).toBe(200);
    const log = await logOf(gateway, "floods", cursor);
    ({ cursor } = log);
    expect(log.lines.length).toBeLessThanOrEqual(1_000);
    const characters = log.lines.reduce((sum, { text }) => sum + text.length, 0);
    expect(characters).toBeLessThanOrEqual(262_144);
  }
  const newest = async () => (await logOf(gateway, "floods", cursor)).missed;
  await expect.poll(newest).toBeGreaterThan(0);
});
