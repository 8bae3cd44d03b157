import type { Worker } from "node:worker_threads";
import { startOwnThread } from "../util/own-thread.ts";
import type { MeantChange } from "./api/schemas.ts";
import type { DefinitionPair } from "./change-meaning.ts";
import { ActivityError } from "./errors.ts";

const MAX_HEAP_MB = 256;
/** Hostile schemas can make a single step of a comparison take minutes. */
const MAX_MS = 6_000;
/** How many comparisons may wait or run. */
const MAX_WAITING = 16;
/** An idle thread costs memory, so it ends after this time. */
const IDLE_MS = 10_000;

/** A thread that compares definitions, one pair at a time. Started when it is needed. */
export class ChangeMeaningThread {
  readonly #maxMs: number;
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /** @param maxMs how long one comparison may take, in milliseconds */
  constructor(maxMs: number = MAX_MS) {
    this.#maxMs = maxMs;
  }

  /**
   * Returns what the differences between two comparable definitions mean; null if that was not found out in time.
   * @throws ActivityError `READER_BUSY` if too many others wait, ThreadError if no further thread can start
   */
  async meaningOf(pair: DefinitionPair): Promise<readonly MeantChange[] | null> {
    if (this.#waiting >= MAX_WAITING) {
      const text = `${MAX_WAITING} comparisons of definitions are waiting. Ask again later.`;
      throw new ActivityError("READER_BUSY", text);
    }
    this.#waiting += 1;
    const compared = this.#last.then(() => this.#compare(pair));
    this.#last = compared.catch(() => {});
    try {
      return await compared;
    } finally {
      this.#waiting -= 1;
    }
  }

  async #compare(pair: DefinitionPair): Promise<readonly MeantChange[] | null> {
    clearTimeout(this.#idle);
    const worker = this.#worker ?? (await this.#start());
    worker.ref();
    let late: NodeJS.Timeout | undefined;
    try {
      return await new Promise((resolve) => {
        // Also if it has run out of memory.
        const giveUp = (): void => {
          this.#stop(worker);
          resolve(null);
        };
        late = setTimeout(giveUp, this.#maxMs);
        worker.once("exit", giveUp);
        worker.once("message", (changes: readonly MeantChange[] | null) => {
          worker.off("exit", giveUp);
          resolve(changes);
        });
        worker.postMessage(pair);
      });
    } finally {
      clearTimeout(late);
      worker.unref();
      this.#idle = setTimeout(() => this.#stop(worker), IDLE_MS).unref();
    }
  }

  #stop(worker: Worker): void {
    if (this.#worker === worker) this.#worker = undefined;
    void worker.terminate();
  }

  /** Resolves when the thread is ready, or has ended. */
  #start(): Promise<Worker> {
    const worker = startOwnThread("records/change-meaning-entry", {
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    this.#worker = worker;
    return new Promise((resolve) => {
      // Its end is reported by "exit".
      worker.on("error", () => {});
      worker.once("exit", () => {
        if (this.#worker === worker) this.#worker = undefined;
        resolve(worker);
      });
      worker.once("message", () => resolve(worker));
    });
  }
}

/** The thread of this process. */
export const changeMeaningThread: ChangeMeaningThread = new ChangeMeaningThread();
