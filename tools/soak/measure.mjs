// Measures what the gateway uses when it is idle.
import { openDescriptors, probed, processesWith } from "./processes.mjs";

const SETTLE_MS = 20_000;
const STEP_MS = 100;
/** Descriptors that may open and close by themselves: keep-alive connections, a reading thread. */
const DESCRIPTORS = 4;
/** How much the heap may grow over a soak: compiled schemas, code, counters by label. */
const HEAP = { factor: 1.3, bytes: 12_000_000 };
const RSS = { factor: 1.5, bytes: 96_000_000 };

/** Waits until `holds` returns true; returns false if it did not in time. */
export async function comesTrue(holds) {
  const until = performance.now() + SETTLE_MS;
  while (!(await holds())) {
    if (performance.now() > until) return false;
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
  }
  return true;
}

/** Lasting processes of one server: of the gateway's own client, and of the clients without a session. */
const LASTING = 2;

/**
 * Returns the processes of a soak, except the lasting ones of the server that crashes, which may or may not be there.
 */
function counted(run) {
  const all = processesWith(run);
  const crashing = all.filter(({ command }) => command.includes(`--run ${run} --name crashing`));
  const lasting = new Set(crashing.slice(0, LASTING));
  return all.filter((one) => !lasting.has(one));
}

const childrenOf = (pid, run) => counted(run).filter(({ parent }) => parent === pid).length;

/** Ends all sessions, waits until nothing is in progress, and measures each process of the gateway. */
export async function measure({ topology, peers }, before) {
  for (const peer of peers) if (peer.transport === "http") await peer.close();
  const { pid } = topology.serve;
  const wraps = peers.filter(({ transport }) => transport === "stdio");
  if (before) {
    await comesTrue(() => childrenOf(pid, topology.run) <= before.serve.children);
    // The thread that moves records into the database stays alive for some seconds.
    for (const [name, child] of [
      ["serve", topology.serve],
      ...wraps.map((w) => [w.name, w.child]),
    ]) {
      const most = before.usage[name]?.open + DESCRIPTORS;
      await comesTrue(() => !(openDescriptors(child.pid) > most));
    }
    await comesTrue(() => counted(topology.run).length <= before.processes);
  }
  const usage = {
    serve: { ...(await probed(topology.serve)), children: childrenOf(pid, topology.run) },
  };
  for (const { name, child } of wraps) {
    usage[name] = { ...(await probed(child)), children: childrenOf(child.pid, topology.run) };
  }
  return { usage, serve: usage.serve, processes: counted(topology.run).length };
}

/** Reports to the ledger what uses more than before. Without `/proc`, memory only. */
export function compareUsage(ledger, before, after) {
  for (const [name, now] of Object.entries(after.usage)) {
    const then = before.usage[name];
    const mb = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
    if (now.heapUsed > then.heapUsed * HEAP.factor + HEAP.bytes) {
      ledger.fault("memory", `heap of ${name}: ${mb(then.heapUsed)}, then ${mb(now.heapUsed)}`);
    }
    if (now.rss > then.rss * RSS.factor + RSS.bytes) {
      ledger.fault("memory", `RSS of ${name}: ${mb(then.rss)}, then ${mb(now.rss)}`);
    }
    if (now.open > then.open + DESCRIPTORS) {
      ledger.fault("descriptors", `${name}: ${then.open}, then ${now.open}`);
    }
    if (now.children > then.children) {
      ledger.fault("children", `${name}: ${then.children}, then ${now.children}`);
    }
  }
  if (after.processes > before.processes) {
    ledger.fault("children", `${before.processes} processes in all, then ${after.processes}`);
  }
}
