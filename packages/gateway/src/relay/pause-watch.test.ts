import { afterEach, expect, it } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { tempDir } from "../../../records/src/testing/temp-dir.ts";
import type { Logger } from "../../../util/src/log.ts";
import { NO_PAUSES, writePauses } from "./pause.ts";
import { PauseWatch, type PauseWatchParts } from "./pause-watch.ts";

const open: PauseWatch[] = [];
afterEach(async () => {
  for (const watch of open.splice(0)) await watch.close();
});

function follow(dataDir: string, more: Partial<PauseWatchParts> = {}): PauseWatch {
  const log: Logger = { debug() {}, info() {}, warn() {}, error() {} };
  const watch = new PauseWatch({
    dataDir,
    log,
    append: () => Promise.resolve(),
    servers: () => ["files"],
    stillBlocking: () => "",
    ...more,
  });
  open.push(watch);
  watch.begin();
  return watch;
}

it("begins and ends with every change of the file, even right after startup", long, async () => {
  const since = new Date();
  const pause = { since, until: new Date(since.getTime() + 60_000) };
  // A watch that takes the first state that it sees as the one before would miss some of these.
  const watches = Array.from({ length: 40 }, () => {
    const dataDir = tempDir();
    const watch = follow(dataDir);
    writePauses(dataDir, { ...NO_PAUSES, all: pause });
    return { dataDir, watch };
  });
  const paused = () => watches.filter(({ watch }) => watch.of("files") !== undefined).length;
  await expect.poll(paused, { timeout: 10_000 }).toBe(40);
  for (const { dataDir } of watches) writePauses(dataDir, NO_PAUSES);
  await expect.poll(paused, { timeout: 10_000 }).toBe(0);
});

it.each([
  ["pauses the policy", true, { policy: true }, /strict checks, policy and narrow only warn/],
  ["pauses only the checks", false, { policy: undefined }, /policy and narrow are not paused/],
])("%s if its file may be written: %s", async (_, mayChangePolicy, wanted, said) => {
  const dataDir = tempDir();
  const since = new Date();
  const pause = { since, until: new Date(since.getTime() + 60_000), policy: true };
  writePauses(dataDir, { all: undefined, servers: new Map([["files", pause]]) });
  const lines: string[] = [];
  const log: Logger = { debug() {}, info() {}, warn: (line) => void lines.push(line), error() {} };
  const watch = follow(dataDir, { log, mayChangePolicy: () => mayChangePolicy });
  expect(watch.of("files")).toMatchObject({ until: pause.until });
  expect(watch.of("files")?.policy).toBe(wanted.policy);
  expect(lines.join("\n")).toMatch(said);
});
