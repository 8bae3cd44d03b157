import type { Logger } from "../util/log.ts";
import { type ContractScope, type ContractStore, USE_STEP_MS } from "./store.ts";

export interface ListUseParts {
  readonly scope: ContractScope;
  readonly store: Pick<ContractStore, "used">;
  readonly log: Logger;
}

/** Tells the store now and then that calls are judged by a list, so that it goes on keeping it. */
export class ListUse {
  readonly #parts: ListUseParts;
  #tellAt: number = Number.POSITIVE_INFINITY;

  constructor(parts: ListUseParts) {
    this.#parts = parts;
  }

  /** The list has just been kept, which counts as a use. */
  kept(now: number): void {
    this.#tellAt = now + USE_STEP_MS;
  }

  called(now: number): void {
    if (now < this.#tellAt) return;
    this.#tellAt = now + USE_STEP_MS;
    const { log, scope, store } = this.#parts;
    // It is told again in an hour.
    store.used(scope).catch((error: unknown) => {
      log.warn("the contracts could not be noted as used", {
        server: scope.server,
        error: String(error),
      });
    });
  }
}
