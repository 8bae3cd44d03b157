import type { Batch, CheckGroup, OperationFact } from "./facts.ts";
import { beginOperation, type OperationParts } from "./operation.ts";
import type { CheckFact, ServerTelemetry } from "./telemetry.ts";

/** Facts are handed on once there are so many (a call makes about seven), or after so long. */
const MAX_FACTS = 2_048;
const FLUSH_MS = 200;
/** Batches that nobody has taken yet; beyond it facts are dropped, and counted. */
const MAX_OPEN = 32;

export interface RecorderOptions {
  /** Takes a batch; {@link Recorder.taken} is due for it. */
  readonly send: (batch: Batch) => void;
  /** Milliseconds on a clock that never goes back. */
  readonly now?: () => number;
}

/**
 * Gathers facts in the thread that relays messages, and hands them on in batches: what they are
 * counted and exported by runs elsewhere, and its cost is not in the way of a call.
 */
export class Recorder {
  readonly #send: (batch: Batch) => void;
  readonly #now: () => number;
  /** Few: they are looked through faster than a key is made. */
  #checks: CheckGroup[] = [];
  #operations: OperationFact[] = [];
  #appends: number[] = [];
  #compiles: number[] = [];
  #cache: { readonly size: number } | undefined;
  #facts = 0;
  #open = 0;
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor({ send, now = () => performance.now() }: RecorderOptions) {
    this.#send = send;
    this.#now = now;
  }

  /** What is told of one server. */
  server(name: string): ServerTelemetry {
    const parts: OperationParts = {
      server: name,
      now: this.#now,
      take: (fact) => {
        if (this.#admits()) this.#operations.push(fact);
      },
    };
    return {
      now: this.#now,
      begin: (from, frame, who) => beginOperation(parts, from, frame, who),
      checked: (check) => this.#checked(check),
      appended: (milliseconds) => {
        if (this.#admits()) this.#appends.push(milliseconds);
      },
    };
  }

  compiled(milliseconds: number): void {
    if (this.#admits()) this.#compiles.push(milliseconds);
  }

  watchCache(cache: { readonly size: number }): void {
    this.#cache = cache;
  }

  /** A batch has been taken. */
  taken(): void {
    this.#open -= 1;
  }

  /** Hands on what there is, also where that is nothing but the state of things. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const batch: Batch = {
      epoch: Date.now() - performance.now(),
      operations: this.#operations,
      checks: this.#checks,
      appends: this.#appends,
      compiles: this.#compiles,
      cached: this.#cache?.size,
      dropped: this.#dropped,
    };
    this.#operations = [];
    this.#appends = [];
    this.#compiles = [];
    this.#checks = [];
    this.#facts = 0;
    this.#dropped = 0;
    this.#open += 1;
    this.#send(batch);
  }

  #checked(check: CheckFact): void {
    const { direction, mode, outcome, guard, began } = check;
    const now = this.#now();
    if (!this.#admits()) return;
    const rule: CheckGroup["rule"] = check.rule ?? "none";
    const took = began === undefined ? 0 : now - began;
    for (const group of this.#checks) {
      if (
        group.direction === direction &&
        group.outcome === outcome &&
        group.mode === mode &&
        group.rule === rule &&
        group.guard === guard
      ) {
        group.durations.push(took);
        return;
      }
    }
    this.#checks.push({ direction, mode, outcome, rule, guard, durations: [took] });
  }

  /** Whether one more fact is taken; sees to it that it is handed on. */
  #admits(): boolean {
    if (this.#open >= MAX_OPEN) {
      this.#dropped += 1;
      return false;
    }
    this.#facts += 1;
    // Behind the fact that is being added.
    if (this.#facts === MAX_FACTS) queueMicrotask(() => this.flush());
    else this.#timer ??= setTimeout(() => this.flush(), FLUSH_MS).unref();
    return true;
  }
}
