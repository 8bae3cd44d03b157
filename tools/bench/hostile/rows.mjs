// Measures the rows of `npm run bench:hostile -- --gateway`. A new file of rows gets a place in `ROWS`.
import { ROWS as DEFINITIONS } from "./definitions.mjs";
import { ROWS as FORMS } from "./forms.mjs";
import { measureRow } from "./gateway.mjs";
import { ROWS as IDS } from "./ids.mjs";
import { ROWS as LINES } from "./lines.mjs";
import { ROWS as NAMES } from "./names.mjs";
import { ROWS as STORES } from "./stores.mjs";
import { ROWS as VALUES } from "./values.mjs";

const ROWS = [...DEFINITIONS, ...FORMS, ...IDS, ...LINES, ...NAMES, ...STORES, ...VALUES];
/** Maximum processor time of the main thread in one turn of the event loop, in milliseconds. */
const MOST_MS = 50;

/** Prints a table of the rows whose names contain a text. Returns how many took too long or failed. */
export async function measureGateway(only) {
  let failed = 0;
  let longest = 0;
  console.log("| feature | what | longest turn, ms | memory grew, MB | |\n| - | - | -: | -: | - |");
  for (const row of ROWS) {
    if (!`${row.feature}: ${row.what}`.includes(only)) continue;
    const { longest: ms, grown, response } = await measureRow(row);
    const isWrong = !(row.statuses ?? [200]).includes(response.status);
    if (ms > MOST_MS || isWrong) failed += 1;
    longest = Math.max(longest, ms);
    const remark = isWrong ? `status ${response.status}` : ms > MOST_MS ? "over" : "";
    console.log(
      `| ${row.feature} | ${row.what} | ${ms.toFixed(0)} | ${Math.round(grown / 1e6)} | ${remark} |`,
    );
  }
  console.log(
    `\nLongest turn: ${longest.toFixed(0)} ms of the main thread's processor time. ${failed} rows over ${MOST_MS} ms or wrong.`,
  );
  return failed;
}
