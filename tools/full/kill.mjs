// `npm run full:kill -- [rounds]`: kills a process with SIGKILL while it records, again and again.
import "../help.mjs";

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { countArgument } from "../count-argument.mjs";
import { startLoader } from "../source-modules.mjs";

const sources = await startLoader();
const { killRound } = await sources.load("records/src/testing/kill-round.ts");

const rounds = countArgument(process.argv[2], 100, "npm run full:kill -- [rounds]");
let lost = 0;
let acknowledged = 0;
for (let round = 0; round < rounds; round += 1) {
  const dataDir = mkdtempSync(join(tmpdir(), "touchstone-kill-"));
  const outcome = await killRound(dataDir, {
    writers: round % 10 === 0 ? 8 : 1,
    sync: round % 2 === 0 ? "normal" : "full",
    acknowledged: 1 + Math.floor(Math.random() * 1000),
  });
  rmSync(dataDir, { recursive: true, force: true });
  acknowledged += outcome.acknowledged;
  const { missing, doubled, report } = outcome;
  if (missing.length + doubled.length > 0 || !report.ok) {
    lost += 1;
    console.log(JSON.stringify({ round, missing, doubled, faults: report.faults.slice(0, 10) }));
  }
  if (process.stderr.isTTY) process.stderr.write(`\r${round + 1} of ${rounds}`);
}
await sources.close();
console.log(`${rounds} kills, ${acknowledged} acknowledged records, ${lost} rounds with a fault`);
process.exitCode = lost === 0 ? 0 : 1;
