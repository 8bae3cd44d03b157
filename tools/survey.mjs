// `npm run survey -- [--folder DIR] [--seconds 30] [--only NAME]`: installs published servers of npm and PyPI, starts each
// without a network, and writes what was found to docs/reference/survey.md. --folder keeps the installed packages for the
// next run; --only takes one server, prints what was found, and writes nothing.
import "./help.mjs";
import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { examine, wordsOf } from "./survey/examine.mjs";
import { install } from "./survey/install.mjs";
import { isOfflinePossible } from "./survey/offline.mjs";
import { pageOf } from "./survey/page.mjs";

const { values: given } = parseArgs({
  options: {
    folder: { type: "string" },
    seconds: { type: "string", default: "30" },
    only: { type: "string" },
  },
});
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const all = JSON.parse(readFileSync(here("survey/servers.json"), "utf8"));
const servers = all.filter(({ name }) => given.only === undefined || name === given.only);
const root = resolve(given.folder ?? (await mkdtemp(join(tmpdir(), "survey-"))));
const report = (line) => console.error(line);

/** Ends installations and servers, which remove what they wrote. */
const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => stop.abort());

const rows = new Map();
const waiting = [...servers];
const worker = async () => {
  while (!stop.signal.aborted) {
    const server = waiting.shift();
    if (server === undefined) return;
    const row = await surveyed(server);
    rows.set(server.name, row);
    const failed = row.notInstalled ?? row.failed;
    report(`${server.name}: ${failed ?? `${row.tools} tools, ${row.calls} calls`}`);
  }
};
await Promise.all([worker(), worker()]);
if (given.folder === undefined) await rm(root, { recursive: true, force: true });
if (stop.signal.aborted) process.exit(1);

async function surveyed(server) {
  const notInstalled = await install(root, server, stop.signal);
  if (notInstalled !== undefined) return { notInstalled };
  try {
    const words = wordsOf(root, server, tmpdir());
    return await examine(words, server.env ?? {}, Number(given.seconds), stop.signal);
  } catch (error) {
    return { failed: String(error?.message ?? error) };
  }
}

const found = servers.map((server) => ({ server, ...rows.get(server.name) }));
if (given.only === undefined) {
  const { version } = JSON.parse(readFileSync(here("../packages/cli/package.json"), "utf8"));
  const page = pageOf(found, {
    date: new Date().toISOString().slice(0, 10),
    version,
    node: process.version,
    seconds: Number(given.seconds),
    isOffline: isOfflinePossible,
  });
  writeFileSync(here("../docs/reference/survey.md"), page);
} else console.log(JSON.stringify(found, null, 2));
