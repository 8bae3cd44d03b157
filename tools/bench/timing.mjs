// How the benchmarks measure: engines take turns in an order that rotates, and the medians of the rounds count.

const ROUNDS = 9;

export const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];

export const geomean = (numbers) =>
  Math.exp(numbers.reduce((sum, x) => sum + Math.log(x), 0) / numbers.length);

/** Returns the median time of one call in microseconds, by name. */
export function measure(engines, calls, rounds = ROUNDS) {
  const times = new Map(engines.map(([name]) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    const turn = round % engines.length;
    for (const [name, run] of [...engines.slice(turn), ...engines.slice(0, turn)]) {
      const started = performance.now();
      for (let i = 0; i < calls; i += 1) run();
      times.get(name).push(((performance.now() - started) * 1000) / calls);
    }
  }
  return new Map([...times].map(([name, all]) => [name, median(all)]));
}

/** Returns how many calls of a function take about this many milliseconds, at least one. */
export function callsFor(milliseconds, run) {
  let calls = 1;
  for (;;) {
    const started = performance.now();
    for (let i = 0; i < calls; i += 1) run();
    const took = performance.now() - started;
    if (took > milliseconds / 8 || calls >= 1e6) {
      return Math.max(1, Math.round((calls * milliseconds) / Math.max(took, 0.001)));
    }
    calls *= 4;
  }
}

export function table(head, rows) {
  const line = (cells) => console.log(`| ${cells.join(" | ")} |`);
  line(head);
  line(head.map(() => "-"));
  for (const row of rows) line(row);
  console.log("");
}

/** Shows progress on one line that is overwritten, if stderr is a terminal. */
export function progress(text) {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}
