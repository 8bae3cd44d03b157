import type { AlertFact, OperationFact } from "./facts.ts";
import { beginOperation, type OperationParts } from "./operation.ts";
import { Packer } from "./pack.ts";
import { type PackedBatch, type Segment, segment } from "./packed.ts";
import type { CheckFact, ServerTelemetry } from "./telemetry.ts";

/** Facts are handed on once a segment is full, or after so long. */
const FLUSH_MS = 200;
/** Batches that nobody has taken yet; beyond it facts are dropped, and counted. */
const MAX_OPEN = 32;

export interface RecorderOptions {
  /** Takes a batch; {@link Recorder.taken} is due for it. */
  readonly send: (batch: PackedBatch) => void;
  /** Milliseconds on a clock that never goes back. */
  readonly now?: () => number;
}

/**
 * Gathers facts in the thread that relays messages, and hands them on in batches: what they are
 * counted and exported by runs elsewhere, and its cost is not in the way of a call.
 */
export class Recorder {
  readonly #send: (batch: PackedBatch) => void;
  readonly #now: () => number;
  /** Of the batches that are being read, the oldest first; undefined where one had no facts. */
  readonly #open: (Segment | undefined)[] = [];
  readonly #free: Segment[] = [];
  #packer: Packer | undefined;
  #cache: { readonly size: number } | undefined;
  readonly #alerts: Map<string, AlertFact> = new Map();
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
        this.#room(characters(fact))?.operation(fact);
      },
    };
    return {
      now: this.#now,
      begin: (from, frame, who) => beginOperation(parts, from, frame, who),
      checked: (check) => this.#checked(check),
      appended: (began) => {
        if (began !== undefined) this.#room()?.duration("append", this.#now() - began);
      },
    };
  }

  compiled(milliseconds: number): void {
    this.#room()?.duration("compile", milliseconds);
  }

  /** Few: they do not go into a segment, and none is dropped. */
  alerted(when: AlertFact["when"], outcome: AlertFact["outcome"]): void {
    const key = `${when} ${outcome}`;
    const { count = 0 } = this.#alerts.get(key) ?? {};
    this.#alerts.set(key, { when, outcome, count: count + 1 });
    this.#flushSoon();
  }

  watchCache(cache: { readonly size: number }): void {
    this.#cache = cache;
  }

  /** The oldest batch has been taken: its memory is free for others. */
  taken(): void {
    const read = this.#open.shift();
    if (read !== undefined) this.#free.push(read);
  }

  /** Hands on what there is, also where that is nothing but the state of things. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const packer = this.#packer;
    const cached = this.#cache?.size;
    const epoch = Date.now() - performance.now();
    const alerts = [...this.#alerts.values()];
    const beside = { epoch, alerts, cached, dropped: this.#dropped };
    this.#alerts.clear();
    this.#packer = undefined;
    this.#dropped = 0;
    this.#open.push(packer?.segment);
    this.#send(packer?.packed(beside) ?? { ...beside, words: 0, names: [], checks: [] });
  }

  #checked(check: CheckFact): number {
    const now = this.#now();
    const { began } = check;
    this.#room()?.check(check, began === undefined ? 0 : now - began);
    return now;
  }

  /**
   * Where one more fact is to be written; undefined, and it is counted as dropped, where too many
   * wait. Sees to it that it is handed on.
   * @param text UTF-16 code units of the text that comes with it
   */
  #room(text = 0): Packer | undefined {
    if (this.#packer !== undefined) {
      if (this.#packer.fits(text)) return this.#packer;
      this.flush();
    }
    if (this.#open.length >= MAX_OPEN) {
      this.#dropped += 1;
      return undefined;
    }
    this.#packer = new Packer(this.#free.pop() ?? segment());
    this.#flushSoon();
    return this.#packer;
  }

  #flushSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      // If nobody takes batches, the numbers of alerts wait for the next one.
      if (this.#open.length < MAX_OPEN) this.flush();
    }, FLUSH_MS).unref();
  }
}

function characters({ id, requestId, uri, meta, ending, answer }: OperationFact): number {
  return (
    (id?.length ?? 0) +
    (requestId?.length ?? 0) +
    (uri?.length ?? 0) +
    (meta?.length ?? 0) +
    (ending.message?.length ?? 0) +
    (answer?.message?.length ?? 0)
  );
}
