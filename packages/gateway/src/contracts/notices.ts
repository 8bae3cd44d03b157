import { BoundedMap } from "../util/bounded-map.ts";
import type { ContractScope } from "./store.ts";

/** The channel of PostgreSQL's NOTIFY for changes of lists. */
export const CONTRACTS_CHANNEL = "touchstone_contracts";

/** PostgreSQL takes payloads of fewer than 8000 bytes. */
const MAX_BYTES = 7_999;

/** Returns a notice that a list has changed; an empty one if the scope's names are too long for it. */
export function contractNotice({ server, revision, authorization }: ContractScope): string {
  const notice = JSON.stringify([server, revision, authorization]);
  return Buffer.byteLength(notice) > MAX_BYTES ? "" : notice;
}

/** Returns the scope of a notice; undefined if it names none, so that any list may have changed. */
export function readNotice(notice: string | undefined): ContractScope | undefined {
  try {
    const told: unknown = JSON.parse(notice ?? "");
    if (!Array.isArray(told)) return undefined;
    const [server, revision, authorization]: readonly unknown[] = told;
    if (typeof server !== "string" || typeof revision !== "string") return undefined;
    return typeof authorization === "string" ? { server, revision, authorization } : undefined;
  } catch {
    return undefined;
  }
}

/** How many scopes to count notices for separately. */
const MAX_SCOPES = 1_000;

/** Counts how often other gateways have reported that lists of one server changed. */
export class ListNotices {
  readonly #counts: BoundedMap<string, number> = new BoundedMap(MAX_SCOPES);
  #ofAll = 0;

  /** Counts a changed list; without a scope it may be any. */
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

/** Follows the notices about one list; of many in a short time, only the first and the last. */
export class HeededNotices {
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
