import { SchemaCache } from "@touchstone/core/advanced";
import { readFrame } from "@touchstone/protocol";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createLogger } from "../../../util/src/log.ts";
import { OwnRequests } from "../relay/own-requests.ts";
import { ContractSource } from "./contract-source.ts";
import { ListTimeouts, type SendOwnRequest } from "./own-request.ts";

const LIST = Buffer.from('{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a"}]}}');

/** Makes sources for sessions with the same server. */
function server() {
  const silence = new ListTimeouts();
  const lines: string[] = [];
  const session = () =>
    new ContractSource({
      scope: { server: "srv", revision: "", authorization: "" },
      cache: new SchemaCache(),
      store: {
        replace: async () => [],
        used: async () => {},
        tool: async () => undefined,
        toolNames: async () => new Set(),
      },
      log: createLogger((line) => lines.push(line), "debug"),
      now: () => performance.now(),
      silence,
    });
  return { lines, session };
}

/** Behaves as the relay does for a server that reads requests and never responds. */
const silent: SendOwnRequest = (...request) => new OwnRequests(async () => {}).ask(...request);

/** Returns how long a call waits, in seconds. */
async function waits(source: ContractSource, ask: SendOwnRequest = silent): Promise<number> {
  const before = performance.now();
  if (source.needs("a")) {
    const ready = source.ensure(ask, undefined, async () => {});
    let isReady = false;
    void ready.then(() => (isReady = true));
    while (!isReady) await vi.advanceTimersByTimeAsync(500);
  }
  return (performance.now() - before) / 1000;
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("lets the first calls wait 30 s for a list, and logs why", async () => {
  const { session, lines } = server();
  expect(await waits(session())).toBe(30);
  expect(lines).toEqual([
    "touchstone warn: the server has not answered tools/list yet; calls wait up to 30 s for it server=srv\n",
    expect.stringMatching(/could not fetch tools\/list; calls of .*did not respond to tools\/list/),
  ]);
});

it("does not let later calls wait while the server stays silent, in any session", async () => {
  const { session, lines } = server();
  const one = session();
  await waits(one);
  expect(await waits(one)).toBe(0);
  lines.length = 0;
  await vi.advanceTimersByTimeAsync(31_000);
  expect([await waits(one), await waits(one), await waits(session())]).toEqual([3, 0, 3]);
  expect(lines).toEqual([]);
  await vi.advanceTimersByTimeAsync(31_000);
  expect(lines).toHaveLength(2);
});

it("lets calls wait the full time again after a list has come", async () => {
  const { session } = server();
  const one = session();
  await waits(one);
  await one.learn(readFrame(LIST), undefined);
  expect(await waits(session())).toBe(30);
});

it("keeps the full wait after a server refused a list at once", async () => {
  const { session } = server();
  const refused: SendOwnRequest = async () =>
    Buffer.from('{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}');
  expect(await waits(session(), refused)).toBeLessThan(1);
  expect(await waits(session())).toBe(30);
});
