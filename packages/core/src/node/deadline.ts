/// <reference types="node" />
import { type Deadline, DeadlineError } from "../schema/deadline.ts";
import { processorTime } from "./processor.ts";

interface Slot {
  task: (() => unknown) | undefined;
  result: unknown;
}

// Not imported: bundlers for edge runtimes, where it is not there, would put the import first of all.
const { Script } = process.getBuiltinModule("node:vm");

const KEY = Symbol.for("touchstone.deadline");
const slot: Slot = { task: undefined, result: undefined };
const globals = globalThis as { [KEY]?: Slot };

// The script runs in this context, so that it calls the task as it is: nothing is copied.
const script = new Script(`{
  const slot = globalThis[Symbol.for("touchstone.deadline")];
  const { task } = slot;
  slot.task = undefined;
  slot.result = task();
}`);

/** How often a task is begun at most, each time with twice the time on the clock. */
const ATTEMPTS = 4;
/** What of its time a task has had of the processor where it ran alone; the rest is the timer's. */
const OWN_SHARE = 0.9;

/**
 * Ends a task on Node's main thread or in a worker by the timeout of `vm.Script`, at a cost of some
 * 15 µs. It interrupts JavaScript and regular expressions; V8 does not obey it inside some natives
 * (`JSON.parse`, `Array.prototype.sort`), so sizes are to be bounded first. Tasks may nest. A task
 * must be synchronous: what it leaves to the event loop is not bounded. Where others had the processor
 * meanwhile, it is begun again: its time is what it takes itself, or good checks would fail on a busy machine.
 */
export const nodeDeadline: Deadline = {
  run<T>(milliseconds: number, task: () => T): T {
    for (let attempt = 1; ; attempt += 1) {
      const began = processorTime();
      try {
        return runOnce(milliseconds * 2 ** (attempt - 1), task);
      } catch (thrown) {
        if (!isTimeout(thrown)) throw thrown;
        const ownTime = processorTime() - began >= milliseconds * OWN_SHARE;
        if (ownTime || attempt === ATTEMPTS) throw new DeadlineError(milliseconds);
      }
    }
  },
};

function runOnce<T>(milliseconds: number, task: () => T): T {
  globals[KEY] = slot;
  slot.task = task;
  try {
    script.runInThisContext({ timeout: Math.max(1, Math.ceil(milliseconds)) });
    return slot.result as T;
  } finally {
    slot.task = undefined;
    slot.result = undefined;
  }
}

function isTimeout(thrown: unknown): boolean {
  const code = (thrown as { code?: unknown } | null | undefined)?.code;
  return thrown instanceof Error && code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
}
