import type {
  ActivityStore,
  ContractStore,
  DriftStore,
  ErasureRequest,
  PinStore,
  ProblemIgnores,
  RequestStore,
  RolloutSettings,
  SessionStore,
  TaskStore,
  ViewStore,
} from "@touchstone/records/plain";
import type { ActivityEntry, ActivityLog, ActivityRecord } from "@touchstone/records/record";
import type { Erasure } from "@touchstone/records/schemas";
import type { ActivityQuestion } from "@touchstone/records/serve";
import type { ActivityWorker } from "@touchstone/records/worker";
import type { Logger } from "@touchstone/util";
import type { ActivitySettings } from "../config/config.ts";
import { DriftCollector } from "../features/drift/collector.ts";
import type { KeptBodies } from "../settings/activity.ts";
import { RecordAppender } from "./appends.ts";
import {
  currentIgnoreStore,
  currentPinStore,
  currentSessionStore,
  currentViewStore,
  guardContractStore,
  guardRequestStore,
  guardTaskStore,
  type RunStoreWork,
} from "./guarded-stores.ts";
import { startReaderThread } from "./reader-thread.ts";
import {
  hasSameRetention,
  recordSettingChanges,
  refuseStoreMove,
  writesSameRecords,
} from "./record-changes.ts";
import { openStore, type RecordTap, shownStorePlace } from "./records.ts";
import { RetiredParts } from "./retired-parts.ts";
import { StoreWatch } from "./store-watch.ts";

/** Prepared settings that have not taken effect yet. */
export interface PreparedRecords {
  /** What will change, one line each. */
  readonly changes: readonly string[];
  /** Applies them, at once and as a whole. */
  commit(): void;
  /** Drops it. */
  discard(): Promise<void>;
}

/** A thread that prunes would slow down the start of a gateway, and old records can wait. */
const FIRST_PRUNING_MS = 3_000;

