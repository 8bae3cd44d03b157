import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { useDatabases } from "../../../records/src/testing/databases.ts";
import { query, startGateway } from "../fleet/testing/gateways.ts";
import { FAULTY_SERVER } from "../testing/fixtures.ts";
import { StoreProbe } from "./store-probe.ts";

const database = useDatabases();

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

const nothing = (): void => {};

it("checks at most once a second while all is well, but every time while it is not", async () => {
  let fails = false;
  const look = vi.fn(async () => {
    if (fails) throw new Error("refused");
  });
  const store = new StoreProbe(look);
  for (let times = 0; times < 3; times += 1) expect(await store.passes()).toBe(true);
  expect(look).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1_000);
  fails = true;
  for (let times = 0; times < 3; times += 1) expect(await store.passes()).toBe(false);
  expect(look).toHaveBeenCalledTimes(4);
  store.wrote();
  expect(await store.passes()).toBe(true);
});

it("returns the last known state if the store is slow, and asks it only once", async () => {
  let refuse: (error: Error) => void = nothing;
  const look = vi.fn(() => new Promise<void>((_, reject) => (refuse = reject)));
  const store = new StoreProbe(look);
  const asked = [store.passes(), store.passes()];
  await vi.advanceTimersByTimeAsync(400);
  expect(await Promise.all(asked)).toEqual([true, true]);
  refuse(new Error("no answer"));
  await vi.advanceTimersByTimeAsync(0);
  const again = store.passes();
  await vi.advanceTimersByTimeAsync(400);
  expect(await again).toBe(false);
  expect(look).toHaveBeenCalledTimes(2);
});

it("believes a write rather than a check that began before it", async () => {
  let refuse: (error: Error) => void = nothing;
  const look = vi.fn(() => new Promise<void>((_, reject) => (refuse = reject)));
  const store = new StoreProbe(look);
  const asked = store.passes();
  store.wrote();
  refuse(new Error("no answer"));
  expect(await asked).toBe(true);
});

it("an idle gateway is unready while its database refuses records", {
  ...long,
  timeout: 60_000,
}, async ({ skip }) => {
  vi.useRealTimers();
  const store = await database(skip);
  const touchstone = await startGateway({
    activity: { store },
    mcpServers: { faulty: { command: process.execPath, args: [FAULTY_SERVER] } },
  });
  const ready = async (): Promise<unknown> => {
    const answer = await fetch(new URL("/readyz", touchstone.url("faulty")));
    return [answer.status, (await answer.json()).records];
  };
  expect(await ready()).toEqual([200, "kept"]);
  const name = new URL(store).pathname.slice(1);
  const writing = `${store}?options=${encodeURIComponent("-c default_transaction_read_only=off")}`;
  const readOnly = async (value: string): Promise<void> => {
    await query(writing, `ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`);
    // The setting applies to new connections.
    const others = "datname = current_database() AND pid <> pg_backend_pid()";
    await query(store, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${others}`);
  };
  await readOnly("on");
  await expect.poll(ready, { timeout: 20_000 }).toEqual([503, "failing"]);
  await readOnly("off");
  await expect.poll(ready, { timeout: 20_000 }).toEqual([200, "kept"]);
});
