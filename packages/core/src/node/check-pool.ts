/// <reference types="node" />
import { createRequire } from "node:module";
import { setImmediate as nextTurn } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { SchemaCache } from "../cache.ts";
import type { CheckLater, LaterJob } from "../check-later.ts";
import { messageOf } from "../document/fault.ts";
import { overBudget } from "../refuse.ts";
import type { Check } from "../result.ts";

/** Limits of a pool. */
export interface CheckPoolOptions {
  /** Maximum number of threads. Default 2. They start when they are first needed. */
  readonly threads?: number;
  /** Maximum number of waiting checks. Default 256. */
  readonly maxQueued?: number;
  /** Maximum total bytes of their values and schemas. Default 67,108,864. */
  readonly maxQueuedBytes?: number;
  /** Receives one line if no thread can be started. Checks then run immediately. */
  readonly log?: (line: string) => void;
  /** Starts a thread. Default: {@link startCheckThread}. */
  readonly startThread?: () => Worker;
}

/** Thrown for a check that a pool does not accept. The caller may try again. */
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
  readonly refuse: (error: QueueFullError) => void;
  /** The number of threads that died while they ran this check. */
  deaths: number;
}

/**
 * A longer text is copied for a thread in parts, one in each turn of the event loop, because allocating the memory
 * takes long.
 */
const PART_BYTES = 1_048_576;

/** Resolves to a copy of a text, made in several turns of the event loop. */
async function copyInParts(text: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const copy = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += PART_BYTES) {
    if (at > 0) await nextTurn();
    copy.set(text.subarray(at, at + PART_BYTES), at);
  }
  return copy;
}

interface Thread {
  readonly worker: Worker;
  /** Whether its program is ready. */
  ready: boolean;
  waiting: Waiting | undefined;
}

/** The waiting checks of one client, next one first. */
interface Queue {
  readonly checks: Waiting[];
  bytes: number;
}

/** The heap of a thread, in MiB. A check of 5 MiB of JSON takes a tenth of it. */
const HEAP_MB = 512;

const PROGRAM = "dist/node/check-entry.js";

/** Returns the built program even if the sources run, since Node 20 cannot run TypeScript. */
function program(): URL {
  const manifest = createRequire(import.meta.url).resolve("@touchstone/core/package.json");
  return new URL(PROGRAM, pathToFileURL(manifest));
}

