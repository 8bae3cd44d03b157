// The packed command as it is used in production: records in PostgreSQL, and metrics, traces and records by OTLP and for
// Prometheus, from an empty folder.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { startLoader } from "../source-modules.mjs";

const ECHO = fileURLToPath(
  new URL(
    "../../node_modules/@modelcontextprotocol/server-everything/dist/index.js",
    import.meta.url,
  ),
);

/** Receives OTLP. `all` resolves when every path was posted to. */
async function startCollector(paths) {
  const missing = new Set(paths);
  const server = createServer(async (request, response) => {
    let bytes = 0;
    for await (const piece of request) bytes += piece.length;
    if (bytes > 0) missing.delete(request.url);
    response.end();
    if (missing.size === 0) server.emit("all");
  }).listen(0, "127.0.0.1");
  const all = once(server, "all");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    all,
    missing,
    close: () => server.close(),
  };
}

/** Calls a tool twice, once with arguments that its schema refuses. */
async function callTools({ initialize, post, request }, url) {
  const headers = await initialize(url);
  const call = async (id, message) => {
    const params = { name: "echo", arguments: { message } };
    return (await post(url, request(id, "tools/call", params), headers)).text;
  };
  return [await call(2, "hello"), await call(3, 5)];
}

/** Returns what does not work, for each version of Node. */
export async function faultsOfServices(folder, nodes) {
  const sources = await startLoader();
  try {
    const http = await sources.load("gateway/src/testing/http.ts");
    const { startPostgres } = await sources.load("records/src/testing/postgres.ts");
    const postgres = await startPostgres();
    if (typeof postgres === "string") return [`PostgreSQL does not start: ${postgres}`];
    try {
      const faults = [];
      for (const [name, node] of nodes) {
        for (const fault of await faultsOn(http, node, folder, await postgres.database())) {
          faults.push(`${name}: ${fault}`);
        }
      }
      return faults;
    } finally {
      await postgres.stop();
    }
  } finally {
    await sources.close();
  }
}

async function faultsOn(http, node, folder, store) {
  const collector = await startCollector(["/v1/traces", "/v1/metrics", "/v1/logs"]);
  const config = join(folder, "touchstone.json");
  writeFileSync(
    config,
    JSON.stringify({
      listen: { address: "127.0.0.1:0" },
      input_validation: { mode: "strict" },
      activity: { store },
      telemetry: { metrics: true, otlp: true, records: true },
      mcpServers: { everything: { command: node, args: [ECHO] } },
    }),
  );
  const command = join(folder, "node_modules/touchstone/bin/touchstone.js");
  const env = {
    ...process.env,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_METRIC_EXPORT_INTERVAL: "500",
    OTEL_BSP_SCHEDULE_DELAY: "200",
    OTEL_BLRP_SCHEDULE_DELAY: "200",
  };
  const child = spawn(node, [command, "serve", "--config", config, "--data-dir", folder], {
    cwd: folder,
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const log = [];
  const ended = once(child, "close");
  try {
    const url = await new Promise((resolve, reject) => {
      createInterface({ input: child.stderr }).on("line", (line) => {
        log.push(line);
        const found = /everything: (http:\S+)/.exec(line);
        if (found) resolve(found[1]);
      });
      ended.then(() => reject(new Error(`serve ended:\n${log.join("\n")}`)));
    });
    const faults = [];
    const [good, bad] = await callTools(http, url);
    if (!good.includes("hello")) faults.push(`a call does not work: ${good}`);
    if (!bad.includes("message")) faults.push(`an invalid call is not blocked: ${bad}`);
    const metrics = await (await fetch(new URL("/metrics", url))).text();
    if (!/^touchstone_validations_total\{.*\} [1-9]/m.test(metrics)) faults.push("no metrics");
    const records = await (await fetch(new URL("/api/v1/activity", url))).text();
    const statuses = JSON.parse(records).activities?.map(({ status }) => status);
    for (const status of ["success", "blocked"]) {
      if (!statuses?.includes(status)) faults.push(`no record ${status}: ${records.slice(0, 300)}`);
    }
    const late = new Promise((resolve) => setTimeout(resolve, 20_000, "late").unref());
    if ((await Promise.race([collector.all, late])) === "late") {
      faults.push(`nothing was sent to ${[...collector.missing].join(", ")}`);
    }
    return faults.length === 0 ? [] : [...faults, ...log];
  } finally {
    child.kill("SIGTERM");
    await ended;
    collector.close();
  }
}