/** The records of a running gateway: written, read and pruned, by settings that may change. */
export class LiveRecords implements ActivityLog {
  /** The current store's. */
  readonly contracts: ContractStore;
  readonly pins: PinStore = currentPinStore(() => this.#store.pins);
  readonly problemIgnores: ProblemIgnores = currentIgnoreStore(() => this.#store.problemIgnores);
  readonly consoleSessions: SessionStore = currentSessionStore(() => this.#store.consoleSessions);
  readonly views: ViewStore = currentViewStore(() => this.#store.views);
  readonly #dataDir: string;
  readonly #log: Logger;
  readonly #appends: RecordAppender;
  readonly #shapes: DriftStore;
  readonly #leaving: RetiredParts = new RetiredParts();
  readonly #tap: RecordTap | undefined;
  #settings: ActivitySettings;
  #store: ActivityStore;
  #worker: ActivityWorker;
  #tasks: TaskStore | undefined;
  #requests: RequestStore | undefined;
  #drift: DriftCollector | undefined;
  readonly #watch: StoreWatch;
  readonly #work: RunStoreWork = (work) => this.#appends.work(work);

  private constructor(
    settings: ActivitySettings,
    dataDir: string,
    log: Logger,
    store: ActivityStore,
    tap: RecordTap | undefined,
  ) {
    this.#tap = tap;
    this.#settings = settings;
    this.#dataDir = dataDir;
    this.#log = log;
    this.#appends = new RecordAppender({
      write: (entries) => this.#store.append(entries),
      refuses: () => this.refuses,
      writable: async () => this.#store.writable?.(),
      log,
    });
    this.#store = store;
    this.#guard(store);
    this.#worker = startReaderThread(settings, dataDir, log, FIRST_PRUNING_MS);
    this.#shapes = { add: (entries) => this.#store.shapes.add(entries) };
    this.#drift = this.#gather(settings);
    this.contracts = guardContractStore(this.#work, () => this.#store.contracts);
    this.#watch = new StoreWatch(() => this.#store.unreadable?.(), log);
  }

  /**
   * @param tap receives the kept records
   * @throws ActivityError if the records cannot be written
   */
  static async open(
    settings: ActivitySettings,
    dataDir: string,
    log: Logger,
    tap?: RecordTap,
  ): Promise<LiveRecords> {
    const store = await openShared(settings, dataDir, log, tap);
    return new LiveRecords(settings, dataDir, log, store, tap);
  }

  /** Where the records are kept, for people. */
  get place(): string {
    return shownStorePlace(this.#settings, this.#dataDir);
  }

  /** What records keep of arguments and results. */
  get bodies(): KeptBodies {
    return this.#settings.bodies;
  }

  /** Tasks that all gateways on one store know; undefined if the store is not shared. */
  get tasks(): TaskStore | undefined {
    return this.#tasks;
  }

  /** Requests that all gateways on one store know; undefined if the store is not shared. */
  get requests(): RequestStore | undefined {
    return this.#requests;
  }

  /** Collects the shapes of structured results; undefined if they are not kept. */
  get drift(): DriftCollector | undefined {
    return this.#drift;
  }

  /** When records could no longer be kept; undefined while they are. */
  get failingSince(): Date | undefined {
    return this.#appends.failingSince;
  }

  /** Whether to refuse a message whose record cannot be kept. */
  get refuses(): boolean {
    return this.#settings.onWriteFailure === "refuse";
  }

  /** Answers questions as `activityApi` does, on a separate thread. */
  ask(
    question: ActivityQuestion,
    settings: RolloutSettings | undefined,
    signal: AbortSignal,
  ): Promise<Response> {
    return this.#worker.ask(question, settings, signal);
  }

  /** Erases one person's data, on the same thread. */
  erase(request: ErasureRequest): Promise<Erasure> {
    return this.#worker.erase(request);
  }

  /** Writes the entries; after a failure, first a record that reports the gap. */
  append(entries: readonly ActivityEntry[]): Promise<readonly ActivityRecord[]> {
    return this.#appends.append(entries);
  }

  /**
   * If records could not be kept lately, tries to keep one that reports the gap; else checks whether they could.
   * @returns whether records are kept (again)
   */
  kept(): Promise<boolean> {
    return this.#appends.kept();
  }

  /** Returns why kept records cannot be read; undefined if they can. Never throws. */
  get readable(): boolean {
    return this.#watch.look();
  }

  /**
   * Prepares other settings.
   * @throws ReloadError if the records would have to move
   * @throws ActivityError if they cannot be written as configured
   */
  async prepare(settings: ActivitySettings): Promise<PreparedRecords> {
    const before = this.#settings;
    refuseStoreMove(before, settings);
    const store = writesSameRecords(before, settings)
      ? undefined
      : await openShared(settings, this.#dataDir, this.#log, this.#tap);
    return {
      changes: recordSettingChanges(before, settings),
      commit: () => this.#commit(settings, store),
      discard: async () => store?.close(),
    };
  }

  /** Ends reading and pruning. */
  async stopReading(): Promise<void> {
    await this.#worker.close();
  }

  /** Writes pending records, and ends. */
  async close(): Promise<void> {
    this.#watch.close();
    await this.#worker.close();
    await this.#drift?.close();
    await this.#leaving.gone();
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
    if (!hasSameRetention(before, settings)) {
      const old = this.#worker;
      this.#worker = startReaderThread(settings, this.#dataDir, this.#log);
      this.#leave(old);
    }
    if (store === undefined) return;
    const old = this.#store;
    this.#store = store;
    this.#guard(store);
    // Pending appends are written first.
    this.#leave(old);
  }

  #leave(old: { close(): Promise<void> }): void {
    void this.#leaving.add(old.close(), (reason) =>
      this.#log.warn(`records could not be closed cleanly: ${reason}`),
    );
  }

  #guard({ tasks, requests }: ActivityStore): void {
    this.#tasks = tasks && guardTaskStore(this.#work, tasks);
    this.#requests = requests && guardRequestStore(this.#work, requests);
  }

  #gather({ drift }: ActivitySettings): DriftCollector | undefined {
    return drift ? new DriftCollector(this.#shapes, this.#log) : undefined;
  }
}

/** Opens the records of a gateway with many connections. */
function openShared(
  settings: ActivitySettings,
  dataDir: string,
  log: Logger,
  tap: RecordTap | undefined,
): Promise<ActivityStore> {
  return openStore(settings, dataDir, log, { within: "turn", tap });
}
