import { type Answer, ApiError } from "../api/client.ts";
import type { Progress } from "../api/progress.ts";

/** One request about a tool, and how far it is. */
export interface Run {
  readonly id: number;
  readonly kind: "validate" | "call";
  /** The text that was sent. */
  readonly sent: string;
  /** When it was sent, in milliseconds since the epoch. */
  readonly at: number;
  readonly isRunning: boolean;
  readonly answer?: Answer;
  /** How far it is, if the server reports it. */
  readonly progress?: Progress;
  /** Why there is no answer. */
  readonly error?: string;
}

/** Runs of one tool that are kept, and characters of their answers together. */
const MAX_RUNS = 20;
const MAX_CHARACTERS = 20_000_000;
const NONE: readonly Run[] = [];

/**
 * The requests about each tool, newest first: kept while the page is open, so that they are still there when somebody
 * comes back to a tool, and stored nowhere. Of one tool one request runs at a time; another one ends it.
 */
export class Runs {
  readonly #runs = new Map<string, readonly Run[]>();
  readonly #running = new Map<string, AbortController>();
  readonly #listeners = new Set<() => void>();
  readonly #now: () => number;
  #last = 0;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The same list until something changes. */
  of(tool: string): readonly Run[] {
    return this.#runs.get(tool) ?? NONE;
  }

  #set(tool: string, runs: readonly Run[]): void {
    this.#runs.delete(tool);
    this.#runs.set(tool, runs.slice(0, MAX_RUNS));
    this.#forget();
    for (const listener of this.#listeners) listener();
  }

  /** Forgets the answers of the tools that were used the longest ago. */
  #forget(): void {
    let left = MAX_CHARACTERS;
    const newest = [...this.#runs.values()].at(-1)?.[0];
    for (const [tool, runs] of [...this.#runs].toReversed()) {
      const kept = runs.filter((run) => {
        left -= (run.answer?.text.length ?? 0) + run.sent.length;
        return run.isRunning || left >= 0 || run === newest;
      });
      if (kept.length === 0) this.#runs.delete(tool);
      else if (kept.length < runs.length) this.#runs.set(tool, kept);
    }
  }

  /**
   * Sends a request, and keeps what comes of it.
   * @param ask of the server; it rejects with {@link ApiError}, or as aborted
   */
  async start(
    tool: string,
    kind: Run["kind"],
    sent: string,
    ask: (signal: AbortSignal, onProgress: (progress: Progress) => void) => Promise<Answer>,
  ): Promise<void> {
    this.stop(tool);
    const controller = new AbortController();
    this.#running.set(tool, controller);
    const run: Run = { id: ++this.#last, kind, sent, at: this.#now(), isRunning: true };
    this.#set(tool, [run, ...this.of(tool)]);
    const change = (more: Partial<Run>): void => {
      if (controller.signal.aborted) return;
      const changed = this.of(tool).map((each) =>
        each.id === run.id ? { ...each, ...more } : each,
      );
      this.#set(tool, changed);
    };
    try {
      const answer = await ask(controller.signal, (progress) => change({ progress }));
      change({ isRunning: false, answer });
    } catch (thrown) {
      const error = thrown instanceof ApiError ? thrown.message : "The request could not be made.";
      change({ isRunning: false, error });
    } finally {
      if (this.#running.get(tool) === controller) this.#running.delete(tool);
    }
  }

  /** Ends what is running: nobody waits for its answer any more. */
  stop(tool: string): void {
    const controller = this.#running.get(tool);
    if (controller === undefined) return;
    controller.abort();
    this.#running.delete(tool);
    const error = "Canceled. The server was asked to stop. What the tool has done by then stays.";
    this.#set(
      tool,
      this.of(tool).map((run) => (run.isRunning ? { ...run, isRunning: false, error } : run)),
    );
  }

  /** Forgets what is not running. */
  clear(tool: string): void {
    this.#set(
      tool,
      this.of(tool).filter(({ isRunning }) => isRunning),
    );
  }
}
