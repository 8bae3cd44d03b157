// Times that load on the machine disturbs little: processor time, the best of some rounds in turns.
import { callsFor, processorTime } from "../timing.mjs";

/**
 * Returns the least processor time of one call in microseconds, by name.
 * @param engines name and function of each
 * @param turn microseconds that each gets in a round
 */
export function best(engines, turn, rounds) {
  const calls = new Map(engines.map(([name, run]) => [name, callsFor(turn, run)]));
  const least = new Map();
  for (let round = 0; round < rounds; round += 1) {
    const first = round % engines.length;
    for (const [name, run] of [...engines.slice(first), ...engines.slice(0, first)]) {
      const count = calls.get(name);
      const started = processorTime();
      for (let i = 0; i < count; i += 1) run();
      const time = (processorTime() - started) / count;
      least.set(name, Math.min(time, least.get(name) ?? Number.POSITIVE_INFINITY));
    }
  }
  return least;
}
