import type { ContractScope } from "../contracts/store.ts";
import { BoundedMap } from "../util/bounded-map.ts";

/** Scopes whose notices are counted one by one. */
const MAX_SCOPES = 1_000;

/** Counts how often other gateways have told that lists of one server changed. */
export class ListNotices {
  readonly #counts: BoundedMap<string, number> = new BoundedMap(MAX_SCOPES);
  #ofAll = 0;

  /** Takes note of a list that changed; without a scope it may have been any. */
  take(scope: ContractScope | undefined): void {
    if (scope === undefined) this.#ofAll += 1;
    else this.#counts.set(keyOf(scope), (this.#counts.get(keyOf(scope)) ?? 0) + 1);
  }

  /** How many there were for a list; only ever grows while the list is in use. */
  of(scope: ContractScope): number {
    return this.#ofAll + (this.#counts.get(keyOf(scope)) ?? 0);
  }
}

function keyOf({ revision, authorization }: ContractScope): string {
  return `${revision}\n${authorization}`;
}
