import type { QuestionKind, Questions, Reply } from "./question.ts";

/** How long a question may take before its worker is ended, in milliseconds. */
export const LIMIT_MS = 10_000;

const TOO_LONG = `This took more than ${LIMIT_MS / 1_000} seconds, so the check was stopped. Enter less, or something simpler.`;
const FAILED = "The check failed. Enter less, or something simpler.";

interface Waiting {
  readonly kind: QuestionKind;
  readonly question: Questions[QuestionKind];
  readonly resolve: (reply: Reply<QuestionKind> | undefined) => void;
}

/**
 * Sends questions to a worker, one after the other. A worker that takes too long is terminated, and a new worker
 * answers the next question, so that no text can freeze the page.
 */
export class Checker {
  readonly #start: () => Worker;
  #worker: Worker | undefined;
  #running: (Waiting & { readonly id: number; readonly timer: number }) | undefined;
  /** The waiting questions: only the newest question of each kind is sent. */
  readonly #queue: Map<QuestionKind, Waiting> = new Map();
  #asked = 0;

  constructor(start: () => Worker) {
    this.#start = start;
    this.#worker = this.#started();
  }

  /** Resolves to the answer; to undefined if a newer question of the same kind replaced this one before it was sent. */
  ask<Kind extends QuestionKind>(
    kind: Kind,
    question: Questions[Kind],
  ): Promise<Reply<Kind> | undefined> {
    return new Promise((resolve) => {
      this.#queue.get(kind)?.resolve(undefined);
      const waiting = { kind, question, resolve: resolve as Waiting["resolve"] };
      this.#queue.set(kind, waiting);
      this.#next();
    });
  }

  #started(): Worker {
    const worker = this.#start();
    worker.addEventListener("message", ({ data }) => {
      if (worker === this.#worker && data.id === this.#running?.id) this.#settle(data.reply);
    });
    worker.addEventListener("error", () => {
      if (worker === this.#worker) this.#end(FAILED);
    });
    return worker;
  }

  #next(): void {
    if (this.#running !== undefined) return;
    const [first] = this.#queue.values();
    if (first === undefined) return;
    this.#queue.delete(first.kind);
    this.#asked += 1;
    const id = this.#asked;
    this.#worker ??= this.#started();
    const timer = window.setTimeout(() => this.#end(TOO_LONG), LIMIT_MS);
    this.#running = { ...first, id, timer };
    this.#worker.postMessage({ id, kind: first.kind, question: first.question });
  }

  #end(message: string): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#settle({ ok: false, message });
  }

  #settle(reply: Reply<QuestionKind>): void {
    const running = this.#running;
    this.#running = undefined;
    if (running !== undefined) {
      clearTimeout(running.timer);
      running.resolve(reply);
    }
    this.#next();
  }
}
