import { type Answer, ApiError } from "../api/client.ts";

/** What was asked of the server about a tool, and how far it is. */
export interface RunState {
  readonly kind: "idle" | "validate" | "call";
  readonly isRunning: boolean;
  /** The text that was sent. */
  readonly sent: string;
  readonly answer?: Answer;
  /** Why there is no answer. */
  readonly error?: string;
}

const IDLE: RunState = { kind: "idle", isRunning: false, sent: "" };
/** Answers may be large, and nobody looks at all of them again. */
const MAX_KEPT = 20;

interface Asked {
  readonly state: RunState;
  readonly controller: AbortController;
}

/**
 * What was asked about each tool, and what came of it: kept while the page is open, so that it is still there
 * when somebody comes back to a tool, and stored nowhere. Of one tool one thing is asked at a time; another
 * one ends it.
 */
export class Runs {
  readonly #asked = new Map<string, Asked>();
  readonly #listeners = new Set<() => void>();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The same object until something changes. */
  get(tool: string): RunState {
    return this.#asked.get(tool)?.state ?? IDLE;
  }

  /** @param ask of the server; it rejects with {@link ApiError}, or as aborted */
  async start(
    tool: string,
    kind: "validate" | "call",
    sent: string,
    ask: (signal: AbortSignal) => Promise<Answer>,
  ): Promise<void> {
    this.#asked.get(tool)?.controller.abort();
    const controller = new AbortController();
    const set = (more: Partial<RunState>): void => {
      if (controller.signal.aborted) return;
      // The latest stand last, so that the first are forgotten.
      this.#asked.delete(tool);
      this.#asked.set(tool, { controller, state: { kind, sent, isRunning: false, ...more } });
      this.#changed();
    };
    set({ isRunning: true });
    try {
      set({ answer: await ask(controller.signal) });
    } catch (thrown) {
      set({
        error: thrown instanceof ApiError ? thrown.message : "The request could not be made.",
      });
    }
  }

  /** Ends what is running: no answer is waited for. */
  stop(tool: string): void {
    this.#asked.get(tool)?.controller.abort();
    this.#asked.delete(tool);
    this.#changed();
  }

  #changed(): void {
    for (const [tool, { state }] of this.#asked) {
      if (this.#asked.size <= MAX_KEPT) break;
      if (!state.isRunning) this.#asked.delete(tool);
    }
    for (const listener of this.#listeners) listener();
  }
}
