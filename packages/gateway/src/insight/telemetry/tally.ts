import type { Labels, Metric } from "./metrics.ts";

/** What was counted of one series. */
export interface Cell {
  /** Undefined for the one cell of all series that are over the limit. */
  readonly labels: Labels | undefined;
  /** When its first value came, in milliseconds since the Unix epoch. */
  readonly since: number;
  /** Of a counter the total, of a gauge the last value, of a histogram the sum. */
  value: number;
  /** Of a histogram: how many values, each bucket's own, and behind them those above all bounds. */
  count: number;
  readonly buckets: number[];
  min: number;
  max: number;
}

/**
 * Counts one metric, from its first value on. Labels that come as the very same object again find
 * their cell without a key being made of them.
 */
export class Tally {
  readonly metric: Metric;
  readonly #max: number;
  readonly #bounds: readonly number[];
  readonly #known: WeakMap<Labels, Cell> = new WeakMap();
  readonly #cells: Map<string, Cell> = new Map();
  #overflow: Cell | undefined;

  /** @param max series that are told apart */
  constructor(metric: Metric, max: number) {
    this.metric = metric;
    this.#max = max;
    this.#bounds = metric.buckets ?? [];
  }

  get cells(): readonly Cell[] {
    const cells = [...this.#cells.values()];
    return this.#overflow === undefined ? cells : [...cells, this.#overflow];
  }

  note(value: number, labels: Labels): void {
    const cell = this.#known.get(labels) ?? this.#find(labels);
    if (this.metric.kind === "gauge") {
      cell.value = value;
      return;
    }
    cell.value += value;
    if (this.metric.kind === "counter") return;
    cell.count += 1;
    if (value < cell.min) cell.min = value;
    if (value > cell.max) cell.max = value;
    const bounds = this.#bounds;
    let at = 0;
    while (at < bounds.length && value > (bounds[at] ?? 0)) at += 1;
    cell.buckets[at] = (cell.buckets[at] ?? 0) + 1;
  }

  #find(labels: Labels): Cell {
    // The same series in whatever order its labels come.
    const key = JSON.stringify(Object.entries(labels).sort());
    let cell = this.#cells.get(key);
    if (cell === undefined && this.#cells.size >= this.#max) {
      this.#overflow ??= this.#cell(undefined);
      return this.#overflow;
    }
    if (cell === undefined) {
      cell = this.#cell(labels);
      this.#cells.set(key, cell);
    }
    this.#known.set(labels, cell);
    return cell;
  }

  #cell(labels: Labels | undefined): Cell {
    return {
      labels,
      since: Date.now(),
      value: 0,
      count: 0,
      buckets: [...this.#bounds, 0].fill(0),
      min: Number.POSITIVE_INFINITY,
      max: Number.NEGATIVE_INFINITY,
    };
  }
}
