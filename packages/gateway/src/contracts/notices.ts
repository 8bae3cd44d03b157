import { BoundedMap } from "../util/bounded-map.ts";
import type { ContractScope } from "./store.ts";

/** The channel of PostgreSQL's NOTIFY on which changes of lists are told. */
export const CONTRACTS_CHANNEL = "touchstone_contracts";

/** PostgreSQL takes payloads of fewer than 8000 bytes. */
const MAX_BYTES = 7_999;

/** Returns a notice that a list has changed; an empty one where the scope's names are too long for it. */
export function contractNotice({ server, revision, authorization }: ContractScope): string {
  const notice = JSON.stringify([server, revision, authorization]);
  return Buffer.byteLength(notice) > MAX_BYTES ? "" : notice;
}

/** Returns the scope that a notice reports; undefined if it reports none, and any list may be meant. */
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

/** Scopes whose notices are counted one by one. */
const MAX_SCOPES = 1_000;

/** Counts how often other gateways have reported that lists of one server changed. */
export class ListNotices {
  readonly #counts: BoundedMap<string, number> = new BoundedMap(MAX_SCOPES);
  #ofAll = 0;

  /** Notes a list that changed; without a scope it may have been any. */
  take(scope: ContractScope | undefined): void {
    if (scope === undefined) this.#ofAll += 1;
    else this.#counts.set(keyOf(scope), (this.#counts.get(keyOf(scope)) ?? 0) + 1);
  }

  /** Returns how many there were for a list; only ever grows while the list is in use. */
  of(scope: ContractScope): number {
    return this.#ofAll + (this.#counts.get(keyOf(scope)) ?? 0);
  }
}

function keyOf({ revision, authorization }: ContractScope): string {
  return `${revision}\n${authorization}`;
}

/** A list that others say has changed is asked for again this often at most, in milliseconds. */
const HEED_MS = 10_000;

/** Heeds the notices about one list; of many in a short time the first and the last. */
export class HeededNotices {
  readonly #told: () => number;
  #heeded: number;
  #nextAt = 0;

  /** @param told how many there were so far */
  constructor(told: () => number = () => 0) {
    this.#told = told;
    this.#heeded = told();
  }

  /** Returns whether there is a new notice, and it is time to heed it, which this call does. */
  heed(now: number): boolean {
    const told = this.#told();
    // A server that gives each gateway another list must not make every call ask for it.
    if (told === this.#heeded || now < this.#nextAt) return false;
    this.#heeded = told;
    this.#nextAt = now + HEED_MS;
    return true;
  }
}
