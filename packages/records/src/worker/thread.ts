import type { Worker } from "node:worker_threads";
import { messageOf } from "@touchstone/core/plain";
import { startOwnThread } from "@touchstone/util";
import { ActivityError } from "../errors.ts";
import type { StorePlace } from "../store.ts";
import type { FromWorker, ToWorker } from "./messages.ts";

/** A thread that needs more memory is ended, with all of its requests. */
const MAX_HEAP_MB = 256;

/** Receives the parts of the response to one request. */
export interface ResponseReceiver {
  readonly answer: (message: FromWorker) => void;
  readonly fail: (error: ActivityError) => void;
}

/** The thread. Started with the first request, and again with the next one after it has ended. */
export class Thread {
  readonly #place: StorePlace;
  readonly #program: URL;
  #worker: Worker | undefined;
  #askers: Map<number, ResponseReceiver> = new Map();
  #ended: Promise<unknown> = Promise.resolve();

  constructor(place: StorePlace, program: URL) {
    this.#place = place;
    this.#program = program;
  }

  /** The number of requests without a complete response. */
  get open(): number {
    return this.#askers.size;
  }

  ask(message: Extract<ToWorker, { readonly id: number }>, asker: ResponseReceiver): void {
    try {
      this.#worker ??= this.#start();
    } catch (error) {
      asker.fail(endedBy(messageOf(error)));
      return;
    }
    this.#askers.set(message.id, asker);
    this.#worker.postMessage(message);
  }

  /** Sends a message, unless the thread has ended. */
  tell(message: ToWorker): void {
    this.#worker?.postMessage(message);
  }

  /** Notifies the thread that a response is no longer needed. */
  cancel(id: number): void {
    this.tell({ kind: "cancel", id });
  }

  /** Forgets a request that is answered, or no longer needed. */
  forget(id: number): void {
    this.#askers.delete(id);
  }

  async close(): Promise<void> {
    // While a caller waits for it, the thread must keep the process alive.
    this.#worker?.ref();
    this.#worker?.postMessage({ kind: "close" } satisfies ToWorker);
    await this.#ended;
  }

  #start(): Worker {
    const worker = startOwnThread(this.#program, {
      workerData: this.#place,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    worker.unref();
    let reason = "it ended by itself";
    worker.on("message", (message: FromWorker) => this.#askers.get(message.id)?.answer(message));
    worker.on("error", (error: Error) => {
      reason = error.message;
    });
    this.#ended = new Promise<void>((resolve) => {
      worker.once("exit", () => {
        if (this.#worker === worker) this.#worker = undefined;
        const askers = [...this.#askers.values()];
        this.#askers = new Map();
        for (const { fail } of askers) fail(endedBy(reason));
        resolve();
      });
    });
    return worker;
  }
}

function endedBy(reason: string): ActivityError {
  const sentence = reason.replace(/\.$/, "");
  const text = `The thread that reads activity has ended: ${sentence}. Try again; it is restarted.`;
  return new ActivityError("READER_ENDED", text);
}
