// Measures the cost of recording: one append at a time, many at a time, and many with one commit each.
import { openActivityStore } from "@touchstone/gateway/activity";
import { temporary } from "../gateway/processes.mjs";
import { median, table } from "../timing.mjs";
import { entry } from "./fill.mjs";

const APPENDS = 4000;
const ROUNDS = 3;
const FOLDED = 50_000;
const GROUP = 100;
/** For each way: whether commits are shared, and how many appends run concurrently. */
const WAYS = [
  [true, 1],
  [false, 64],
  [true, 64],
];

/** Measures appends per second. */
async function appendRate(sync, groupCommit, parallel) {
  const store = await openActivityStore({ dataDir: temporary(), sync, groupCommit });
  let next = 0;
  async function client() {
    while (next < APPENDS) await store.append([entry(next++)]);
  }
  const started = performance.now();
  await Promise.all(Array.from({ length: parallel }, client));
  const rate = APPENDS / ((performance.now() - started) / 1000);
  await store.close();
  return rate;
}

/**
 * Measures how many records per second the first read folds into the database. It starts without a pause, and without
 * load that would fold records.
 */
async function foldRate() {
  const store = await openActivityStore({ dataDir: temporary(), sync: "normal" });
  for (let n = 0; n < FOLDED; n += GROUP) {
    await store.append(Array.from({ length: GROUP }, (_, i) => entry(n + i)));
  }
  const started = performance.now();
  const { records } = await store.usage();
  const rate = records / ((performance.now() - started) / 1000);
  await store.close();
  return rate;
}

/** Measures the ways in turns, and prints the median rate of each. */
export async function measureAppends() {
  const rows = [];
  for (const sync of ["normal", "full"]) {
    const rates = WAYS.map(() => []);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [i, [group, parallel]] of WAYS.entries()) {
        rates[i].push(await appendRate(sync, group, parallel));
      }
    }
    const [one, single, group] = rates.map(median);
    const gain = `${(group / single).toFixed(1)} ×`;
    rows.push([`sync ${sync}`, ...[one, single, group].map((rate) => rate.toFixed(0)), gain]);
  }
  table(
    ["appends per second", "1 at a time", "64, single commits", "64, group commit", "gain"],
    rows,
  );
  const folded = [];
  for (let round = 0; round < ROUNDS; round += 1) folded.push(await foldRate());
  console.log(`records folded per second: ${median(folded).toFixed(0)} (at least 10,000)\n`);
}
