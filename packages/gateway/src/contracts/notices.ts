import type { ContractScope } from "@touchstone/records/plain";
import { BoundedMap } from "@touchstone/util";

/** How many scopes to count notices for separately. */
const MAX_SCOPES = 1_000;

/** Counts how often other gateways have reported that lists of one server changed. */
export class ListChangeNotices {
  readonly #counts: BoundedMap<string, number> = new BoundedMap(MAX_SCOPES);
  #ofAll = 0;

  /** Counts a changed list; without a scope, any list may have changed. */
  take(scope: ContractScope | undefined): void {
    if (scope === undefined) this.#ofAll += 1;
    else this.#counts.set(keyOf(scope), (this.#counts.get(keyOf(scope)) ?? 0) + 1);
  }

  /** Returns the count for a list; it only grows while the list is in use. */
  of(scope: ContractScope): number {
    return this.#ofAll + (this.#counts.get(keyOf(scope)) ?? 0);
  }
}

function keyOf({ revision, authorization }: ContractScope): string {
  return `${revision}\n${authorization}`;
}

/** How often, at most, a list is fetched again because others report changes, in milliseconds. */
const HEED_MS = 10_000;

/** Follows the notices about one list; of many in a short time, it follows only the first and the last. */
export class ThrottledNotices {
  readonly #told: () => number;
  #heeded: number;
  #nextAt = 0;

  /** @param told the count so far */
  constructor(told: () => number = () => 0) {
    this.#told = told;
    this.#heeded = told();
  }

  /** Returns whether a new notice should be followed now; the call counts as following it. */
  heed(now: number): boolean {
    const told = this.#told();
    // A server that gives each gateway a different list must not make every call fetch it.
    if (told === this.#heeded || now < this.#nextAt) return false;
    this.#heeded = told;
    this.#nextAt = now + HEED_MS;
    return true;
  }
}
