import { setImmediate as nextTurn } from "node:timers/promises";
import type { UnsealedRecord } from "./chain.ts";
import { type ActivityRecord, BODY_FIELDS } from "./record.ts";

/** Most records of one transaction, which must not block the event loop for long. */
const MAX_GROUP = 512;
/** Most characters of bodies in one transaction, unless a single append has more: each append is one statement. */
const MAX_BODIES = 16_777_216;

interface Waiting {
  readonly entries: readonly UnsealedRecord[];
  readonly resolve: (records: readonly ActivityRecord[]) => void;
  readonly reject: (error: unknown) => void;
}

/** Appends that wait for their transaction. */
export interface CommitQueue {
  /** Resolves with the records after their transaction is committed; rejects with its error. */
  add(entries: readonly UnsealedRecord[]): Promise<readonly ActivityRecord[]>;
  /** Resolves when nothing waits. Never rejects. */
  idle(): Promise<void>;
}

/**
 * Group commit: appends that arrive during a transaction, or in the same turn of the event loop, go into the next one
 * together, in order. An append is never split; if a transaction fails, all its appends fail.
 *
 * @param options.write commits entries as one transaction and returns their records in order
 * @param options.group false gives every append its own transaction
 * @param options.hungMs a failure after this many milliseconds means that the store hangs: all waiting appends fail
 *   with it, because each group would wait as long again. Absent: never.
 */
export function createCommitQueue(options: {
  readonly group: boolean;
  readonly write: (entries: readonly UnsealedRecord[]) => Promise<readonly ActivityRecord[]>;
  readonly hungMs?: number;
}): CommitQueue {
  const { hungMs = Infinity } = options;
  let waiting: Waiting[] = [];
  let running: Promise<void> | undefined;

  /** Returns the appends of the next transaction: the first one, and as many more as fit. */
  function nextGroup(): readonly Waiting[] {
    let records = 0;
    let bodies = 0;
    let size = 0;
    for (const { entries } of waiting) {
      records += entries.length;
      for (const entry of entries) bodies += bodiesOf(entry);
      const full = records > MAX_GROUP || bodies > MAX_BODIES;
      if (size > 0 && (!options.group || full)) break;
      size += 1;
    }
    const group = waiting.slice(0, size);
    waiting = waiting.slice(size);
    return group;
  }

  async function write(group: readonly Waiting[]): Promise<void> {
    const begun = performance.now();
    try {
      const records = await options.write(group.flatMap(({ entries }) => entries));
      let at = 0;
      for (const { entries, resolve } of group) {
        resolve(records.slice(at, at + entries.length));
        at += entries.length;
      }
    } catch (error) {
      const hung = performance.now() - begun >= hungMs;
      for (const { reject } of hung ? [...group, ...waiting.splice(0)] : group) reject(error);
    }
  }

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      await nextTurn();
      await write(nextGroup());
    }
    running = undefined;
  }

  return {
    add: (entries) =>
      new Promise((resolve, reject) => {
        waiting.push({ entries, resolve, reject });
        running ??= drain();
      }),
    async idle() {
      while (running !== undefined) await running;
    },
  };
}

function bodiesOf(record: Partial<ActivityRecord>): number {
  return BODY_FIELDS.reduce((sum, name) => sum + String(record[name] ?? "").length, 0);
}
