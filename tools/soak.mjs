// `npm run soak -- [--minutes N] [--seed N] [--rate N] [--json]`: runs everything that clients and servers do, good and
// bad, against one gateway for a while; then accounts for every request, record, byte of memory and process. Exits with
// 1 if anything is not as it must be. See docs/explanation/soak.md.
import "./help.mjs";

import { parseArgs } from "node:util";
import { reportText } from "./soak/report.mjs";
import { runSoak } from "./soak/run.mjs";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "2" },
    seed: { type: "string", default: "1" },
    rate: { type: "string", default: "60" },
    json: { type: "boolean", default: false },
  },
});
const number = (name, least) => {
  const value = Number(values[name]);
  if (Number.isFinite(value) && value >= least) return value;
  console.error(
    `--${name} takes a number of at least ${least}, not ${JSON.stringify(values[name])}.`,
  );
  process.exit(2);
};
const options = {
  minutes: number("minutes", 0.1),
  seed: number("seed", 0),
  rate: number("rate", 1),
};
const terminal = process.stderr.isTTY && !values.json;
let shown = "";
const told = (text) => {
  if (!terminal || text === shown) return;
  shown = text;
  process.stderr.write(`\r\u001b[K${text}`);
};

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130));
const began = performance.now();
const result = await runSoak(options, told);
if (terminal) process.stderr.write("\r\u001b[K");
const whole = { ...options, seconds: Math.round((performance.now() - began) / 1000), ...result };
console.log(values.json ? JSON.stringify(whole, null, 2) : reportText(whole));
process.exit(result.faults.length === 0 ? 0 : 1);
