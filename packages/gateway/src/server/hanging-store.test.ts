import { once } from "node:events";
import { rmSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { useDatabases } from "../../../records/src/testing/databases.ts";
import { records, startGateway } from "../fleet/testing/gateways.ts";
import { DEFAULT_ACTIVITY } from "../settings/activity.ts";
import { FAULTY_SERVER } from "../testing/fixtures.ts";
import { startTestGateway } from "../testing/gateway.ts";
import { type HttpAnswer, initialize, post, request } from "../testing/http.ts";
import { call } from "../testing/messages.ts";
import { wrapped } from "../testing/wrapped.ts";

const database = useDatabases();

/** A connection to a database that can be made to hang: data that is sent on it arrives when it continues. */
async function wayTo(url: string, queryTimeoutMs?: number) {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  let hangs = false;
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => {}).on("close", () => near.destroy() && far.destroy());
      if (hangs) socket.pause();
    }
    near.on("data", (bytes) => far.write(bytes));
    far.on("data", (bytes) => near.write(bytes));
    if (hangs) for (const socket of [near, far]) socket.pause();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const way = new URL(url);
  way.port = String((server.address() as AddressInfo).port);
  if (queryTimeoutMs !== undefined) {
    way.searchParams.set("query_timeout", String(queryTimeoutMs));
  }
  return {
    url: way.href,
    hang(): void {
      hangs = true;
      for (const socket of sockets) socket.pause();
    },
    goOn(): void {
      hangs = false;
      for (const socket of sockets) socket.resume();
    },
  };
}

describe("a hanging store with on_write_failure: continue", () => {
  it("delays requests only until it is noticed, and is logged once", async ({ skip }) => {
    // Uses a short limit instead of the 20 seconds that a statement may take.
    const store = await wayTo(await database(skip), 500);
    const touchstone = await startGateway({
      activity: { store: store.url, on_write_failure: "continue" },
      mcpServers: { faulty: { command: process.execPath, args: [FAULTY_SERVER] } },
    });
    const url = touchstone.url("faulty");
    const headers = await initialize(url);
    const call = (id: number): Promise<HttpAnswer> => {
      const params = { name: "get_weather", arguments: { city: "Oslo" } };
      return post(url, request(id, "tools/call", params), headers);
    };
    expect((await call(1)).text).toContain('"result"');
    store.hang();
    // These calls would take minutes if each waited until its connection times out.
    for (let id = 2; id < 20; id += 1) expect((await call(id)).text).toContain('"result"');
    expect((await post(url, request(20, "tools/list"), headers)).text).toContain("get_weather");
    const lost = touchstone.lines.filter((line) => line.includes("records are lost"));
    expect(lost).toHaveLength(1);
    store.goOn();
    const ready = new URL("/readyz", url);
    const kept = async (): Promise<unknown> => (await (await fetch(ready)).json()).records;
    await expect.poll(kept, { timeout: 20_000 }).toBe("kept");
    expect(await touchstone.line(/records are kept again lost=\d/)).toContain("error");
    expect((await call(21)).text).toContain('"result"');
    const [gap, ...more] = await records(store.url, "server_change");
    expect(gap?.reason).toMatch(/^records could not be kept from /);
    expect(more).toEqual([]);
    const ids = (await records(store.url, "tool_call")).map((record) => record.request_id);
    expect(ids.length).toBeGreaterThanOrEqual(2);
  }, 60_000);
});

it("a hanging store does not delay the end of a gateway", { ...long, timeout: 60_000 }, async ({
  skip,
}) => {
  const store = await wayTo(await database(skip));
  const { gateway, dataDir } = await startTestGateway({
    activity: { store: store.url },
    mcpServers: { faulty: { command: process.execPath, args: [FAULTY_SERVER] } },
  });
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  store.hang();
  await expect(gateway.close({ graceMs: 30_000 })).rejects.toMatchObject({
    code: "STORE_UNREACHABLE",
    message: expect.stringMatching(
      /did not respond while the gateway ended.*records may be missing/,
    ),
  });
});

it("a hanging store does not delay the end of a wrap", { ...long, timeout: 60_000 }, async ({
  skip,
}) => {
  const store = await wayTo(await database(skip));
  const client = wrapped([FAULTY_SERVER], { activity: { ...DEFAULT_ACTIVITY, store: store.url } });
  client.send(call(1, "get_weather", { city: "Oslo" }));
  await client.answer(1);
  store.hang();
  await expect(client.close()).rejects.toMatchObject({
    code: "STORE_UNREACHABLE",
    message: expect.stringMatching(
      /did not respond while the gateway ended.*records may be missing/,
    ),
  });
});
