import { expect, it, onTestFinished } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { exportActivity } from "../export/export.ts";
import { parseActivityFilter } from "../filter.ts";
import type { ActivityReader, ActivityStore } from "../store.ts";
import { CALL, openTemp } from "../testing/fixtures.ts";
import { pageText } from "./page.ts";

async function holding(records: number): Promise<ActivityStore> {
  const store = await openTemp();
  onTestFinished(() => store.close());
  const entries = Array.from({ length: records }, (_, n) => ({ ...CALL, tool: `t${n % 3}` }));
  await store.append(entries);
  return store;
}

async function whole(text: string | AsyncGenerator<string>): Promise<unknown> {
  if (typeof text === "string") return JSON.parse(text);
  let joined = "";
  for await (const piece of text) joined += piece;
  return JSON.parse(joined);
}

it.each([
  { limit: "10" },
  { limit: "50" },
  { limit: "51" },
  { limit: "119" },
  { limit: "120" },
  { limit: "121" },
  { limit: "60", offset: "55" },
  { limit: "1000", tool: "t1" },
  { limit: "1000", tool: "none" },
])("returns the same page as the store, in any number of reads: %j", async (input) => {
  const store = await holding(120);
  const filter = parseActivityFilter(input, new Date());
  expect(await whole(await pageText(store, filter))).toEqual(await store.list(filter));
  const { next_cursor: cursor } = await store.list({ ...filter, limit: 20 });
  if (cursor === null) return;
  const next = parseActivityFilter({ limit: "70", cursor }, new Date());
  expect(await whole(await pageText(store, next))).toEqual(await store.list(next));
});

it("reads fewer records at a time if they are long", long, async () => {
  const store = await holding(100);
  const asked: number[] = [];
  const long = "x".repeat(1024 * 1024);
  const reader: ActivityReader = {
    ...store,
    async scan(scope, page) {
      asked.push(page.limit);
      const records = await store.scan(scope, page);
      return records.map((record) => ({ ...record, arguments: long }));
    },
  };
  const pieces = exportActivity(reader, {}, "jsonl");
  for (let at = 0; at < 4; at += 1) await pieces.next();
  await pieces.return(undefined);
  expect(asked).toEqual([50, 7, 7, 7]);
});
