// Other projects' gateways, if a folder has them: `TOUCHSTONE_PEERS`, with a node_modules of its own.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../free-port.mjs";
import { median, progress, table } from "../timing.mjs";
import { httpClient, stdioClient } from "./clients.mjs";
import { load, rotated } from "./load.mjs";
import { NODE, serve, start, stop, UPSTREAM, wrap } from "./processes.mjs";
import { toolName } from "./tools.mjs";

const LEAST = 1.5;
const RETRIES = 200;

/** Waits until a peer listens: not all of them announce it in their output. */
async function reachable(child, client) {
  for (let i = 0; i < RETRIES; i += 1) {
    try {
      return await client.open();
    } catch (error) {
      if (child.exitCode !== null) throw new Error(`ended: ${child.errors}`);
      if (error.code !== "ECONNREFUSED") throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  throw new Error(`does not listen: ${child.errors}`);
}

async function overHttp(child, url) {
  const client = httpClient(url);
  await reachable(child, client);
  return { child, client };
}

async function overStdio(child) {
  const client = stdioClient(child);
  await client.open();
  return { child, client };
}

const FROM_HTTP = "HTTP → stdio";
const FROM_STDIO = "stdio → HTTP";
const BOTH_HTTP = "HTTP → HTTP";

const OURS = {
  [FROM_HTTP]: async () => {
    const { child, url } = await serve({ command: NODE, args: [UPSTREAM, "stdio"] }, "warn");
    return overHttp(child, url);
  },
  [FROM_STDIO]: (url) => overStdio(wrap("warn", ["--url", url])),
  [BOTH_HTTP]: async (upstream) => {
    const { child, url } = await serve({ url: upstream }, "warn");
    return overHttp(child, url);
  },
};

/** Each peer with its hop, how to start it, and the file of its package that contains the command. */
const PEERS = [
  {
    name: "mcp-proxy",
    bin: "mcp-proxy",
    hop: FROM_HTTP,
    async open(file) {
      const port = await freePort();
      const where = ["--port", port, "--host", "127.0.0.1", "--server", "stream"];
      const child = start([file, ...where.map(String), "--", NODE, UPSTREAM, "stdio"]);
      return overHttp(child, `http://127.0.0.1:${port}/mcp`);
    },
  },
  {
    name: "supergateway",
    bin: "supergateway",
    hop: FROM_HTTP,
    async open(file) {
      const port = await freePort();
      const command = `"${NODE}" "${UPSTREAM}" stdio`;
      const how = ["--outputTransport", "streamableHttp", "--stateful", "--logLevel", "none"];
      const child = start([file, "--stdio", command, ...how, "--port", String(port)]);
      return overHttp(child, `http://127.0.0.1:${port}/mcp`);
    },
  },
  {
    name: "mcp-remote",
    bin: "mcp-remote",
    hop: FROM_STDIO,
    open: (file, url) => overStdio(start([file, url, "--allow-http", "--transport", "http-only"])),
  },
  {
    name: "@civic/passthrough-mcp-server",
    bin: "passthrough-mcp-server",
    hop: BOTH_HTTP,
    async open(file, url) {
      const port = await freePort();
      const child = start([file], { PORT: String(port), TARGET_SERVER_URL: url });
      return overHttp(child, `http://127.0.0.1:${port}/mcp`);
    },
  },
];

function commandOf(folder, { name, bin }) {
  const root = join(folder, "node_modules", name);
  const manifest = join(root, "package.json");
  if (!existsSync(manifest)) return undefined;
  const { bin: bins, version } = JSON.parse(readFileSync(manifest, "utf8"));
  return { file: join(root, typeof bins === "string" ? bins : bins[bin]), version };
}

async function compare(peer, { file, version }, url, { rounds, ms, warmUpMs, inFlights }) {
  const rows = [];
  const ways = [];
  try {
    ways.push(await peer.open(file, url));
    ways.push(await OURS[peer.hop](url));
    for (const { client } of ways) await load(client, toolName(1, true), 16, { ms: warmUpMs * 4 });
    for (const inFlight of inFlights) {
      const runs = new Map(ways.map((way) => [way, []]));
      for (let round = 0; round < rounds; round += 1) {
        progress(`${peer.name}, ${inFlight} in flight, round ${round + 1}`);
        for (const way of rotated(ways, round)) {
          runs.get(way).push(await load(way.client, toolName(1, true), inFlight, { ms }));
        }
      }
      const [theirs, ours] = ways.map((way) => runs.get(way));
      const ratio = (key) => median(ours.map((run, i) => run[key] / theirs[i][key]));
      const figures = [theirs, ours].flatMap((all) => [
        median(all.map((run) => run.p50)).toFixed(3),
        median(all.map((run) => run.rate)).toFixed(0),
      ]);
      const rate = ratio("rate");
      const verdict = rate >= LEAST ? "yes" : "no";
      rows.push([
        `${peer.name} ${version}`,
        peer.hop,
        inFlight,
        ...figures,
        rate.toFixed(2),
        verdict,
      ]);
    }
  } finally {
    for (const { child, client } of ways) {
      client.close();
      await stop(child);
    }
  }
  return rows;
}

/** Prints the table of the peers that are installed; returns those that were not measured, and why. */
export async function measurePeers(folder, url, settings) {
  const missing = [];
  const rows = [];
  for (const peer of PEERS) {
    const command = folder === undefined ? undefined : commandOf(folder, peer);
    if (command === undefined) {
      missing.push(`${peer.name} (${folder ? `not in ${folder}` : "TOUCHSTONE_PEERS is not set"})`);
      continue;
    }
    try {
      rows.push(...(await compare(peer, command, url, settings)));
    } catch (error) {
      missing.push(`${peer.name} (${error.message.slice(0, 300)})`);
    }
  }
  progress("");
  if (rows.length === 0) return missing;
  console.log("## Gateways of others, the same hop, 1 KB; ours in warn with schemas\n");
  table(
    [
      "peer",
      "hop",
      "in flight",
      "its p50 ms",
      "its calls/s",
      "our p50 ms",
      "our calls/s",
      "our calls/s ÷ its",
      `≥ ${LEAST}`,
    ],
    rows,
  );
  return missing;
}
