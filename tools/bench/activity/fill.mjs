// Makes the records that the activity benchmark reads: spread over 30 days, from 12 tools of 4 servers.
import { openActivityStore, openPlace } from "@touchstone/gateway/activity";
import { openPostgresStore } from "@touchstone/records/postgres";
import { progress } from "../timing.mjs";

const DAYS = 30;
const GROUP = 100;

export const entry = (n) => ({
  type: "tool_call",
  source: "gateway",
  server: `server-${n % 4}`,
  tool: `tool-${n % 12}`,
  decision: "allowed",
  status: n % 50 === 0 ? "error" : "success",
  outcome: "pass",
  client: "bench/1.0",
  request_id: `r${n}`,
  bytes_in: 400,
  bytes_out: 2000,
  duration_ms: (n % 1000) / 10,
});

const decision = (n) => ({
  ...entry(n),
  type: "policy_decision",
  direction: "input",
  mode: "warn",
  decision: "warning",
  status: "warning",
  outcome: "violation",
  issues: [{ path: "/x", message: "must NOT have additional properties", rule: "extra" }],
});

/** Returns the number of records; 0 if none were written yet. */
async function present(place) {
  const reader = await openPlace(place).existing();
  if (reader === undefined) return 0;
  const { records } = await reader.usage();
  await reader.close();
  return records;
}

/**
 * Writes this many records to a place: `{ dataDir }` or `{ url }` of PostgreSQL. Leaves a place that has records as it
 * is.
 * @param every one record in this many is a decision
 */
export async function fill(place, records, every) {
  if ((await present(place)) > 0) return;
  let at = Date.now() - DAYS * 86_400_000;
  const step = (DAYS * 86_400_000) / records;
  const now = () => new Date(at);
  const store =
    "url" in place
      ? await openPostgresStore({ ...place, now })
      : await openActivityStore({ ...place, sync: "normal", now });
  const began = performance.now();
  for (let n = 0; n < records; ) {
    const group = [];
    for (let k = 0; k < GROUP && n < records; k += 1, n += 1) {
      at += step;
      group.push(store.append([n % every === every - 1 ? decision(n - 1) : entry(n)]));
    }
    await Promise.all(group);
    progress(`${n} of ${records} records`);
  }
  await store.close();
  progress("");
  const pruner = await openPlace(place).pruner();
  await pruner.rollUp();
  await pruner.close();
  const seconds = (performance.now() - began) / 1000;
  console.log(`${records} records written in ${seconds.toFixed(0)} s\n`);
}
