import type { AlertFact, CheckKind } from "./facts.ts";
import type { Failure } from "./telemetry.ts";

/** What there is room for; some 500 tool calls. */
const MOMENTS = 4_608;
const WORDS = 10_240;
const TEXT_BYTES = 49_152;

/** What begins a fact among the words. The bits above {@link KIND_BITS} belong to each kind. */
export const KINDS: Readonly<Record<"append" | "check" | "compile" | "operation", number>> = {
  operation: 0,
  check: 1,
  append: 2,
  compile: 3,
};
export const KIND_BITS = 2;
export const KIND_MASK: number = (1 << KIND_BITS) - 1;

/** Bits of an operation's first word: who began it, and which of its members are there. */
export const FROM_SERVER: number = 1 << 2;
export const KNOWN: number = 1 << 3;
export const SENT: number = 1 << 4;
export const ANSWERED: number = 1 << 5;
export const ANSWER: number = 1 << 6;

/** Bits of an ending's first word; above them stands its failure, one more than its place in the list. */
export const TOOL_FAILED = 1;
export const HAS_CODE = 2;
export const HAS_MESSAGE = 4;
export const FAILURE_BITS = 3;
export const FAILURES: readonly Failure[] = [
  "cancelled",
  "connection_lost",
  "refused",
  "timeout",
  "too_large",
];

/**
 * Memory that both threads see, filled by one and then read by the other. Numbers and text lie in it
 * side by side, in the order in which the facts were told; to clone objects would cost both threads
 * more than all the rest.
 */
export interface Segment {
  readonly memory: SharedArrayBuffer;
  readonly moments: Float64Array;
  readonly words: Int32Array;
  readonly text: Buffer;
}

/** A filled segment, and what is told of it beside. */
export interface PackedBatch {
  /** What makes a time in here one of the Unix epoch, in milliseconds. */
  readonly epoch: number;
  /** Absent where there are no facts. */
  readonly memory?: SharedArrayBuffer;
  readonly alerts: readonly AlertFact[];
  /** How many words are filled. */
  readonly words: number;
  /** Names that many facts have in common, by their place. */
  readonly names: readonly string[];
  /** What checks have in common, by its place. */
  readonly checks: readonly CheckKind[];
  /** Compiled schemas in the cache. */
  readonly cached: number | undefined;
  /** Facts that were dropped since the last batch, because nobody took them in time. */
  readonly dropped: number;
}

/** A view of memory. @param memory by default new, and empty */
export function segment(
  memory: SharedArrayBuffer = new SharedArrayBuffer(MOMENTS * 8 + WORDS * 4 + TEXT_BYTES),
): Segment {
  return {
    memory,
    moments: new Float64Array(memory, 0, MOMENTS),
    words: new Int32Array(memory, MOMENTS * 8, WORDS),
    text: Buffer.from(memory, MOMENTS * 8 + WORDS * 4, TEXT_BYTES),
  };
}
