import { ACTIONS, CRASH, isTagged } from "./actions.mjs";
import { suits } from "./peers.mjs";

const TICK_MS = 50;
/** Most requests in progress before new ones wait: a slow machine gets fewer requests, not a backlog. */
const MOST = 150;
const CRASHES = 0.02;
const BATCHES = 0.1;

/** Sends client traffic, at `rate` actions a second, until `until` on the clock of the process. */
export async function traffic({ peers, ledger, random, rate }, until, told = () => {}) {
  const active = new Set();
  let owed = 0;
  while (performance.now() < until) {
    owed = Math.min(owed + (rate * TICK_MS) / 1000, rate);
    for (; owed >= 1; owed -= 1) {
      if (ledger.underWay >= MOST) break;
      const acting = act(random.pick(peers), random);
      active.add(acting);
      void acting.finally(() => active.delete(acting));
    }
    told();
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  return active;
}

function act(peer, random) {
  if (peer.crashes && random.next() < CRASHES) return peer.act(CRASH);
  const suited = ACTIONS.filter((action) => suits(action, peer));
  if (peer.batches && random.next() < BATCHES) {
    // A response that breaks off affects the whole batch, and nothing shows which request it belonged to.
    const whole = (one) =>
      isTagged(one) && !one.cancels && !one.slow && !one.faults.includes("lost");
    const simple = suited.filter(whole);
    const count = random.whole(2, 5);
    return peer.actTogether(Array.from({ length: count }, () => random.weighted(simple)));
  }
  return peer.act(random.weighted(suited));
}

/** Performs each action that a client can do once, so that all have been used before the first measurement. */
export async function everything(peer) {
  const suited = ACTIONS.filter((action) => suits(action, peer));
  await Promise.all(suited.map((action) => peer.act(action)));
}
