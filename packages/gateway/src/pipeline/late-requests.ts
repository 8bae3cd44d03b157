import type { PendingRequest } from "./inflight.ts";

/**
 * Requests that are over for the gateway, and may be answered all the same. Of several with one id the
 * newest one is found first. Beyond a number of requests those of the oldest ids are forgotten.
 */
export class LateRequests {
  readonly #byId: Map<string, PendingRequest[]> = new Map();
  readonly #max: number;
  #size = 0;

  /** @param max how many are kept */
  constructor(max: number) {
    this.#max = max;
  }

  add(idKey: string, request: PendingRequest): void {
    const same = this.#byId.get(idKey) ?? [];
    same.push(request);
    this.#byId.delete(idKey);
    this.#byId.set(idKey, same);
    this.#size += 1;
    if (this.#size <= this.#max) return;
    for (const [oldest, [request]] of this.#byId) {
      if (request) this.remove(oldest, request);
      return;
    }
  }

  /** The newest one with this id. */
  get(idKey: string): PendingRequest | undefined {
    return this.#byId.get(idKey)?.at(-1);
  }

  /** Removes the newest one with this id and gives it. */
  take(idKey: string): PendingRequest | undefined {
    const newest = this.get(idKey);
    if (newest) this.remove(idKey, newest);
    return newest;
  }

  /** Removes one. False where it is no longer here. */
  remove(idKey: string, request: PendingRequest): boolean {
    const same = this.#byId.get(idKey);
    const at = same?.indexOf(request) ?? -1;
    if (same === undefined || at < 0) return false;
    if (same.length === 1) this.#byId.delete(idKey);
    else same.splice(at, 1);
    this.#size -= 1;
    return true;
  }

  /** Puts another in the place of one that is still here. */
  replace(idKey: string, request: PendingRequest, by: PendingRequest): void {
    const same = this.#byId.get(idKey);
    const at = same?.indexOf(request) ?? -1;
    if (same && at >= 0) same[at] = by;
  }

  /** Those whose clients may still wait, since what answered them came under an id that only looks like theirs. */
  get awaited(): PendingRequest[] {
    const all = [...this.#byId.values()].flat();
    return all.filter(({ loosely, settled }) => loosely && !settled);
  }
}
