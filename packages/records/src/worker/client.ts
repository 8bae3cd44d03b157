import type { ActivityQuestion } from "../api/api.ts";
import { errorResponse } from "../api/responses.ts";
import type { ErasureRequest } from "../erase/eraser.ts";
import { ActivityError } from "../errors.ts";
import type { Erasure } from "../response-schemas.ts";
import type { RolloutSettings } from "../rollout/settings.ts";
import type { Retention, StorePlace } from "../store.ts";
import type { FromWorker, ToWorker } from "./messages.ts";
import { Thread } from "./thread.ts";

/** How many requests, including event streams, may be open at the same time; pruning waits for none of them. */
const MAX_OPEN = 64;
const HOUR_MS = 3_600_000;

export interface ThreadOptions {
  readonly place: StorePlace;
  /** The program of the thread, from `threadProgram`: it calls `serveActivity`. */
  readonly program: URL;
  /** The bounds to enforce, at the start and every hour. */
  readonly retention?: Retention | undefined;
  /** How long after the start pruning begins, in milliseconds. Default: 0. */
  readonly retentionDelayMs?: number;
  /** Receives errors of pruning. */
  readonly onRetentionError?: (error: ActivityError) => void;
}

/** Reads, exports and prunes in a separate thread, so that the relay does not wait. */
export interface ActivityWorker {
  /**
   * Answers like `activityApi`. Never rejects: 503 `READER_BUSY` if 64 requests are open, `READER_ENDED` if the
   * thread has ended.
   * @param settings for `activityApi`
   * @param signal ends the request
   */
  readonly ask: (
    question: ActivityQuestion,
    settings?: RolloutSettings,
    signal?: AbortSignal,
  ) => Promise<Response>;
  /** @throws ActivityError */
  prune(retention: Retention): Promise<{ readonly removed: number }>;
  /**
   * Erases one person's data, as {@link ActivityEraser.erase} does.
   * @throws ActivityError
   */
  erase(request: ErasureRequest): Promise<Erasure>;
  /** Ends all open requests. */
  close(): Promise<void>;
}

/** Returns a thread over the records of one place. It starts on first use. */
export function startActivityWorker(options: ThreadOptions): ActivityWorker {
  const { place, program, retention, retentionDelayMs = 0, onRetentionError = () => {} } = options;
  const thread = new Thread(place, program);
  let closed = false;
  let lastId = 0;

  function nextId(isRequest: boolean): number {
    if (closed) throw new ActivityError("CLOSED", "The activity reader is closed.");
    if (isRequest && thread.open >= MAX_OPEN) {
      const text = `${MAX_OPEN} requests for activity are under way. Try again later.`;
      throw new ActivityError("READER_BUSY", text);
    }
    lastId += 1;
    return lastId;
  }

  /** Sends a request that has one response. */
  function question(
    message: Extract<ToWorker, { readonly kind: "prune" | "erase" }>,
  ): Promise<FromWorker> {
    return new Promise((resolve, reject) => {
      const answer = (response: FromWorker): void => {
        thread.forget(message.id);
        resolve(response);
      };
      thread.ask(message, { answer, fail: reject });
    });
  }

  const worker: ActivityWorker = {
    async ask(question, settings, signal) {
      try {
        return await forward(thread, nextId(true), { question, settings }, signal);
      } catch (error) {
        return errorResponse(error);
      }
    },
    async prune(bounds) {
      const message = await question({ kind: "prune", id: nextId(false), retention: bounds });
      if (message.kind !== "pruned") throw errorOf(message);
      return { removed: message.removed };
    },
    async erase(request) {
      const message = await question({ kind: "erase", id: nextId(true), request });
      if (message.kind !== "erased") throw errorOf(message);
      return message.erasure;
    },
    async close() {
      closed = true;
      clearTimeout(first);
      clearInterval(timer);
      await thread.close();
    },
  };
  const hold = (): void => {
    if (retention === undefined) return;
    worker.prune(retention).catch((error: unknown) => {
      if (!closed && error instanceof ActivityError) onRetentionError(error);
    });
  };
  const timer = setInterval(hold, HOUR_MS).unref();
  const first = retentionDelayMs > 0 ? setTimeout(hold, retentionDelayMs).unref() : undefined;
  if (first === undefined) hold();
  return worker;
}

function forward(
  thread: Thread,
  id: number,
  asked: { readonly question: ActivityQuestion; readonly settings: RolloutSettings | undefined },
  signal: AbortSignal | undefined,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    let body: ReadableStreamDefaultController<Uint8Array> | undefined;
    const stream = new ReadableStream<Uint8Array>(
      {
        start(controller) {
          body = controller;
        },
        pull: () => thread.tell({ kind: "pull", id }),
        cancel() {
          finish();
          thread.cancel(id);
        },
      },
      // Nothing is requested before the body is read.
      { highWaterMark: 0 },
    );
    const finish = (): void => {
      thread.forget(id);
      signal?.removeEventListener("abort", abort);
    };
    const fail = (error: ActivityError): void => {
      finish();
      reject(error);
      body?.error(error);
    };
    const abort = (): void => {
      thread.cancel(id);
      fail(new ActivityError("CLOSED", "The request was ended by its client."));
    };
    const answer = (message: FromWorker): void => {
      if (message.kind === "head") {
        const headers = message.headers.map(([name, value]): [string, string] => [name, value]);
        resolve(new Response(stream, { status: message.status, headers }));
      } else if (message.kind === "piece" && message.bytes !== null) {
        body?.enqueue(message.bytes);
      } else if (message.kind === "piece") {
        finish();
        body?.close();
      } else {
        fail(errorOf(message));
      }
    };
    if (signal?.aborted === true) {
      abort();
      return;
    }
    signal?.addEventListener("abort", abort, { once: true });
    thread.ask({ kind: "request", id, ...asked }, { answer, fail });
  });
}

function errorOf(message: FromWorker): ActivityError {
  if (message.kind !== "error") return new ActivityError("READER_ENDED", "It answered wrongly.");
  return new ActivityError(message.code ?? "DATABASE_UNREADABLE", message.message);
}
