// `node bench/activity.mjs [records]`: what recording costs, and what questions cost beside it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  activityApi,
  openActivityReader,
  openActivityStore,
  startActivityWorker,
} from "@touchstone/gateway/activity";

const RECORDS = Number(process.argv[2] ?? 1_000_000);
const APPENDS = 4000;
const DAYS = 30;
const directories = [];
function directory() {
  const dir = mkdtempSync(join(tmpdir(), "touchstone-bench-"));
  directories.push(dir);
  return dir;
}
process.on("exit", () => {
  for (const dir of directories) rmSync(dir, { recursive: true, force: true });
});

const sorted = (numbers) => numbers.toSorted((a, b) => a - b);
const quantile = (numbers, q) => sorted(numbers)[Math.floor((numbers.length - 1) * q)];
const row = (cells) => console.log(`| ${cells.join(" | ")} |`);
const entry = (n) => ({
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

/** Appends per second with so many under way at the same time. */
async function appendRate(sync, groupCommit, parallel) {
  const store = await openActivityStore({ dataDir: directory(), sync, groupCommit });
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

/** Records over 30 days; one in 400 has a decision with it. */
async function fill(dataDir) {
  let at = Date.now() - DAYS * 86_400_000;
  const step = (DAYS * 86_400_000) / RECORDS;
  const store = await openActivityStore({ dataDir, sync: "normal", now: () => new Date(at) });
  for (let n = 0; n < RECORDS; ) {
    const group = [];
    for (let k = 0; k < 100 && n < RECORDS; k += 1, n += 1) {
      at += step;
      if (n % 400 !== 399) {
        group.push(store.append([entry(n)]));
        continue;
      }
      group.push(
        store.append([
          {
            ...entry(n - 1),
            type: "policy_decision",
            direction: "input",
            mode: "warn",
            decision: "warning",
            status: "warning",
            outcome: "violation",
            issues: [{ path: "/x", message: "must NOT have additional properties", rule: "extra" }],
          },
        ]),
      );
    }
    await Promise.all(group);
    if (process.stderr.isTTY) process.stderr.write(`\r${n} of ${RECORDS} records`);
  }
  await store.close();
}

// First: the ids of a process never go back, and these lie in the past.
const dataDir = directory();
const filling = performance.now();
await fill(dataDir);
console.log(
  `\n${RECORDS} records written in ${((performance.now() - filling) / 1000).toFixed(0)} s\n`,
);

row(["appends per second", "1 at a time", "64, single commits", "64, group commit", "gain"]);
row(["-", "-", "-", "-", "-"]);
for (const sync of ["normal", "full"]) {
  const cells = [[], [], []];
  for (let round = 0; round < 3; round += 1) {
    cells[0].push(await appendRate(sync, true, 1));
    cells[1].push(await appendRate(sync, false, 64));
    cells[2].push(await appendRate(sync, true, 64));
  }
  const [one, single, group] = cells.map((rates) => quantile(rates, 0.5));
  row([
    `sync ${sync}`,
    ...[one, single, group].map((rate) => rate.toFixed(0)),
    `${(group / single).toFixed(1)} ×`,
  ]);
}

const reader = await openActivityReader({ dataDir });
const api = activityApi(reader);
const base = "http://127.0.0.1/api/v1/activity";
async function cost(path, rounds = 15) {
  const times = [];
  for (let round = 0; round < rounds; round += 1) {
    const started = performance.now();
    await (await api(new Request(base + path))).text();
    times.push(performance.now() - started);
  }
  return quantile(times, 0.5);
}
console.log("");
const { activities } = await reader.list({ limit: 1, offset: Math.floor(RECORDS / 2) });
const lookUp = await cost(`/${activities[0].id}`, 200);
row(["question", "median ms", "÷ look-up by id"]);
row(["-", "-", "-"]);
row(["look-up by id", lookUp.toFixed(3), "1"]);
const hash = `sha256:${"0".repeat(64)}`;
for (const query of [
  "?limit=50",
  "?type=tool_call",
  "?type=policy_decision",
  "?type=schema_change",
  "?server=server-1",
  "?tool=tool-5",
  "?server=server-1&tool=tool-5",
  "?server=server-1&tool=tool-6",
  "?status=error",
  "?status=blocked",
  "?decision=warning",
  "?direction=input&server=server-2",
  "?since=24h",
  "?since=7d&status=error",
  "?until=20d",
  "?since=20d&until=19d&tool=tool-3",
  `?session=${hash}`,
  "?request=r500000",
]) {
  const time = await cost(query);
  row([query, time.toFixed(3), (time / lookUp).toFixed(1)]);
}
for (const path of ["/summary?period=24h", "/summary", "/rollout"]) {
  const time = await cost(path, 3);
  row([path, time.toFixed(0), (time / lookUp).toFixed(0)]);
}
await reader.close();

/** Latency of an append every millisecond, in ms, while `beside` runs. */
async function latency(beside) {
  const store = await openActivityStore({ dataDir, sync: "normal" });
  const times = [];
  let running = true;
  const work = beside().finally(() => {
    running = false;
  });
  for (let n = 0; n < 400 || running; n += 1) {
    const started = performance.now();
    await store.append([entry(n)]);
    times.push(performance.now() - started);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await work;
  await store.close();
  return times;
}
const worker = startActivityWorker({ place: { dataDir } });
/** Reads an answer to its end; an export of a million records is too long for one text. */
async function ask(path) {
  const { body } = await worker.handle(new Request(base + path));
  for await (const piece of body) void piece;
}
await ask("?limit=1");
console.log("\nAppends beside the thread that reads:\n");
row(["beside", "median ms", "p99 ms", "appends"]);
row(["-", "-", "-", "-"]);
for (const [name, beside] of [
  ["nothing", async () => {}],
  ["summary of all", () => ask("/summary")],
  ["export of all", () => ask("/export")],
  ["pruning of 2 %", () => worker.prune({ maxRecords: Math.floor(RECORDS * 0.98) })],
  ["nothing", async () => {}],
]) {
  const times = await latency(beside);
  row([name, quantile(times, 0.5).toFixed(3), quantile(times, 0.99).toFixed(3), times.length]);
}
await worker.close();
console.log("\nNot measured: PostgreSQL, real disks' flushes, several processes.");
