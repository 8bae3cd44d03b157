// What happens to a gateway besides its traffic: its configuration changes, servers are killed, clients come briefly
// and leave, others read the records.
import { fileURLToPath } from "node:url";
import { ACTIONS } from "./actions.mjs";
import { HttpPeer } from "./http-peer.mjs";
import { MODERN } from "./messages.mjs";
import { passingPeer } from "./peers.mjs";
import { processesWith } from "./processes.mjs";
import { MODES } from "./topology.mjs";

const MORTAL = fileURLToPath(new URL("./mortal-client.mjs", import.meta.url));
const named = (name) => ACTIONS.find((action) => action.name === name);
const GOOD = named("good");
const SLOW = named("slow");

/** Sends calls that are still in progress when this resolves. */
async function beginSlow(peer, count) {
  await peer.act(GOOD);
  return Array.from({ length: count }, () => peer.act(SLOW));
}

/** Runs disturbances one after another until `until`; returns how often each ran. */
export async function disturb(soak, until) {
  const { random, topology } = soak;
  const counts = new Map();
  let mode = "warn";
  let guest = false;
  let number = 0;
  const passing = (more) => {
    number += 1;
    return passingPeer(topology, soak, {
      name: `passing-${number}`,
      mode: random.pick(["warn", "strict"]),
      revision: random.pick(["2025-11-25", "2025-06-18", MODERN]),
      ...more,
    });
  };
  const all = {
    async "configuration changed"() {
      mode = random.pick(Object.keys(MODES).filter((other) => other !== mode));
      await topology.change(mode, guest);
    },
    async "server added and removed"() {
      const next = random.pick(Object.keys(MODES).filter((other) => other !== mode));
      mode = next;
      guest = true;
      await topology.change(mode, guest);
      const settings = () => [MODES.warn];
      const url = `${topology.url}/mcp/guest`;
      const own = { name: "guest", server: "guest", revision: MODERN, url, settings };
      const peer = new HttpPeer(own, soak);
      const slow = await beginSlow(peer, 3);
      mode = random.pick(Object.keys(MODES).filter((other) => other !== mode));
      guest = false;
      await topology.change(mode, guest);
      await Promise.all(slow);
      await peer.close();
    },
    async "configuration broken"() {
      await topology.breakIt();
      mode = random.pick(Object.keys(MODES).filter((other) => other !== mode));
      await topology.change(mode, guest);
    },
    async "server killed"() {
      const children = processesWith(`--run ${topology.run} --name crashing`);
      if (children.length > 0) process.kill(random.pick(children).pid, "SIGKILL");
    },
    async "wrapped server killed"() {
      const peer = passing({ mayEnd: true });
      await peer.open();
      const slow = await beginSlow(peer, 5);
      for (const { pid } of processesWith(`${topology.run} --name ${peer.name}`)) {
        if (pid !== peer.child.pid) process.kill(pid, "SIGKILL");
      }
      await Promise.all(slow);
      const code = await peer.child.ended;
      if (code !== 137) soak.ledger.fault("exit code", `${peer.name}: ${code} instead of 137`);
    },
    async "client left"() {
      const peer = passing({});
      await peer.open();
      // The client can send nothing more, but each call must still get its response.
      const slow = await beginSlow(peer, 5);
      const code = await peer.close();
      await Promise.all(slow);
      if (code !== 0) soak.ledger.fault("exit code", `${peer.name}: ${code} instead of 0`);
    },
    async "client vanished"() {
      const peer = passing({});
      await peer.open();
      await beginSlow(peer, 5);
      await peer.vanish();
    },
    async "client killed"() {
      const peer = passing({});
      peer.behind = MORTAL;
      await peer.open();
      await beginSlow(peer, 5);
      process.kill(peer.child.pid, "SIGKILL");
      await peer.child.ended;
    },
  };
  while (performance.now() < until) {
    const name = random.pick(Object.keys(all));
    counts.set(name, (counts.get(name) ?? 0) + 1);
    await all[name]();
    await new Promise((resolve) => setTimeout(resolve, random.whole(50, 500)));
  }
  if (guest || mode !== "warn") await topology.change("warn", false);
  return counts;
}
