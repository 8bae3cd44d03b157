import { SpanBytes } from "./span-bytes.ts";

/** As the Batch Span Processor of OpenTelemetry's SDK has them. */
export interface SpanQueueSettings {
  /** Spans that wait; beyond it they are dropped, and told of. */
  readonly maxQueueSize: number;
  /** Spans of one export. */
  readonly maxExportBatchSize: number;
  /** How long spans wait for more of them, in milliseconds. */
  readonly scheduleDelay: number;
}

export interface SpanQueueParts {
  readonly settings: SpanQueueSettings;
  /** Sends so many spans. Rejects where they are lost. */
  readonly send: (spans: Uint8Array, count: number) => Promise<void>;
  readonly warn: (message: string) => void;
}

interface Batch {
  readonly spans: Uint8Array;
  readonly count: number;
}

/** Gathers spans into batches and sends one after the other. What waits is bounded; loss is told. */
export class SpanQueue {
  readonly #parts: SpanQueueParts;
  readonly #bytes: SpanBytes = new SpanBytes();
  #full: Batch[] = [];
  #waiting = 0;
  #sending: Promise<void> | undefined;
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: SpanQueueParts) {
    this.#parts = parts;
  }

  /** Writes the spans of one operation; where too many wait, they are not even written. */
  add(spans: number, ...operation: Parameters<SpanBytes["write"]>): void {
    const { maxQueueSize, maxExportBatchSize, scheduleDelay } = this.#parts.settings;
    if (this.#waiting + spans > maxQueueSize) {
      this.#dropped += spans;
      return;
    }
    if (this.#dropped > 0) {
      this.#parts.warn(`Dropped ${this.#dropped} spans because maxQueueSize reached`);
      this.#dropped = 0;
    }
    this.#bytes.write(...operation);
    this.#waiting += spans;
    if (this.#bytes.spans >= maxExportBatchSize) {
      this.#close();
      this.#next();
    } else {
      this.#timer ??= setTimeout(() => {
        this.#close();
        this.#next();
      }, scheduleDelay).unref();
    }
  }

  /** Sends what is left, also what could not be sent one after the other. Never rejects. */
  async close(): Promise<void> {
    this.#close();
    const left = this.#full.splice(0);
    await Promise.all([this.#sending, ...left.map((batch) => this.#send(batch))]);
  }

  #close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const count = this.#bytes.spans;
    if (count > 0) this.#full.push({ count, spans: this.#bytes.take() });
  }

  #next(): void {
    if (this.#sending !== undefined) return;
    const batch = this.#full.shift();
    if (batch === undefined) return;
    this.#sending = this.#send(batch).then(() => {
      this.#sending = undefined;
      this.#next();
    });
  }

  async #send({ spans, count }: Batch): Promise<void> {
    this.#waiting -= count;
    try {
      await this.#parts.send(spans, count);
    } catch (error) {
      // Without their number: a text that repeats itself is told once.
      this.#parts.warn(`spans could not be sent: ${String(error)}`);
    }
  }
}
