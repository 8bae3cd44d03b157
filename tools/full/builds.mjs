// `npm run full:builds -- CHECKOUT`: lets this build and that of another checkout, which must be built, write records
// and tool lists to one data directory and one PostgreSQL at the same time, and verifies what they wrote with both.
import "../help.mjs";

import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { startLoader } from "../source-modules.mjs";

const RECORDS = 2_000;
/** One in this many records of this build has a field that older builds do not know. */
const MARKED = 7;
const SCOPE = { server: "s", revision: "2025-11-25", authorization: "" };

/** Folders in which builds have kept their records modules, the latest first. */
const FOLDERS = ["records/build", "gateway/build/records", "gateway/build/activity"];

/** Returns the folder of a checkout's build that contains its records modules. */
function recordsOf(checkout) {
  const packages = join(resolve(checkout), "packages");
  const found = FOLDERS.map((name) => join(packages, name)).find(existsSync);
  if (found === undefined) throw new Error(`${checkout} is not built`);
  return found;
}

const moduleOf = (records, path) => import(join(records, path));

async function opened(records, place) {
  if ("url" in place) {
    return (await moduleOf(records, "postgres/open.js")).openPostgresStore(place);
  }
  const file = ["open-sqlite.js", "sqlite/open.js"].find((path) => existsSync(join(records, path)));
  return (await moduleOf(records, file)).openActivityStore({
    ...place,
    sync: "normal",
  });
}

/** Writes records, and reads them as a console does, which moves all journals into the database. */
async function write(records, place, marked) {
  const packages = records.slice(0, records.lastIndexOf("/packages/") + "/packages/".length);
  const { ToolContract } = await import(join(packages, "gateway/build/contracts/contract.js"));
  const core = ["core/dist/advanced.js", "core/dist/index.js"].map((path) => join(packages, path));
  // Older builds have everything in one entry.
  const { SchemaCache } = await import(core.find((path) => existsSync(path)));
  const store = await opened(records, place);
  process.send("open");
  await once(process, "message");
  const cache = new SchemaCache();
  const tool = (name, text) => new ToolContract({ name, inputSchema: Buffer.from(text) }, cache);
  for (let n = 0; n < RECORDS; n += 1) {
    const entry = {
      type: "tool_call",
      source: "gateway",
      server: "s",
      tool: "t",
      status: "success",
    };
    // A field that only this build knows.
    await store.append([{ ...entry, ...(marked && n % MARKED === 0 ? { truncated: 1 + n } : {}) }]);
    if (n % 50 === 0) await store.contracts.replace(SCOPE, [tool("t", `{"n":${n % 4}}`)]);
    if (n % 20 === 0) await store.list({ limit: 5, offset: 0 });
  }
  await store.close();
}

async function verify(records, place) {
  const { verifyActivity } = await moduleOf(records, "verify/verify.js");
  const store = await opened(records, place);
  const { ok, records: found, faults, store_faults } = await verifyActivity(store);
  await store.close();
  process.send({ ok, records: found, faults: faults.length, store_faults });
}

function start(job, checkout, place, marked = false) {
  const words = [job, checkout, JSON.stringify(place), String(marked)];
  return fork(fileURLToPath(import.meta.url), words, { env: { ...process.env, TWO_BUILDS: "1" } });
}

/** Makes both builds write to one place. @returns the errors that each build finds */
async function round(first, second, place, own) {
  const children = [];
  for (const checkout of [first, second]) {
    const child = start("write", checkout, place, checkout === own);
    await once(child, "message");
    children.push(child);
  }
  for (const child of children) child.send("go");
  const codes = await Promise.all(children.map(async (child) => (await once(child, "exit"))[0]));
  if (codes.some((code) => code !== 0)) throw new Error(`a writer ended with ${codes}`);
  const reports = [];
  for (const checkout of [own, first === own ? second : first]) {
    const child = start("verify", checkout, place);
    const [report] = await once(child, "message");
    reports.push(report);
  }
  return reports;
}

async function main(other) {
  const own = fileURLToPath(new URL("../..", import.meta.url));
  const folder = mkdtempSync(join(tmpdir(), "touchstone-builds-"));
  const sources = await startLoader();
  const { startPostgres } = await sources.load("records/src/testing/postgres.ts");
  const server = await startPostgres();
  if (typeof server === "string") throw new Error(`PostgreSQL does not start: ${server}`);
  let failed = false;
  try {
    for (const [name, first, second] of [
      ["the other first", other, own],
      ["this one first", own, other],
    ]) {
      const database = `b${Number(first === own)}`;
      const url = await server.database();
      const places = { SQLite: { dataDir: join(folder, database) }, PostgreSQL: { url } };
      for (const [kind, place] of Object.entries(places)) {
        const [mine, theirs] = await round(first, second, place, own);
        // The other build cannot compute the hash of a record with a field that it does not know; it must find nothing
        // else wrong.
        const strange = theirs.ok ? 0 : Math.ceil(RECORDS / MARKED);
        const isWhole = mine.records === 2 * RECORDS && theirs.records === 2 * RECORDS;
        const isClean =
          mine.ok && mine.store_faults.length === 0 && theirs.faults === strange && isWhole;
        failed ||= !isClean;
        console.log(`${kind}, ${name}: ${isClean ? "clean" : "NOT CLEAN"}`);
        console.log("  by this build: ", JSON.stringify(mine));
        console.log("  by the other:  ", JSON.stringify(theirs));
      }
    }
  } finally {
    await server.stop();
    await sources.close();
    rmSync(folder, { recursive: true, force: true });
  }
  process.exitCode = failed ? 1 : 0;
}

const [job, checkout, place, marked] = process.argv.slice(2);
if (process.env.TWO_BUILDS === undefined) {
  if (job === undefined) throw new Error("name a checkout of another commit");
  await main(resolve(job));
} else if (job === "write") {
  await write(recordsOf(checkout), JSON.parse(place), marked === "true");
  process.disconnect();
} else {
  await verify(recordsOf(checkout), JSON.parse(place));
  process.disconnect();
}
