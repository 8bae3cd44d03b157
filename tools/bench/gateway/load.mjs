// Keeps this many requests in flight for a while, and returns the figures.
let ids = 0;

/** Calls until the time is over (`ms`) or this many calls are made (`calls`); checks each response. */
export async function load(client, tool, inFlight, { ms = Number.POSITIVE_INFINITY, calls }) {
  const latencies = [];
  const started = performance.now();
  const last = ids + (calls ?? Number.POSITIVE_INFINITY);
  async function caller() {
    while (performance.now() - started < ms && ids < last) {
      ids += 1;
      const id = ids;
      const sent = performance.now();
      await client.call(id, tool);
      if (calls === undefined) latencies.push(performance.now() - sent);
    }
  }
  const before = ids;
  await Promise.all(Array.from({ length: inFlight }, caller));
  const seconds = (performance.now() - started) / 1000;
  latencies.sort((a, b) => a - b);
  const at = (q) => latencies[Math.floor((latencies.length - 1) * q)];
  return { p50: at(0.5), p99: at(0.99), rate: (ids - before) / seconds, calls: ids - before };
}

/** Returns the list rotated by one further item in each round. */
export const rotated = (list, round) => {
  const turn = round % list.length;
  return [...list.slice(turn), ...list.slice(0, turn)];
};
