import { expect, it, onTestFinished } from "vitest";
import { followActivity } from "./follow.ts";
import type { ActivityReader } from "./store.ts";
import { CALL, openTemp } from "./testing/fixtures.ts";

const BEGINNING = `0-0-${"0".repeat(26)}`;

it("returns each record once, and fewer at a time if they are long", async () => {
  const store = await openTemp();
  onTestFinished(() => store.close());
  const entries = Array.from({ length: 70 }, (_, n) => ({ ...CALL, tool: `t${n}` }));
  const written = await store.append(entries);
  const asked: number[] = [];
  const long = "x".repeat(1024 * 1024);
  const reader: ActivityReader = {
    ...store,
    async tail(position, limit) {
      asked.push(limit);
      const tail = await store.tail(position, limit);
      return { ...tail, records: tail.records.map((record) => ({ ...record, result: long })) };
    },
  };
  const stop = new AbortController();
  const seen: string[] = [];
  const following = { position: BEGINNING, signal: stop.signal };
  for await (const { records } of followActivity(reader, following)) {
    seen.push(...records.map(({ id }) => id));
    if (seen.length === written.length) stop.abort();
  }
  expect(seen).toEqual(written.map(({ id }) => id));
  expect(asked).toEqual([50, 7, 7, 7]);
});
