import type { ActivityEntry, ActivityLog, ActivityRecord } from "../activity/record.ts";
import type { ActivityStore } from "../activity/store.ts";
import { type ActivityWorker, startActivityWorker } from "../activity/worker/client.ts";
import type { ActivitySettings } from "../config/config.ts";
import type { ContractStore } from "../contracts/store.ts";
import type { TaskStore } from "../contracts/task-store.ts";
import { DriftCollector } from "../drift/collector.ts";
import type { DriftStore } from "../drift/store.ts";
import type { Logger } from "../log.ts";
import { Appends } from "./appends.ts";
import { changesOf, keepsAlike, writesAlike } from "./record-changes.ts";
import { openStore, placeOf, retentionOf } from "./records.ts";

/** Settings that have been prepared, and have not taken effect. */
export interface PreparedRecords {
  /** What will be different, one line each. */
  readonly changes: readonly string[];
  /** Lets it take effect, at once and whole. */
  commit(): void;
  /** Drops it. */
  discard(): Promise<void>;
}

/** Settings of the records that cannot be taken without a restart. */
export class RecordsPlaceError extends Error {
  override readonly name: string = "RecordsPlaceError";
}

/** A thread that prunes takes a processor from a gateway that starts, and old records can wait. */
const FIRST_PRUNING_MS = 3_000;

/** The records of a gateway that serves: written, read and pruned, by settings that may change. */
export class LiveRecords implements ActivityLog {
  /** Of the store that holds at the moment. */
  readonly contracts: ContractStore;
  readonly #dataDir: string;
  readonly #log: Logger;
  readonly #appends: Appends;
  readonly #shapes: DriftStore;
  readonly #leaving: Set<Promise<void>> = new Set();
  #settings: ActivitySettings;
  #store: ActivityStore;
  #worker: ActivityWorker;
  #drift: DriftCollector | undefined;

  private constructor(
    settings: ActivitySettings,
    dataDir: string,
    log: Logger,
    store: ActivityStore,
  ) {
    this.#settings = settings;
    this.#dataDir = dataDir;
    this.#log = log;
    this.#appends = new Appends({
      write: (entries) => this.#store.append(entries),
      refuses: () => this.refuses,
      log,
    });
    this.#store = store;
    this.#worker = this.#read(settings, FIRST_PRUNING_MS);
    this.#shapes = { add: (entries) => this.#store.shapes.add(entries) };
    this.#drift = this.#gather(settings);
    this.contracts = {
      replace: (scope, contracts) =>
        this.#appends.work(() => this.#store.contracts.replace(scope, contracts)),
      toolNames: (server) => this.#appends.work(() => this.#store.contracts.toolNames(server)),
    };
  }

  /** @throws ActivityError when the records cannot be written */
  static async open(
    settings: ActivitySettings,
    dataDir: string,
    log: Logger,
  ): Promise<LiveRecords> {
    return new LiveRecords(settings, dataDir, log, await openShared(settings, dataDir));
  }

  /** Whether records hold arguments and results. */
  get bodies(): boolean {
    return this.#settings.bodies;
  }

  /** Tasks that all gateways on one store know of; undefined where the store is not shared. */
  get tasks(): TaskStore | undefined {
    const { tasks } = this.#store;
    if (tasks === undefined || this.refuses) return tasks;
    return {
      keep: (server, key, task) => this.#appends.work(() => tasks.keep(server, key, task)),
      find: (server, key) => this.#appends.work(() => tasks.find(server, key)),
    };
  }

  /** Takes what structured results are like; undefined where that is not kept. */
  get drift(): DriftCollector | undefined {
    return this.#drift;
  }

  /** Since when records could not be kept; undefined while they are. */
  get failingSince(): Date | undefined {
    return this.#appends.failingSince;
  }

  /** Whether a message whose record cannot be kept is refused. */
  get refuses(): boolean {
    return this.#settings.onWriteFailure === "refuse";
  }

  /** Answers as `activityApi` does, in a thread of its own. */
  readonly handle = (request: Request): Promise<Response> => this.#worker.handle(request);

  /** Writes the entries; before the first ones after a failure, a record that tells of the gap. */
  append(entries: readonly ActivityEntry[]): Promise<readonly ActivityRecord[]> {
    return this.#appends.append(entries);
  }

  /**
   * Where records could not be kept lately, tries to keep one that tells of the gap.
   * @returns whether they are kept (again)
   */
  kept(): Promise<boolean> {
    return this.#appends.kept();
  }

  /**
   * Prepares other settings.
   * @throws RecordsPlaceError where the records would have to move
   * @throws ActivityError where they cannot be written as it is asked for
   */
  async prepare(settings: ActivitySettings): Promise<PreparedRecords> {
    const before = this.#settings;
    if (before.store !== settings.store) {
      throw new RecordsPlaceError(
        "activity.store takes effect with a restart only: the records of a running gateway do not move",
      );
    }
    const store = writesAlike(before, settings)
      ? undefined
      : await openShared(settings, this.#dataDir);
    return {
      changes: changesOf(before, settings),
      commit: () => this.#commit(settings, store),
      discard: async () => store?.close(),
    };
  }

  /** Ends reading and pruning. */
  async stopReading(): Promise<void> {
    await this.#worker.close();
  }

  /** Writes what waits, and ends. */
  async close(): Promise<void> {
    await this.#worker.close();
    await this.#drift?.close();
    await Promise.all(this.#leaving);
    this.#appends.close();
    await this.#store.close();
  }

  #commit(settings: ActivitySettings, store: ActivityStore | undefined): void {
    const before = this.#settings;
    this.#settings = settings;
    if (before.drift !== settings.drift) {
      const old = this.#drift;
      this.#drift = this.#gather(settings);
      if (old !== undefined) this.#leave(old);
    }
    if (!keepsAlike(before, settings)) {
      const old = this.#worker;
      this.#worker = this.#read(settings);
      this.#leave(old);
    }
    if (store === undefined) return;
    const old = this.#store;
    this.#store = store;
    // What is being appended is written first.
    this.#leave(old);
  }

  #gather({ drift }: ActivitySettings): DriftCollector | undefined {
    return drift ? new DriftCollector(this.#shapes, this.#log) : undefined;
  }

  #leave(old: { close(): Promise<void> }): void {
    const left = old
      .close()
      .catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        this.#log.warn(`records could not be closed in order: ${reason}`);
      })
      .finally(() => this.#leaving.delete(left));
    this.#leaving.add(left);
  }

  #read(settings: ActivitySettings, retentionDelayMs = 0): ActivityWorker {
    return startActivityWorker({
      place: placeOf(settings, this.#dataDir),
      retention: retentionOf(settings),
      retentionDelayMs,
      onRetentionError: (error) =>
        this.#log.error("old records could not be removed", { reason: error.message }),
    });
  }
}

/** Opens the records of a gateway, to which many connections bring theirs at the same time. */
function openShared(settings: ActivitySettings, dataDir: string): Promise<ActivityStore> {
  return openStore(settings, dataDir, "turn");
}
