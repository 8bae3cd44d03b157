import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { losses, score } from "./compare.mjs";
import { lineOf, startGateway, stopProcess } from "./gateway.mjs";
import { serverRequirements, serverScenario } from "./suite.mjs";

const fixture = (file) => fileURLToPath(new URL(`../fixture/${file}`, import.meta.url));

/** The servers behind the gateway. A stdio server has no HTTP transport to compare with. */
const UPSTREAMS = [
  { name: "http", lenient: false },
  { name: "stdio", lenient: true },
];

/** Starts the fixture server; returns its URL. */
async function startFixture() {
  const child = spawn(process.execPath, [fixture("http.mjs")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [url] = await lineOf(child, child.stdout, /^http\S+$/);
  return { url, stop: () => stopProcess(child) };
}

async function compare(report, { url, direct, revision, mode, upstream }) {
  const { name, lenient } = upstream;
  const through = await serverRequirements(url, revision);
  const differing = [];
  for (const [scenario, checks] of direct) {
    const first = losses(checks, through.get(scenario), { lenient });
    if (first.length === 0) continue;
    // Some scenarios wait for fixed times; those that fail on a busy machine pass the second time.
    const again = await serverScenario(url, revision, scenario);
    const lost = losses(checks, again.get(scenario), { lenient });
    if (lost.length === 0) through.set(scenario, again.get(scenario));
    else differing.push({ scenario, lost });
  }
  report.row({
    direction: "server",
    revision,
    way: `serve, ${name} upstream`,
    mode,
    direct: score(direct),
    through: score(through),
    differing,
  });
}

/** Runs the suite as a client: directly against the fixture server, and through the gateway in front of it. */
export async function serverDirection(report, { revisions, modes }) {
  const server = await startFixture();
  try {
    const direct = new Map();
    for (const revision of revisions) {
      direct.set(revision, await serverRequirements(server.url, revision));
    }
    for (const mode of modes) {
      const stdio = { command: process.execPath, args: [fixture("stdio.mjs")] };
      const gateway = await startGateway({ http: { url: server.url }, stdio }, mode);
      try {
        for (const revision of revisions) {
          for (const upstream of UPSTREAMS) {
            const url = gateway.urls[upstream.name];
            const part = { url, direct: direct.get(revision), revision, mode, upstream };
            await compare(report, part);
          }
        }
      } finally {
        await gateway.stop();
      }
    }
  } finally {
    await server.stop();
  }
}
