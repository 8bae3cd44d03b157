import type { Worker } from "node:worker_threads";
import { startOwnThread } from "./start-thread.ts";

/** An idle thread costs memory, so it ends after this time. */
const IDLE_MS = 10_000;

/** What a thread runs, and its limits. */
export interface JobThreadOptions {
  /** From `threadProgram`. */
  readonly program: URL;
  /** How long one job may take, in milliseconds: hostile input can make a single step take minutes. */
  readonly maxMs: number;
  /** Its heap, in MiB. */
  readonly maxHeapMb: number;
  /** How many jobs may wait or run. */
  readonly maxWaiting: number;
}

/**
 * A thread that does one job after another. Started when it is needed. Its program sends `null` when it is ready, and
 * then one message for each message that it receives.
 */
export class JobThread<Job, Made> {
  readonly #options: JobThreadOptions;
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(options: JobThreadOptions) {
    this.#options = options;
  }

  /** Whether {@link run} takes no more jobs, because too many wait. */
  get isFull(): boolean {
    return this.#waiting >= this.#options.maxWaiting;
  }

  /**
   * Resolves to the result of a job; undefined if the thread is full, or if the job took too much time or memory.
   * Rejects with a ThreadError if no further thread can start.
   */
  async run(job: Job): Promise<Made | undefined> {
    if (this.isFull) return undefined;
    this.#waiting += 1;
    const made = this.#last.then(() => this.#make(job));
    this.#last = made.catch(() => {});
    try {
      return await made;
    } finally {
      this.#waiting -= 1;
    }
  }

  async #make(job: Job): Promise<Made | undefined> {
    clearTimeout(this.#idle);
    const worker = this.#worker ?? (await this.#start());
    if (worker === undefined) return undefined;
    worker.ref();
    let late: NodeJS.Timeout | undefined;
    try {
      return await new Promise((resolve) => {
        // Called after `maxMs`, and if the thread exits, for example because it ran out of memory.
        const giveUp = (): void => {
          this.#stop(worker);
          resolve(undefined);
        };
        late = setTimeout(giveUp, this.#options.maxMs);
        worker.once("exit", giveUp);
        worker.once("message", (made: Made) => {
          worker.off("exit", giveUp);
          resolve(made);
        });
        worker.postMessage(job);
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

  /** Resolves when the thread is ready; to undefined if it has ended. */
  #start(): Promise<Worker | undefined> {
    const { program, maxHeapMb } = this.#options;
    const worker = startOwnThread(program, {
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
    });
    this.#worker = worker;
    return new Promise((resolve) => {
      // An "exit" event follows each error, and is handled below.
      worker.on("error", () => {});
      worker.once("exit", () => {
        if (this.#worker === worker) this.#worker = undefined;
        resolve(undefined);
      });
      worker.once("message", () => resolve(worker));
    });
  }
}
