import type { SchemaCache } from "@touchstone/core/advanced";
import {
  type ContractChange,
  type ContractScope,
  type ContractStore,
  LIST_USE_PRECISION_MS,
  listHashSteps,
} from "@touchstone/records/plain";
import { BoundedMap, type Logger, threadSlice } from "@touchstone/util";
import { ToolContract } from "./contract.ts";
import type { ContractPool } from "./pool.ts";

/** How many tools of earlier lists to remember until the server is asked again. */
const MAX_RECALLED = 1_000;

export interface StoredListParts {
  readonly scope: ContractScope;
  readonly cache: SchemaCache;
  readonly store: ContractStore;
  readonly log: Logger;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
  /** Shared by all lists of the server. */
  readonly pool?: ContractPool;
}

/** A tool of an earlier list. */
export interface RecalledTool {
  readonly contract: ToolContract;
  /**
   * Whether the list is from the scope itself; if not, all known lists of the server have the same declaration of the
   * tool.
   */
  readonly exact: boolean;
}

/** The list of one scope in the store: what earlier processes and other gateways have learned. */
export class StoredList {
  readonly #parts: StoredListParts;
  /** Tools from the store, used while there is no current list. */
  #recalled: BoundedMap<string, RecalledTool | undefined> = new BoundedMap(MAX_RECALLED);
  /** Identifies the last whole list of this connection. */
  #hash: string | undefined;
  /** When to notify the store of the next use. */
  #notifyAt: number = Number.POSITIVE_INFINITY;

  constructor(parts: StoredListParts) {
    this.#parts = parts;
  }

  /** Keeps a whole list. Returns the differences from the one before; none if it could not be kept. Never throws. */
  async replace(list: readonly ToolContract[]): Promise<readonly ContractChange[]> {
    const { scope, store, log, now } = this.#parts;
    this.forget();
    try {
      const byName = new Map(list.map((tool) => [tool.name, tool]));
      const hash = await threadSlice.take(listHashSteps(byName));
      const changes = await store.replace(scope, list, hash === this.#hash);
      this.#hash = hash;
      this.#notifyAt = now() + LIST_USE_PRECISION_MS;
      return changes;
    } catch (error) {
      log.error("the tool definitions could not be stored", {
        server: scope.server,
        error: String(error),
      });
      return [];
    }
  }

  /** Notes that the list is used for a call. Notifies the store from time to time, so that it keeps the list. */
  used(now: number): void {
    if (now < this.#notifyAt) return;
    this.#notifyAt = now + LIST_USE_PRECISION_MS;
    const { log, scope, store } = this.#parts;
    // The next notification follows in an hour.
    store.used(scope).catch((error: unknown) => {
      const { server } = scope;
      log.warn("the tool definitions could not be marked as used", {
        server,
        error: String(error),
      });
    });
  }

  /** Drops the tools that were read from the store. */
  forget(): void {
    this.#recalled = new BoundedMap(MAX_RECALLED);
  }

  /** Returns a tool that was looked up before, if the store keeps it. */
  get(tool: string): RecalledTool | undefined {
    return this.#recalled.get(tool);
  }

  /** Looks a tool up in the store. Undefined if that was done already. Never rejects. */
  recall(tool: string): Promise<void> | undefined {
    return this.#recalled.has(tool) ? undefined : this.#recall(tool);
  }

  async #recall(tool: string): Promise<void> {
    const { cache, log, pool, scope, store } = this.#parts;
    const { server } = scope;
    const recalled = this.#recalled;
    const isFirst = recalled.size === 0;
    try {
      const kept = await store.tool(scope, tool);
      const contract = kept && new ToolContract(kept.declaration, cache);
      recalled.set(
        tool,
        kept && contract && { contract: pool?.shared(contract) ?? contract, exact: kept.exact },
      );
      if (kept !== undefined && isFirst) {
        log.warn("there is no current tool list; the last known one is used", { server });
      }
    } catch (error) {
      log.warn("earlier tool lists could not be read", { server, error: String(error) });
    }
  }
}
