// The gateways whose telemetry is measured, and the collector that receives it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { said, start, TOUCHSTONE, temporary } from "../gateway/processes.mjs";

/** Reads and drops what it receives, and scrapes each page that it is given once a second. */
const COLLECTOR = `
  require("node:http").createServer((request, response) => {
    request.resume().on("end", () => response.writeHead(200).end());
  }).listen(0, "127.0.0.1", function () { console.log(this.address().port); });
  require("node:readline").createInterface({ input: process.stdin }).on("line", (page) => {
    setInterval(() => fetch(page).then((answer) => answer.text(), () => {}), 1_000);
  });`;

/** Starts a process that receives all telemetry: `env` has the variables that make a gateway send to it. */
export async function collector() {
  const child = spawn(process.execPath, ["-e", COLLECTOR], { stdio: ["pipe", "pipe", "inherit"] });
  process.on("exit", () => child.kill());
  const [port] = await once(child.stdout.setEncoding("utf8"), "data");
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port.trim()}`,
    // Shorter than the pause after a round, so that a round includes all of its cost.
    OTEL_BSP_SCHEDULE_DELAY: "200",
  };
  return { child, env, scrape: (page) => child.stdin.write(`${page}\n`) };
}

/**
 * Starts `touchstone wrap` in front of a server's file. Sends all telemetry to a collector, if one is given.
 * @param args of the server
 */
export function wrapped({ server, stdio, args }, to) {
  const own = [TOUCHSTONE, "wrap", "--name", "bench", "--data-dir", temporary()];
  const child = start([...own, "--", process.execPath, server, ...args], to?.env);
  return { child, client: stdio(child) };
}

/** Starts `touchstone serve` in front of a URL, in the same way; its metrics are also scraped. */
export async function served({ http }, url, to) {
  const config = join(temporary(), "touchstone.json");
  const on = to !== undefined;
  const telemetry = { otlp: on, metrics: on };
  const listen = { address: "127.0.0.1:0" };
  writeFileSync(config, JSON.stringify({ listen, telemetry, mcpServers: { bench: { url } } }));
  const args = [TOUCHSTONE, "serve", "--config", config, "--data-dir", temporary()];
  const child = start(args, to?.env);
  const at = await said(child, child.stderr, /bench: (http:\S+)\n/);
  to?.scrape(new URL("/metrics", at).href);
  return { child, client: http(at) };
}
