/// <reference types="node" />
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import type { CheckLater, LaterJob } from "../check-later.ts";
import { compileSchema } from "../compile.ts";
import { messageOf } from "../document/fault.ts";
import { overBudget } from "../refuse.ts";
import type { Check } from "../result.ts";

/** Bounds of a pool. */
export interface CheckPoolOptions {
  /** Most threads. Default 2. They are started when they are first needed. */
  readonly threads?: number;
  /** Most checks that wait. Default 256. */
  readonly maxQueued?: number;
  /** Most bytes of their values and schemas together. Default 67,108,864. */
  readonly maxQueuedBytes?: number;
  /** Gets one line if no thread can be started. Checks are made at once then. */
  readonly log?: (line: string) => void;
}

/** A check that a pool did not take. The caller may try again. */
export class QueueFullError extends Error {
  override readonly name: string = "QueueFullError";

  constructor() {
    super("the check queue is full");
  }
}

interface Waiting {
  readonly job: LaterJob;
  readonly bytes: number;
  readonly done: (check: Check) => void;
  /** Threads that died of it. */
  deaths: number;
}

interface Thread {
  readonly worker: Worker;
  waiting: Waiting | undefined;
}

/** The heap of a thread, in MiB. A check of 5 MiB of JSON takes a tenth of it. */
const HEAP_MB = 512;

const PROGRAM = "dist/node/check-entry.js";

/** The built program also where the sources run, since Node 20 cannot run TypeScript. */
function program(): URL {
  const manifest = createRequire(import.meta.url).resolve("@touchstone/core/package.json");
  return new URL(PROGRAM, pathToFileURL(manifest));
}

/**
 * Makes checks on a few threads, so that none holds up the event loop. Callers take turns: a client with many
 * checks does not keep the others waiting. A thread that dies is replaced and its check is made once more; if
 * that thread dies too, the check ends as `budget`.
 */
export class CheckPool {
  readonly #options: Required<CheckPoolOptions>;
  /** By client, the one whose turn is next first. */
  readonly #queues: Map<string, Waiting[]> = new Map();
  readonly #threads: Set<Thread> = new Set();
  #queued = 0;
  #bytes = 0;
  #closed = false;
  #threadless = false;

  constructor(options: CheckPoolOptions = {}) {
    const { threads = 2, maxQueued = 256, maxQueuedBytes = 67_108_864, log = () => {} } = options;
    this.#options = { threads, maxQueued, maxQueuedBytes, log };
  }

  /** How many checks wait for a thread. */
  get queued(): number {
    return this.#queued;
  }

  /** The seam for `checkLater`, for one client. */
  laterFor(client: string): CheckLater {
    return (job) => this.run(job, client);
  }

  /**
   * Makes a check with the full step budget.
   * @throws QueueFullError if too many checks or bytes wait
   */
  run(job: LaterJob, client: string = ""): Promise<Check> {
    if (this.#closed || this.#threadless) return Promise.resolve(checkHere(job));
    const bytes = job.input.length + job.schema.length;
    const { maxQueued, maxQueuedBytes } = this.#options;
    const isFull = this.#queued >= maxQueued || this.#bytes + bytes > maxQueuedBytes;
    if (isFull && this.#queued > 0) return Promise.reject(new QueueFullError());
    return new Promise((done) => {
      this.#enqueue({ job, bytes, done, deaths: 0 }, client);
      this.#next();
    });
  }

  /** Stops the threads. Checks that wait are made at once. */
  async close(): Promise<void> {
    this.#closed = true;
    const running = [...this.#threads];
    this.#threads.clear();
    await Promise.all(running.map(({ worker }) => worker.terminate()));
    for (const { waiting } of running) if (waiting) waiting.done(checkHere(waiting.job));
    this.#checkQueuedHere();
  }

  #enqueue(waiting: Waiting, client: string): void {
    const queue = this.#queues.get(client);
    if (queue === undefined) this.#queues.set(client, [waiting]);
    else queue.push(waiting);
    this.#queued += 1;
    this.#bytes += waiting.bytes;
  }

  #dequeue(): Waiting | undefined {
    for (const [client, queue] of this.#queues) {
      const waiting = queue.shift();
      // Behind all others, if there is more.
      this.#queues.delete(client);
      if (queue.length > 0) this.#queues.set(client, queue);
      if (waiting === undefined) continue;
      this.#queued -= 1;
      this.#bytes -= waiting.bytes;
      return waiting;
    }
    return undefined;
  }

  #next(): void {
    while (this.#queued > 0) {
      const thread = this.#idleThread();
      if (thread === undefined) return;
      const waiting = this.#dequeue();
      if (waiting === undefined) return;
      thread.waiting = waiting;
      thread.worker.ref();
      thread.worker.postMessage(waiting.job);
    }
  }

  #idleThread(): Thread | undefined {
    for (const thread of this.#threads) if (thread.waiting === undefined) return thread;
    if (this.#threads.size >= this.#options.threads) return undefined;
    try {
      return this.#start();
    } catch (thrown) {
      if (this.#threads.size > 0) return undefined;
      this.#threadless = true;
      this.#options.log(`no thread can be started; checks run at once: ${messageOf(thrown)}`);
      this.#checkQueuedHere();
      return undefined;
    }
  }

  #start(): Thread {
    const worker = new Worker(program(), {
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    const thread: Thread = { worker, waiting: undefined };
    this.#threads.add(thread);
    worker.unref();
    worker.on("message", (check: Check) => {
      const { waiting } = thread;
      thread.waiting = undefined;
      worker.unref();
      waiting?.done(check);
      this.#next();
    });
    // An exit follows.
    worker.on("error", () => {});
    worker.on("exit", () => this.#died(thread));
    return thread;
  }

  #died(thread: Thread): void {
    if (!this.#threads.delete(thread)) return;
    const { waiting } = thread;
    if (waiting !== undefined) {
      waiting.deaths += 1;
      if (waiting.deaths > 1) waiting.done(overBudget("the thread of the check ended twice"));
      else this.#enqueue(waiting, "");
    }
    this.#next();
  }

  #checkQueuedHere(): void {
    for (let waiting = this.#dequeue(); waiting; waiting = this.#dequeue()) {
      waiting.done(checkHere(waiting.job));
    }
  }
}

function checkHere({ schema, compile, input, options }: LaterJob): Check {
  return compileSchema({ text: schema }, compile).check(input, options);
}
