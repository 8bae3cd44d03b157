// Reads records while they are written: `/api/v1/activity`, pages and live events.
import { createParser } from "eventsource-parser";

const QUERIES = [
  ["", 200],
  ["/summary", 200],
  ["/rollout", 200],
  ["?type=policy_decision&decision=blocked&limit=5", 200],
  ["?server=strict&since=1h&limit=100", 200],
  ["?status=rejected,error", 200],
  ["?decision=Blocked", 400],
  ["?limit=0", 400],
  ["?nothing=1", 400],
];
/** How long a connection lasts before the client drops it, so that the next one resumes after `Last-Event-ID`. */
const EVENTS_MS = [100, 1500];

/** Reads pages until `until`; returns how many. */
export async function readPages({ topology, random, ledger }, until) {
  let read = 0;
  while (performance.now() < until) {
    const [query, status] = random.pick(QUERIES);
    const response = await fetch(`${topology.url}/api/v1/activity${query}`);
    const body = await response.text();
    if (response.status !== status) {
      ledger.fault("read", `activity${query}: ${response.status} ${body.slice(0, 200)}`);
    }
    read += 1;
    await new Promise((resolve) => setTimeout(resolve, random.whole(50, 400)));
  }
  return read;
}

/**
 * Follows the live events, over many connections, until `until`. Returns the ids of the records, in the order in
 * which they arrived.
 */
export async function followEvents({ topology, random, ledger }, until) {
  const seen = [];
  let last;
  let connections = 0;
  while (performance.now() < until) {
    connections += 1;
    const left = Math.ceil(until - performance.now());
    const signal = AbortSignal.timeout(Math.max(1, Math.min(left, random.whole(...EVENTS_MS))));
    const parser = createParser({
      onEvent: ({ id, data }) => {
        if (id !== undefined) last = id;
        seen.push(JSON.parse(data).id);
      },
    });
    const headers = last === undefined ? {} : { "last-event-id": last };
    try {
      const response = await fetch(`${topology.url}/api/v1/activity/events`, { headers, signal });
      if (response.status !== 200) ledger.fault("read", `events: ${response.status}`);
      const decoder = new TextDecoder();
      for await (const chunk of response.body) parser.feed(decoder.decode(chunk, { stream: true }));
    } catch (error) {
      if (!signal.aborted) ledger.fault("read", `events: ${error}`);
    }
  }
  return { seen, connections };
}
