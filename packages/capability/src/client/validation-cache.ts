import type { ToolVerdict } from "../validation-result.ts";

/** A monotonic clock, in milliseconds. */
export type Clock = () => number;

interface Kept {
  readonly verdict: ToolVerdict;
  readonly until: number;
}

/** Verdicts of one server, the least recently used first. */
export class ValidationCache {
  readonly #kept: Map<string, Kept> = new Map();
  readonly #maxEntries: number;
  readonly #now: Clock;
  #generation = 0;

  constructor(maxEntries: number, now: Clock) {
    this.#maxEntries = maxEntries;
    this.#now = now;
  }

  /** How often the cache was cleared: a verdict that was requested before that is not kept. */
  get generation(): number {
    return this.#generation;
  }

  get(key: string): ToolVerdict | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    this.#kept.delete(key);
    if (this.#now() >= kept.until) return undefined;
    this.#kept.set(key, kept);
    return kept.verdict;
  }

  /** Keeps a verdict for some milliseconds, unless the cache was cleared since `generation`. */
  set(key: string, verdict: ToolVerdict, keepMs: number, generation: number): void {
    if (keepMs <= 0 || generation !== this.#generation || this.#maxEntries < 1) return;
    this.#kept.delete(key);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= this.#maxEntries && oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(key, { verdict, until: this.#now() + keepMs });
  }

  clear(): void {
    this.#generation += 1;
    this.#kept.clear();
  }
}
