import { ChurnMap } from "./churn-map.ts";

/**
 * Requests by the key of their id. A client may reuse an id before its response came, so requests with one id are
 * kept in order.
 */
export class RequestsById<T> {
  readonly #byKey: ChurnMap<string, T[]> = new ChurnMap();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  add(key: string, request: T): void {
    const same = this.#byKey.get(key);
    if (same === undefined) this.#byKey.set(key, [request]);
    else same.push(request);
    this.#size += 1;
  }

  /** Adds a request, and makes its id the newest. */
  renew(key: string, request: T): void {
    const same = this.#byKey.get(key) ?? [];
    this.#byKey.delete(key);
    this.#byKey.set(key, [...same, request]);
    this.#size += 1;
  }

  /** Returns the first request with an id. */
  first(key: string): T | undefined {
    return this.#byKey.get(key)?.[0];
  }

  /** Returns the last request with an id. */
  last(key: string): T | undefined {
    return this.#byKey.get(key)?.at(-1);
  }

  /** Removes the first request with an id and returns it. */
  take(key: string): T | undefined {
    const first = this.first(key);
    if (first !== undefined) this.remove(key, first);
    return first;
  }

  /** Removes one request. Returns false if it is not here. */
  remove(key: string, request: T): boolean {
    const same = this.#byKey.get(key);
    const at = same?.indexOf(request) ?? -1;
    if (same === undefined || at < 0) return false;
    if (same.length === 1) this.#byKey.delete(key);
    else same.splice(at, 1);
    this.#size -= 1;
    return true;
  }

  /** Replaces one request by another, if it is here. */
  replace(key: string, request: T, by: T): void {
    const same = this.#byKey.get(key);
    const at = same?.indexOf(request) ?? -1;
    if (same !== undefined && at >= 0) same[at] = by;
  }

  clear(): void {
    this.#byKey.clear();
    this.#size = 0;
  }

  /** The requests, each with its key, by age of the ids. */
  *entries(): IterableIterator<[string, T]> {
    for (const [key, same] of this.#byKey) for (const request of same) yield [key, request];
  }

  /** The requests, by age of the ids. */
  *values(): IterableIterator<T> {
    for (const same of this.#byKey.values()) yield* same;
  }
}
