// Measures how many records PostgreSQL accepts on this machine without other load: each chain appends as many records
// at a time as gateways do under heavy load.
import { openPostgresPruner, openPostgresStore } from "@touchstone/records/postgres";
import { watchPostgres } from "./postgres.mjs";

const CHAINS = 3;
const PRUNE_MS = 10_000;
const WARM_UP_MS = 1_000;
const ENTRY = {
  ...{ type: "tool_call", source: "gateway", server: "scale", tool: "look", status: "success" },
  ...{ decision: "allowed", client: "scale/1", request_id: "01M8066KDN0000000000000000" },
  ...{ bytes_in: 330, bytes_out: 1300, duration_ms: 2.5 },
};

async function append(stores, inFlight, ms) {
  const began = performance.now();
  let records = 0;
  const appender = async (store) => {
    while (performance.now() - began < ms) {
      await store.append([ENTRY]);
      records += 1;
    }
  };
  await Promise.all(
    stores.flatMap((store) => Array.from({ length: inFlight }, () => appender(store))),
  );
  return { records, seconds: (performance.now() - began) / 1000 };
}

/** Prints one line for each number of concurrent records per chain. */
export async function appendFigures({ store: url, ms, print }) {
  const stores = [];
  for (let chain = 0; chain < CHAINS; chain += 1) stores.push(await openPostgresStore({ url }));
  const postgres = await watchPostgres(url);
  print(`Records alone, ${CHAINS} chains:`);
  for (const inFlight of [1, 16, 128]) {
    await append(stores, inFlight, WARM_UP_MS);
    const before = { ...(await postgres.numbers()), cpu: postgres.cpu() };
    const { records, seconds } = await append(stores, inFlight, ms);
    const used = (postgres.cpu() - before.cpu) / records;
    const after = await postgres.numbers();
    const each = (name) => (after[name] - before[name]) / records;
    print(
      `${inFlight} under way at each: ${(records / seconds).toFixed(0)} records/s, PostgreSQL ` +
        `${used.toFixed(3)} ms CPU, ${each("commits").toFixed(3)} transactions, ` +
        `${each("syncs").toFixed(3)} WAL flushes, ${each("wal").toFixed(0)} WAL bytes a record`,
    );
  }
  await Promise.all(stores.map((store) => store.close()));
  await prune(url, postgres, print);
  await postgres.close();
}

/** Measures how fast old records are removed; one gateway at a time does that. */
async function prune(url, postgres, print) {
  const pruner = await openPostgresPruner({ url });
  const before = { ...(await postgres.numbers()), cpu: postgres.cpu() };
  const began = performance.now();
  const { removed } = await pruner.prune(
    { maxRecords: 1 },
    { signal: AbortSignal.timeout(PRUNE_MS) },
  );
  const seconds = (performance.now() - began) / 1000;
  const used = (postgres.cpu() - before.cpu) / removed;
  const { wal } = await postgres.numbers();
  print(
    `Pruning: ${(removed / seconds).toFixed(0)} records/s, PostgreSQL ${used.toFixed(3)} ms CPU and ` +
      `${((wal - before.wal) / removed).toFixed(0)} WAL bytes a record`,
  );
  await pruner.close();
}
