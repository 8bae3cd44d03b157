import { ApiError, type ApiResponse } from "../api/client.ts";
import type { Progress } from "../api/progress.ts";

/** One request about a tool, and its state. */
export interface Run {
  readonly id: number;
  readonly kind: "validate" | "call";
  /** The text that was sent. */
  readonly sent: string;
  /** When it was sent, in milliseconds since the epoch. */
  readonly at: number;
  readonly isRunning: boolean;
  readonly answer?: ApiResponse;
  /** Its progress, if the server reports it. */
  readonly progress?: Progress;
  /** Why there is no response. */
  readonly error?: string;
}

/** Maximum runs kept per tool, and maximum total characters of responses. */
const MAX_RUNS = 20;
const MAX_CHARACTERS = 20_000_000;
const NONE: readonly Run[] = [];

/**
 * The requests about each tool, newest first. They are kept in memory while the page is open, so that they are still
 * there when the user returns to a tool. Each tool runs one request at a time; a new request ends the previous one.
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

  /** Drops runs of the least recently used tools if too much is kept. */
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
   * Sends a request and keeps its outcome.
   * @param ask sends the request to the server; rejects with {@link ApiError}, or because it was aborted
   */
  async start(
    tool: string,
    kind: Run["kind"],
    sent: string,
    ask: (signal: AbortSignal, onProgress: (progress: Progress) => void) => Promise<ApiResponse>,
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

  /** Ends the running request: its response is no longer needed. */
  stop(tool: string): void {
    const controller = this.#running.get(tool);
    if (controller === undefined) return;
    controller.abort();
    this.#running.delete(tool);
    const error =
      "Canceled. The server was asked to stop. What the tool did until then is not undone.";
    this.#set(
      tool,
      this.of(tool).map((run) => (run.isRunning ? { ...run, isRunning: false, error } : run)),
    );
  }

  /** Drops all requests that are not running. */
  clear(tool: string): void {
    this.#set(
      tool,
      this.of(tool).filter(({ isRunning }) => isRunning),
    );
  }
}
