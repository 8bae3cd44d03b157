// Appends records in a separate process: node append-child.mjs DATA_DIR COUNT [PARALLEL] [SYNC] Writes `ready`, waits
// for a line on stdin, then writes the id of each record once it is durable.
import { writeSync } from "node:fs";
import { openActivityStore } from "../../build/open-sqlite.js";

const [dataDir, count, parallel = "1", sync = "normal"] = process.argv.slice(2);
writeSync(1, "ready\n");
await new Promise((resolve) => process.stdin.once("data", resolve));
const store = await openActivityStore({ dataDir, sync });
let next = 0;
async function appendInTurn() {
  while (next < Number(count)) {
    const n = next++;
    const [record] = await store.append([
      {
        type: "tool_call",
        source: "gateway",
        tool: `tool-${n}`,
        request_id: `${process.pid}-${n}`,
      },
    ]);
    writeSync(1, `${record.id}\n`);
  }
}
await Promise.all(Array.from({ length: Number(parallel) }, appendInTurn));
await store.close();
process.exit(0);
