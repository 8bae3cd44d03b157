import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client as ClientV2, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { canonicalDefinition, lockedDefinition, writeLock } from "@touchstone/protocol/lock";
import { expect, it, onTestFinished } from "vitest";
import { long } from "../../core/src/testing/sample.ts";
import type { PinItem } from "../../records/src/contracts/pin-store.ts";
import { openActivityStore } from "../../records/src/open-sqlite.ts";
import { startTestGateway } from "./testing/gateway.ts";
import { type HttpUpstreamServer, initialize, modern, startHttpUpstream } from "./testing/http.ts";
import { tempDir, wrapped } from "./testing/wrapped.ts";

const SERVER = fileURLToPath(import.meta.resolve("./testing/changing-server.mjs"));
const READ = { name: "read", inputSchema: { type: "object" } };
const WRITE = { name: "write", inputSchema: { type: "object" } };
const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";
const INFO = { name: "test", version: "1" };
const SERVERS = ["child", "web", "wrapped"];

/** A server behind a URL with sessions, and from 2026-07-28 on with subscriptions to what a client asks for. */
function startWeb(): Promise<HttpUpstreamServer> {
  const capabilities = { tools: { listChanged: true } };
  const results: Readonly<Record<string, object>> = {
    initialize: { protocolVersion: "2025-11-25", capabilities, serverInfo: INFO },
    "server/discover": { supportedVersions: ["2026-07-28"], capabilities },
    "tools/list": { tools: [READ, WRITE] },
  };
  let sessions = 0;
  return startHttpUpstream(({ method: verb, body }, response) => {
    const stream = (text: string): void => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(text);
    };
    if (verb === "GET") return stream(": open\n\n");
    const { id, method, params } = JSON.parse(body || "{}");
    if (id === undefined) return void response.writeHead(202).end();
    if (method === "subscriptions/listen") {
      const agreed = { _meta: { [SUBSCRIPTION]: id }, notifications: params.notifications };
      const told = { method: "notifications/subscriptions/acknowledged", params: agreed };
      return stream(`data: ${JSON.stringify({ jsonrpc: "2.0", ...told })}\n\n`);
    }
    const more = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
    const result = { ...(params?._meta === undefined ? {} : more), ...results[method] };
    const session = method === "initialize" ? { "mcp-session-id": `s${++sessions}` } : {};
    response.writeHead(200, { "content-type": "application/json", ...session });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  });
}

/** A client, with a promise that resolves when it is notified that the list has changed. */
interface Told {
  readonly changed: Promise<void>;
  readonly names: () => Promise<readonly string[]>;
}

async function first(url: string): Promise<Told> {
  const client = new ClientV1(INFO);
  const changed = new Promise<void>((resolve) => {
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve());
  });
  await client.connect(new TransportV1(new URL(url)) as never);
  onTestFinished(() => client.close());
  return { changed, names: async () => (await client.listTools()).tools.map(({ name }) => name) };
}

async function second(url: string): Promise<Told> {
  const client = new ClientV2(INFO, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  const changed = new Promise<void>((resolve) => {
    client.setNotificationHandler("notifications/tools/list_changed", () => resolve());
  });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  await client.listen({ toolsListChanged: true });
  onTestFinished(() => client.close());
  return { changed, names: async () => (await client.listTools()).tools.map(({ name }) => name) };
}

/** The events of an open stream; `found` resolves with the first that matches. */
function eventsOf(response: Response) {
  let text = "";
  const waiting = new Set<() => void>();
  void (async () => {
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      for (const look of waiting) look();
    }
  })().catch(() => {});
  return {
    text: () => text,
    found: (wanted: string) =>
      new Promise<void>((resolve) => {
        const look = (): void => (text.includes(wanted) ? resolve() : undefined);
        waiting.add(look);
        look();
      }),
  };
}

it("announces a list change on every subscribed stream after an approval", long, async () => {
  const folder = tempDir();
  const declared = join(folder, "declared.json");
  writeFileSync(declared, JSON.stringify({ tools: [READ, WRITE] }));
  const lock = join(folder, "touchstone.lock");
  const read = lockedDefinition(JSON.stringify(READ));
  const locked = { instructions: null, tools: new Map(read && [["read", read]]) };
  writeFileSync(lock, writeLock({ servers: new Map(SERVERS.map((name) => [name, locked])) }));
  const web = await startWeb();
  onTestFinished(() => web.close());
  const pinned = { touchstone: { pin: "strict", lock } };
  const child = { command: process.execPath, args: [SERVER], env: { DECLARED: declared } };
  const touchstone = await startTestGateway({
    mcpServers: { child: { ...child, ...pinned }, web: { url: web.url, ...pinned } },
  });
  onTestFinished(() => touchstone.close());
  const { dataDir, url } = touchstone;

  const clients = await Promise.all([
    first(url("web")),
    second(url("web")),
    first(url("child")),
    second(url("child")),
  ]);
  const relay = wrapped([SERVER], {
    ...{ name: "wrapped", dataDir, pin: "strict", lock, env: { DECLARED: declared } },
  });
  relay.send(
    modern("subscriptions/listen", { notifications: { toolsListChanged: true } }, { id: "a" }).body,
  );
  relay.send(modern("subscriptions/listen", { notifications: {} }, { id: "b" }).body);
  await relay.received.find((line) => line.includes("acknowledged") && line.includes('"b"'));
  relay.send(modern("tools/list", {}, { id: "c" }).body);
  expect((await relay.answer("c")).result).toMatchObject({ tools: [READ] });
  // If a session opens two streams, only the newer one gets messages; a subscription without types gets no
  // notifications.
  const session = { ...(await initialize(url("web"))), accept: "text/event-stream" };
  const older = eventsOf(await fetch(url("web"), { headers: session }));
  await older.found(": open");
  const newer = eventsOf(await fetch(url("web"), { headers: session }));
  await newer.found(": open");
  const nothing = modern("subscriptions/listen", { notifications: {} });
  const deaf = eventsOf(
    await fetch(url("web"), {
      ...{ method: "POST", body: nothing.body },
      headers: {
        ...nothing.headers,
        "content-type": "application/json",
        accept: "text/event-stream",
      },
    }),
  );
  await deaf.found("acknowledged");
  for (const { names } of clients) expect(await names()).toEqual(["read"]);

  const store = await openActivityStore({ dataDir, sync: "normal" });
  const item: PinItem = {
    ...{ kind: "tool", name: "write" },
    hash: canonicalDefinition(JSON.stringify(WRITE))?.hash ?? "",
  };
  for (const server of SERVERS) {
    await store.pins.decide(server, [item], { state: "approved", caller: undefined });
  }
  await store.close();
  await Promise.all(clients.map(({ changed }) => changed));
  for (const { names } of clients) expect(await names()).toEqual(["read", "write"]);
  await newer.found('data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');
  const heard = await relay.received.find((line) => line.includes("list_changed"));
  expect(JSON.parse(heard)).toEqual({
    ...{ jsonrpc: "2.0", method: "notifications/tools/list_changed" },
    params: { _meta: { [SUBSCRIPTION]: "a" } },
  });
  for (const silent of [older, deaf]) expect(silent.text()).not.toContain("list_changed");
  expect(relay.received.lines.filter((line) => line.includes("list_changed"))).toEqual([heard]);
});
