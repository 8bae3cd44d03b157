// How the benchmarks measure: engines take turns in an order that rotates, and the medians of the rounds count. What
// they measure is processor time, so load on the machine changes it little.

const ROUNDS = 9;

export const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];

export const geomean = (numbers) =>
  Math.exp(numbers.reduce((sum, x) => sum + Math.log(x), 0) / numbers.length);

/** Returns the processor time of all threads of this process in microseconds. */
export function processorTime() {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Returns the median processor time of one call in microseconds, by name. */
export function measure(engines, calls, rounds = ROUNDS) {
  const times = new Map(engines.map(([name]) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    const turn = round % engines.length;
    for (const [name, run] of [...engines.slice(turn), ...engines.slice(0, turn)]) {
      const started = processorTime();
      for (let i = 0; i < calls; i += 1) run();
      times.get(name).push((processorTime() - started) / calls);
    }
  }
  return new Map([...times].map(([name, all]) => [name, median(all)]));
}

/** Calls before the measurement: they create what is created on first use, and V8 compiles the code. */
const WARM_UP = 50;

/** Returns how many calls of a function take about this many microseconds once it is warm, at least one. */
export function callsFor(microseconds, run) {
  const spent = () => {
    const started = processorTime();
    for (let i = 0; i < WARM_UP; i += 1) run();
    return processorTime() - started;
  };
  spent();
  return Math.max(1, Math.round((WARM_UP * microseconds) / Math.max(spent(), 1)));
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
