import type { Decimals } from "../json/exact.ts";
import { exactTree } from "../json/exact-tree.ts";
import type { JsonObject } from "../json/object.ts";
import { BudgetError, spend } from "../keywords/budget.ts";
import type { Applied } from "../keywords/keyword.ts";
import { Place } from "../keywords/place.ts";
import type { Reporter, Run } from "../keywords/run.ts";

/**
 * How many schemas may be applied inside one another, over the depths of value and schema together.
 * So deep fits on the stack beside what the caller has on it. Values of the usual depth of 64 stay
 * far below; a reference that leads back to itself on the same value reaches it after as many steps.
 */
const MAX_DEPTH = 800;

const NO_KEYS: readonly string[] = [];

/** One evaluation of a value by a compiled schema. */
export class Evaluation implements Run {
  steps: number;
  depth: number = 0;
  compiling: number = Number.POSITIVE_INFINITY;
  readonly maxDepth: number;
  marked: number = 0;
  /** Whether a value is being evaluated. */
  busy: boolean = false;
  report: Reporter | undefined;
  private lastObject: JsonObject | undefined;
  private lastKeys: readonly string[] = NO_KEYS;
  private isSorted: boolean = false;

  constructor(steps: number, report?: Reporter, maxDepth: number = MAX_DEPTH) {
    this.steps = steps;
    this.maxDepth = maxDepth;
    this.report = report;
  }

  /** Makes it ready for another value. */
  reset(): void {
    this.busy = false;
    this.depth = 0;
    this.lastObject = undefined;
    this.lastKeys = NO_KEYS;
  }

  keysOf(value: JsonObject): readonly string[] {
    if (value !== this.lastObject) {
      this.lastKeys = Object.keys(value);
      this.lastObject = value;
      this.isSorted = false;
    }
    spend(this, this.lastKeys.length);
    return this.lastKeys;
  }

  sortedKeysOf(value: JsonObject): readonly string[] {
    const keys = this.keysOf(value);
    if (!this.isSorted) {
      spend(this, keys.length);
      this.lastKeys = keys.toSorted();
      this.isSorted = true;
    }
    return this.lastKeys;
  }

  /**
   * Applies a schema to the whole value.
   * @throws BudgetError if steps, depth or stack are used up
   */
  start(root: Applied, value: unknown, decimals: Decimals): boolean {
    const tree = decimals.size === 0 ? undefined : exactTree(decimals);
    const needed = tree !== undefined || this.report !== undefined;
    try {
      return root.check(
        this,
        value,
        needed ? new Place(undefined, "", tree) : undefined,
        undefined,
      );
    } catch (thrown) {
      // An exhausted stack, or a division that is refused as too much work.
      if (thrown instanceof RangeError) throw new BudgetError(thrown.message);
      throw thrown;
    }
  }
}
