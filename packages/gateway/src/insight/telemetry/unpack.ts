import type { Batch, CheckGroup, Ending, OperationFact } from "./facts.ts";
import {
  ANSWER,
  ANSWERED,
  FAILURE_BITS,
  FAILURES,
  FROM_SERVER,
  HAS_CODE,
  HAS_MESSAGE,
  KIND_BITS,
  KIND_MASK,
  KINDS,
  KNOWN,
  type PackedBatch,
  SENT,
  type Segment,
  segment,
  TOOL_FAILED,
} from "./packed.ts";

const WELL: Ending = {};

/** Reads a batch as `Packer` wrote it; nothing of it refers to the segment afterwards. */
export function unpack(packed: PackedBatch): Batch {
  const { memory, epoch, alerts, cached, dropped } = packed;
  if (memory !== undefined) return new Reader(packed, segment(memory)).batch();
  return { epoch, operations: [], checks: [], appends: [], compiles: [], alerts, cached, dropped };
}

class Reader {
  readonly #packed: PackedBatch;
  readonly #segment: Segment;
  #word = 0;
  #moment = 0;
  #text = 0;

  constructor(packed: PackedBatch, from: Segment) {
    this.#packed = packed;
    this.#segment = from;
  }

  batch(): Batch {
    const { words, epoch, alerts, cached, dropped } = this.#packed;
    const operations: OperationFact[] = [];
    const checks = this.#packed.checks.map((kind): CheckGroup => ({ ...kind, durations: [] }));
    const appends: number[] = [];
    const compiles: number[] = [];
    while (this.#word < words) {
      const head = this.#nextWord();
      switch (head & KIND_MASK) {
        case KINDS.operation:
          operations.push(this.#operation(head));
          break;
        case KINDS.check:
          checks[head >> KIND_BITS]?.durations.push(this.#nextMoment());
          break;
        case KINDS.append:
          appends.push(this.#nextMoment());
          break;
        default:
          compiles.push(this.#nextMoment());
      }
    }
    return { epoch, operations, checks, appends, compiles, alerts, cached, dropped };
  }

  /** Member by member in the order in which they were written. */
  #operation(head: number): OperationFact {
    return {
      from: (head & FROM_SERVER) === 0 ? "client" : "server",
      known: (head & KNOWN) !== 0,
      began: this.#nextMoment(),
      ended: this.#nextMoment(),
      sent: (head & SENT) === 0 ? undefined : this.#nextMoment(),
      answered: (head & ANSWERED) === 0 ? undefined : this.#nextMoment(),
      server: this.#name() ?? "",
      method: this.#name() ?? "",
      target: this.#name(),
      revision: this.#name(),
      session: this.#name(),
      decision: this.#name() as OperationFact["decision"],
      outcome: this.#name() as OperationFact["outcome"],
      direction: this.#name() as OperationFact["direction"],
      id: this.#string(),
      requestId: this.#string(),
      uri: this.#string(),
      meta: this.#string(),
      ending: this.#ending(),
      answer: (head & ANSWER) === 0 ? undefined : this.#ending(),
    };
  }

  #ending(): Ending {
    const bits = this.#nextWord();
    if (bits === 0) return WELL;
    const failure = FAILURES[(bits >> FAILURE_BITS) - 1];
    const code = (bits & HAS_CODE) === 0 ? undefined : this.#nextMoment();
    const message = (bits & HAS_MESSAGE) === 0 ? undefined : this.#string();
    return {
      ...((bits & TOOL_FAILED) === 0 ? {} : { toolError: true }),
      ...(code === undefined ? {} : { code }),
      ...(message === undefined ? {} : { message }),
      ...(failure === undefined ? {} : { failure }),
    };
  }

  #name(): string | undefined {
    return this.#packed.names[this.#nextWord() - 1];
  }

  #string(): string | undefined {
    const bytes = this.#nextWord() - 1;
    if (bytes < 0) return undefined;
    const start = this.#text;
    this.#text += bytes;
    return this.#segment.text.toString("utf8", start, this.#text);
  }

  #nextWord(): number {
    const word = this.#segment.words[this.#word] ?? 0;
    this.#word += 1;
    return word;
  }

  #nextMoment(): number {
    const moment = this.#segment.moments[this.#moment] ?? 0;
    this.#moment += 1;
    return moment;
  }
}
