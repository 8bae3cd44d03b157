import { generateKeyPairSync } from "node:crypto";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import {
  DATABASE_FILE,
  openActivityReader,
  openActivityStore,
  openPruner,
} from "../open-sqlite.ts";
import type { ActivityReader } from "../store.ts";
import { CALL } from "../testing/fixtures.ts";
import { recorded } from "../testing/recorded.ts";
import { checkpointStatement, openCheckpoint, signCheckpoint } from "./checkpoint.ts";
import { verifiedCheckpoint } from "./verified-checkpoint.ts";
import { verifyActivity } from "./verify.ts";

const { privateKey, publicKey } = generateKeyPairSync("ed25519", {
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
});

async function opened(dataDir: string): Promise<ActivityReader> {
  const reader = await openActivityReader({ dataDir });
  if (reader === undefined) throw new Error("nothing was recorded");
  onTestFinished(() => reader.close());
  return reader;
}

/** Runs a function before the walk reads the first rows. */
function walkedAfter(reader: ActivityReader, first: () => Promise<unknown>): ActivityReader {
  let done: Promise<unknown> | undefined;
  return {
    ...reader,
    async readLinks(chain, from, limit) {
      done ??= first();
      await done;
      return reader.readLinks(chain, from, limit);
    },
  };
}

it.each([
  ["a part", 40],
  ["what the checkpoint was signed for", 1],
  ["all", 0],
])("reports no fault if retention removes %s meanwhile", async (_what, maxRecords) => {
  const { dataDir } = await recorded(Array.from({ length: 60 }, () => CALL));
  const reader = await opened(dataDir);
  const signed = signCheckpoint(await checkpointStatement(reader, new Date(0)), privateKey);
  const checkpoint = openCheckpoint(JSON.stringify(signed), publicKey);
  const store = await openActivityStore({ dataDir, sync: "normal" });
  onTestFinished(() => store.close());
  await store.append([CALL, CALL]);
  const prune = async (): Promise<void> => {
    const pruner = await openPruner(join(dataDir, DATABASE_FILE));
    await pruner.prune({ maxRecords });
    await pruner.close();
  };
  const report = await verifyActivity(walkedAfter(reader, prune), { checkpoint });
  expect(report).toMatchObject({ ok: true, faults: [], store_faults: [] });
});

it("reports no fault if other processes append meanwhile", async () => {
  const { dataDir } = await recorded([CALL]);
  const store = await openActivityStore({ dataDir, sync: "normal" });
  onTestFinished(() => store.close());
  await store.append([CALL]);
  const append = () => store.append([CALL, CALL]);
  const report = await verifyActivity(walkedAfter(await opened(dataDir), append));
  expect(report).toMatchObject({ ok: true, chains: 2, records: 2, faults: [] });
});

it("signs only what it verified, not what others append meanwhile", async () => {
  const { dataDir, records, chain } = await recorded([CALL]);
  const reader = await opened(dataDir);
  const append = async (): Promise<void> => {
    const store = await openActivityStore({ dataDir, sync: "normal" });
    await store.append([CALL, CALL]);
    await store.close();
  };
  const { report, signed } = await verifiedCheckpoint(
    walkedAfter(reader, append),
    privateKey,
    new Date(0),
  );
  expect(report).toMatchObject({ ok: true, records: 1 });
  expect(signed?.statement.chains).toEqual([{ chain, records: 1, head: records[0]?.hash }]);
  expect(await reader.chains()).toHaveLength(2);
});

it("reads fewer records at a time if they are long", async () => {
  const { dataDir } = await recorded(Array.from({ length: 70 }, () => CALL));
  const reader = await opened(dataDir);
  const long = "x".repeat(1024 * 1024);
  const asked: number[] = [];
  await verifyActivity({
    ...reader,
    async readLinks(chain, from, limit) {
      asked.push(limit);
      const links = await reader.readLinks(chain, from, limit);
      return links.map(({ record, ...link }) =>
        record === undefined ? link : { ...link, record: { ...record, result: long } },
      );
    },
  });
  expect(asked).toEqual([50, 7, 7, 7]);
});
