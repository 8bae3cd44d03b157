import type { Worker } from "node:worker_threads";
import { startOwnThread, ThreadError, threadProgram } from "@touchstone/util";
import { ActivityError } from "../errors.ts";

const MAX_HEAP_MB = 256;
/** An idle thread costs memory, so it ends after this time. */
const IDLE_MS = 10_000;

export interface FoldTarget {
  /** The database's path. */
  readonly database: string;
  /** The chain whose remaining bytes are reported. */
  readonly chain: string;
}

/** The thread's response to each fold. */
export type FoldResult =
  /** How many bytes of the chain's journal are left. */
  | { readonly left: number; readonly error?: undefined }
  /** Why it failed. */
  | { readonly error: string };

/** The thread that folds journals. Started with the first fold, and again after it has ended. */
export class FoldThread {
  readonly #place: FoldTarget;
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor(place: FoldTarget) {
    this.#place = place;
  }

  /**
   * Folds a part of the journals next to the database. One fold at a time.
   * @returns how many bytes of the chain's journal are left
   * @throws ActivityError `WRITE_FAILED`
   */
  async fold(): Promise<number> {
    clearTimeout(this.#idle);
    const worker = this.#running();
    // While a caller waits, the thread must keep the process alive.
    worker.ref();
    try {
      return await new Promise<number>((resolve, reject) => {
        const fail = (text: string): void => reject(new ActivityError("WRITE_FAILED", text));
        const ended = (): void => fail(`The thread that folds ${this.#place.database} has ended.`);
        worker.once("exit", ended);
        worker.once("message", (folded: FoldResult) => {
          worker.off("exit", ended);
          if (folded.error === undefined) resolve(folded.left);
          else fail(folded.error);
        });
        worker.postMessage("fold");
      });
    } finally {
      worker.unref();
      this.#idle = setTimeout(() => void this.close(), IDLE_MS).unref();
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #running(): Worker {
    try {
      return this.#worker ?? this.#start();
    } catch (error) {
      if (!(error instanceof ThreadError)) throw error;
      throw new ActivityError("WRITE_FAILED", error.message, { cause: error });
    }
  }

  #start(): Worker {
    const worker = startOwnThread(threadProgram("journal/entry", import.meta.url), {
      workerData: this.#place,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    // The event "exit" reports its end.
    worker.on("error", () => {});
    worker.once("exit", () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    this.#worker = worker;
    return worker;
  }
}