/** Starts a thread that runs checks for a {@link CheckPool}: this package's program. */
export function startCheckThread(): Worker {
  return new Worker(program(), {
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
}

/**
 * Runs checks on a few threads, so that none blocks the event loop. Clients take turns, and a client with many checks
 * does not fill the queue for the others. A thread that dies is replaced and its check runs once more; if that thread
 * dies too, the check ends as `budget`. If no thread can be started, checks run immediately.
 */
export class CheckPool {
  readonly #options: Required<CheckPoolOptions>;
  /** Queues by client; the client whose turn is next comes first. */
  readonly #queues: Map<string, Queue> = new Map();
  readonly #threads: Set<Thread> = new Set();
  readonly #schemas: SchemaCache = new SchemaCache({ maxEntries: 50 });
  #queued = 0;
  #bytes = 0;
  #closed = false;
  #isLogged = false;

  constructor(options: CheckPoolOptions = {}) {
    const unset = {
      threads: 2,
      maxQueued: 256,
      maxQueuedBytes: 67_108_864,
      startThread: startCheckThread,
    };
    this.#options = { ...unset, log: () => {}, ...options };
  }

  /** The number of checks that wait for a thread. */
  get queued(): number {
    return this.#queued;
  }

  /** Returns the `checkLater` seam for one client. */
  laterFor(client: string): CheckLater {
    return (job) => this.run(job, client);
  }

  /**
   * Runs a check with the full step budget.
   * @throws QueueFullError if too many checks or bytes wait, and no other client has more waiting than this one would
   */
  run(job: LaterJob, client: string = ""): Promise<Check> {
    if (this.#closed) return Promise.resolve(this.#checkHere(job));
    const bytes = job.input.length + job.schema.length;
    return new Promise((done, refuse) => {
      if (!this.#makeRoom(bytes, client)) {
        refuse(new QueueFullError());
        return;
      }
      this.#enqueue({ job, bytes, done, refuse, deaths: 0 }, client);
      this.#next();
    });
  }

  /** Stops the threads. Waiting checks run immediately. */
  async close(): Promise<void> {
    this.#closed = true;
    const running = [...this.#threads];
    this.#threads.clear();
    await Promise.all(running.map(({ worker }) => worker.terminate()));
    for (const { waiting } of running) if (waiting) waiting.done(this.#checkHere(waiting.job));
    for (let waiting = this.#dequeue(); waiting; waiting = this.#dequeue()) {
      waiting.done(this.#checkHere(waiting.job));
    }
  }

  /**
   * Makes room for a client's check by refusing checks of clients that hold more of the queue than this client would.
   */
  #makeRoom(bytes: number, client: string): boolean {
    const { maxQueued, maxQueuedBytes } = this.#options;
    const own = this.#queues.get(client);
    while (this.#queued > 0) {
      const isLong = this.#queued >= maxQueued;
      if (!isLong && this.#bytes + bytes <= maxQueuedBytes) return true;
      const held = (queue: Queue): number => (isLong ? queue.checks.length : queue.bytes);
      const queues = [...this.#queues].toSorted(([, a], [, b]) => held(b) - held(a));
      const [most] = queues;
      const mine = (own ? held(own) : 0) + (isLong ? 1 : bytes);
      if (most === undefined || held(most[1]) <= mine) return false;
      this.#take(most[0], most[1], most[1].checks.length - 1).refuse(new QueueFullError());
    }
    return true;
  }

  #enqueue(waiting: Waiting, client: string): void {
    const queue = this.#queues.get(client) ?? { checks: [], bytes: 0 };
    queue.checks.push(waiting);
    queue.bytes += waiting.bytes;
    this.#queues.set(client, queue);
    this.#queued += 1;
    this.#bytes += waiting.bytes;
  }

  #dequeue(): Waiting | undefined {
    for (const [client, queue] of this.#queues) {
      const waiting = this.#take(client, queue, 0);
      // Moves the client to the end of the queue if it has more checks.
      if (this.#queues.delete(client)) this.#queues.set(client, queue);
      return waiting;
    }
    return undefined;
  }

  #take(client: string, queue: Queue, index: number): Waiting {
    const [waiting] = queue.checks.splice(index, 1) as [Waiting];
    queue.bytes -= waiting.bytes;
    if (queue.checks.length === 0) this.#queues.delete(client);
    this.#queued -= 1;
    this.#bytes -= waiting.bytes;
    return waiting;
  }

  #next(): void {
    while (this.#queued > 0) {
      const thread = this.#idleThread();
      if (thread === undefined && this.#threads.size > 0) return;
      const waiting = this.#dequeue();
      if (waiting === undefined) return;
      if (thread === undefined) {
        waiting.done(this.#checkHere(waiting.job));
        continue;
      }
      thread.waiting = waiting;
      thread.worker.ref();
      const { job } = waiting;
      if (job.input.length > PART_BYTES && typeof job.input !== "string") {
        void this.#sendInParts(thread, waiting, job.input);
      } else {
        thread.worker.postMessage(job);
      }
    }
  }

  async #sendInParts(thread: Thread, waiting: Waiting, text: Uint8Array): Promise<void> {
    const input = await copyInParts(text);
    // Meanwhile the thread may have died or the pool may be closed, and the check runs elsewhere.
    if (!this.#threads.has(thread) || thread.waiting !== waiting) return;
    thread.worker.postMessage({ ...waiting.job, input }, [input.buffer]);
  }

  #idleThread(): Thread | undefined {
    for (const thread of this.#threads) if (thread.waiting === undefined) return thread;
    if (this.#threads.size >= this.#options.threads) return undefined;
    try {
      return this.#start();
    } catch (thrown) {
      this.#cannotStart(thrown);
      return undefined;
    }
  }

  #cannotStart(thrown: unknown): void {
    if (this.#isLogged) return;
    this.#isLogged = true;
    this.#options.log(
      `cannot start a thread for checks: ${messageOf(thrown)}; long checks hold up other messages`,
    );
  }

  #start(): Thread {
    const worker = this.#options.startThread();
    const thread: Thread = { worker, ready: false, waiting: undefined };
    let reason: unknown = "it ended at once";
    this.#threads.add(thread);
    worker.unref();
    worker.on("message", (check: Check | null) => {
      thread.ready = true;
      if (check === null) return;
      const { waiting } = thread;
      thread.waiting = undefined;
      worker.unref();
      waiting?.done(check);
      this.#next();
    });
    // An "exit" event follows, which handles the end of the thread.
    worker.on("error", (error) => {
      reason = error;
    });
    worker.on("exit", () => this.#ended(thread, reason));
    return thread;
  }

  #ended(thread: Thread, reason: unknown): void {
    if (!this.#threads.delete(thread)) return;
    const { waiting, ready } = thread;
    if (!ready) this.#cannotStart(reason);
    if (waiting !== undefined && !ready) {
      waiting.done(this.#checkHere(waiting.job));
    } else if (waiting !== undefined) {
      waiting.deaths += 1;
      if (waiting.deaths > 1) waiting.done(overBudget("the thread of the check ended twice"));
      else this.#enqueue(waiting, "");
    }
    this.#next();
  }

  #checkHere({ schema, compile, input, options }: LaterJob): Check {
    return this.#schemas.get({ text: schema }, compile).validateText(input, options);
  }
}
