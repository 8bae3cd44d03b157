import type { AlertFact, CheckGroup, FactBatch, OperationFact } from "./facts.ts";
import { beginOperation, type OperationParts } from "./operation.ts";
import type { CheckFact, ServerTelemetry } from "./telemetry.ts";

/** How long facts wait before they are sent, in milliseconds, unless a batch is full. */
const FLUSH_MS = 200;
/** How many facts a batch has, and about how many characters of text. */
const MAX_FACTS = 512;
const MAX_TEXT = 65_536;
/** How many batches may be unread; further facts are dropped and counted. */
const MAX_OPEN = 64;

export interface RecorderOptions {
  /** Sends a batch; {@link Recorder.taken} must follow. */
  readonly send: (batch: FactBatch) => void;
  /** A monotonic clock, in milliseconds. */
  readonly now?: () => number;
}

/** The batch that new facts are added to. */
interface Filling {
  readonly operations: OperationFact[];
  readonly checks: CheckGroup[];
  readonly appends: number[];
  readonly compiles: number[];
  facts: number;
  text: number;
}

const empty = (): Filling => ({
  operations: [],
  checks: [],
  appends: [],
  compiles: [],
  facts: 0,
  text: 0,
});

/**
 * Collects facts in the thread that relays messages, and sends them in batches. Another thread counts and exports
 * them, so that no call waits for it.
 */
export class Recorder {
  readonly #send: (batch: FactBatch) => void;
  readonly #now: () => number;
  #filling: Filling | undefined;
  /** Batches that were sent and not taken yet. */
  #open = 0;
  #cache: { readonly size: number } | undefined;
  readonly #alerts: Map<string, AlertFact> = new Map();
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor({ send, now = () => performance.now() }: RecorderOptions) {
    this.#send = send;
    this.#now = now;
  }

  /** Returns the recorder of facts for one server. */
  server(name: string): ServerTelemetry {
    const parts: OperationParts = {
      server: name,
      now: this.#now,
      take: (fact) => void this.#room(characters(fact))?.operations.push(fact),
    };
    return {
      now: this.#now,
      begin: (from, frame, who) => beginOperation(parts, from, frame, who),
      checked: (check) => this.#checked(check),
      appended: (began) => {
        if (began !== undefined) this.#room()?.appends.push(this.#now() - began);
      },
    };
  }

  compiled(milliseconds: number): void {
    this.#room()?.compiles.push(milliseconds);
  }

  /** Counts an alert. Alerts are rare, so none is dropped. */
  alerted(when: AlertFact["when"], outcome: AlertFact["outcome"]): void {
    const key = `${when} ${outcome}`;
    const { count = 0 } = this.#alerts.get(key) ?? {};
    this.#alerts.set(key, { when, outcome, count: count + 1 });
    this.#flushSoon();
  }

  watchCache(cache: { readonly size: number }): void {
    this.#cache = cache;
  }

  /** Notes that the oldest batch was taken. */
  taken(): void {
    this.#open -= 1;
  }

  /** Sends the facts so far, even if the only fact is the size of the cache. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { operations, checks, appends, compiles } = this.#filling ?? empty();
    const epoch = Date.now() - performance.now();
    const alerts = [...this.#alerts.values()];
    const cached = this.#cache?.size;
    const dropped = this.#dropped;
    this.#alerts.clear();
    this.#filling = undefined;
    this.#dropped = 0;
    this.#open += 1;
    this.#send({ epoch, operations, checks, appends, compiles, alerts, cached, dropped });
  }

  #checked(check: CheckFact): number {
    const now = this.#now();
    const { direction, mode, outcome, decision, rule = "none", guard, repeated, began } = check;
    const groups = this.#room()?.checks;
    if (groups === undefined) return now;
    // There are few groups: a search is faster than building a key.
    let group = groups.find(
      (known) =>
        known.direction === direction &&
        known.outcome === outcome &&
        known.decision === decision &&
        known.mode === mode &&
        known.rule === rule &&
        known.guard === guard &&
        known.repeated === repeated,
    );
    if (group === undefined) {
      group = { direction, mode, outcome, decision, rule, guard, repeated, durations: [] };
      groups.push(group);
    }
    group.durations.push(began === undefined ? 0 : now - began);
    return now;
  }

  /**
   * Returns the batch that takes one more fact. If too many batches are unread, returns undefined and counts the fact
   * as dropped.
   * @param text characters of the fact
   */
  #room(text = 0): Filling | undefined {
    let filling = this.#filling;
    if (filling !== undefined && (filling.facts >= MAX_FACTS || filling.text >= MAX_TEXT)) {
      this.flush();
      filling = undefined;
    }
    if (filling === undefined) {
      if (this.#open >= MAX_OPEN) {
        this.#dropped += 1;
        return undefined;
      }
      filling = empty();
      this.#filling = filling;
      this.#flushSoon();
    }
    filling.facts += 1;
    filling.text += text;
    return filling;
  }

  #flushSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      // If no reader takes batches, the alert counts are kept for the next batch.
      if (this.#open < MAX_OPEN) this.flush();
    }, FLUSH_MS).unref();
  }
}

function characters({ id, uri, meta, listed, ending, answer }: OperationFact): number {
  return (
    (id?.length ?? 0) +
    (uri?.length ?? 0) +
    (meta?.length ?? 0) +
    (listed?.length ?? 0) +
    (ending.message?.length ?? 0) +
    (answer?.message?.length ?? 0)
  );
}
