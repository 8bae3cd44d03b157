import type { CheckKind, Ending, OperationFact } from "./facts.ts";
import {
  ANSWER,
  ANSWERED,
  FAILURE_BITS,
  FAILURES,
  FROM_SERVER,
  HAS_CODE,
  HAS_MESSAGE,
  KIND_BITS,
  KINDS,
  KNOWN,
  type PackedBatch,
  SENT,
  type Segment,
  TOOL_FAILED,
} from "./packed.ts";
import { MAX_UTF8, writeText } from "./write-text.ts";

/** More than a fact takes: its words and moments, but for its text. */
const MAX_FACT_WORDS = 32;
const MAX_FACT_MOMENTS = 8;

/** Names that an operation has. */
const SLOTS = 8;

const FAILURE_CODES: ReadonlyMap<string, number> = new Map(
  FAILURES.map((failure, i) => [failure, i + 1]),
);

/** Fills a segment. Whoever writes to it has asked {@link Packer.fits} first. */
export class Packer {
  readonly segment: Segment;
  readonly #wordsOut: Int32Array;
  readonly #momentsOut: Float64Array;
  readonly #names: Map<string, number> = new Map();
  /** What stood last where a name stands, and its place: mostly it is the same again. */
  readonly #last: (string | undefined)[] = new Array(SLOTS).fill(undefined);
  readonly #lastAt: number[] = new Array(SLOTS).fill(0);
  /** Few: they are looked through faster than a key is made. */
  readonly #checks: CheckKind[] = [];
  #words = 0;
  #moments = 0;
  #text = 0;

  constructor(into: Segment) {
    this.segment = into;
    this.#wordsOut = into.words;
    this.#momentsOut = into.moments;
  }

  /** What is to be read, and what goes with it. */
  packed(beside: Pick<PackedBatch, "alerts" | "cached" | "dropped" | "epoch">): PackedBatch {
    const { memory } = this.segment;
    const names = [...this.#names.keys()];
    return { ...beside, memory, words: this.#words, names, checks: this.#checks };
  }

  /** Whether there is room for a fact of so many UTF-16 code units. */
  fits(characters = 0): boolean {
    const { words, moments, text } = this.segment;
    return (
      this.#words + MAX_FACT_WORDS <= words.length &&
      this.#moments + MAX_FACT_MOMENTS <= moments.length &&
      this.#text + characters * MAX_UTF8 <= text.length
    );
  }

  operation(fact: OperationFact): void {
    const { answer, answered, direction, from, known, sent } = fact;
    this.#word(
      KINDS.operation |
        (from === "server" ? FROM_SERVER : 0) |
        (known ? KNOWN : 0) |
        (sent === undefined ? 0 : SENT) |
        (answered === undefined ? 0 : ANSWERED) |
        (answer === undefined ? 0 : ANSWER),
    );
    this.#moment(fact.began);
    this.#moment(fact.ended);
    if (sent !== undefined) this.#moment(sent);
    if (answered !== undefined) this.#moment(answered);
    this.#name(0, fact.server);
    this.#name(1, fact.method);
    this.#name(2, fact.target);
    this.#name(3, fact.revision);
    this.#name(4, fact.session);
    this.#name(5, fact.decision);
    this.#name(6, fact.outcome);
    this.#name(7, direction);
    this.#string(fact.id);
    this.#string(fact.requestId);
    this.#string(fact.uri);
    this.#string(fact.meta);
    this.#ending(fact.ending);
    if (answer !== undefined) this.#ending(answer);
  }

  /** A check that ended like others. @param took milliseconds */
  check(check: CheckFact, took: number): void {
    const known = this.#checks;
    let at = 0;
    for (; at < known.length; at += 1) {
      const kind = known[at];
      if (kind !== undefined && isOf(kind, check)) break;
    }
    if (at === known.length) {
      const { direction, mode, outcome, rule = "none", guard } = check;
      known.push({ direction, mode, outcome, rule, guard });
    }
    this.#word(KINDS.check | (at << KIND_BITS));
    this.#moment(took);
  }

  duration(kind: "append" | "compile", milliseconds: number): void {
    this.#word(KINDS[kind]);
    this.#moment(milliseconds);
  }

  #ending({ code, message, toolError, failure }: Ending): void {
    const why = failure === undefined ? 0 : (FAILURE_CODES.get(failure) ?? 0);
    this.#word(
      (toolError === true ? TOOL_FAILED : 0) |
        (code === undefined ? 0 : HAS_CODE) |
        (message === undefined ? 0 : HAS_MESSAGE) |
        (why << FAILURE_BITS),
    );
    // Any number that JSON has.
    if (code !== undefined) this.#moment(code);
    if (message !== undefined) this.#string(message);
  }

  #word(value: number): void {
    this.#wordsOut[this.#words] = value;
    this.#words += 1;
  }

  #moment(value: number): void {
    this.#momentsOut[this.#moments] = value;
    this.#moments += 1;
  }

  /** A text that others are likely to have, too. @param slot where it stands */
  #name(slot: number, name: string | undefined): void {
    if (name === undefined) {
      this.#word(0);
      return;
    }
    if (name === this.#last[slot]) {
      this.#word(this.#lastAt[slot] ?? 0);
      return;
    }
    let at = this.#names.get(name);
    if (at === undefined) {
      at = this.#names.size + 1;
      this.#names.set(name, at);
    }
    this.#last[slot] = name;
    this.#lastAt[slot] = at;
    this.#word(at);
  }

  /** A text of its own: its bytes, and among the words one more than their number. */
  #string(text: string | undefined): void {
    if (text === undefined) {
      this.#word(0);
      return;
    }
    const bytes = writeText(this.segment.text, text, this.#text);
    this.#text += bytes;
    this.#word(bytes + 1);
  }
}

type CheckFact = Omit<CheckKind, "guard" | "rule"> & {
  readonly rule?: CheckKind["rule"] | undefined;
  readonly guard?: CheckKind["guard"];
};

function isOf(kind: CheckKind, { direction, mode, outcome, rule, guard }: CheckFact): boolean {
  return (
    kind.direction === direction &&
    kind.outcome === outcome &&
    kind.mode === mode &&
    kind.rule === (rule ?? "none") &&
    kind.guard === guard
  );
}
