import type { BodySettings } from "../build.ts";
import { CHAIN_START, type UnsealedRecord } from "../chain.ts";
import { ActivityError } from "../errors.ts";
import type { ActivityEntry, ActivityLog, ActivityRecord } from "../record.ts";
import { RecordBuilder } from "../record-builder.ts";
import { writeFault } from "../sqlite/faults.ts";
import type { Backlog } from "./backlog.ts";
import { BatchLine } from "./batch-line.ts";
import { Journal } from "./journal.ts";

export interface JournalWriterOptions {
  /** The database for folding. */
  readonly path: string;
  /** Id of the chain that this writer alone appends to. */
  readonly chain: string;
  readonly sync: "normal" | "full";
  /** Default: the present. */
  readonly now?: (() => Date) | undefined;
  /** Absent if arguments and results are not kept. */
  readonly bodies?: BodySettings | undefined;
  /** Whether to combine appends into one write; default: true. */
  readonly group?: boolean | undefined;
  /**
   * Which appends to combine: those of one callback, or of a whole turn of the event loop, which are more if many
   * connections send them. Default: `callback`.
   */
  readonly within?: "callback" | "turn" | undefined;
  /** Folds the journal. */
  readonly backlog: Pick<Backlog, "add" | "room">;
}

interface Waiting {
  readonly entries: readonly UnsealedRecord[];
  readonly resolve: (records: readonly ActivityRecord[]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Appends records to one chain, in a journal. The appends of one callback or turn of the event loop, and those that
 * arrive during a flush, share a write. The chain is in the order of the calls.
 */
export function createJournalWriter(options: JournalWriterOptions): ActivityLog {
  const { path, chain, sync, bodies, group = true, within, backlog } = options;
  const { now = () => new Date() } = options;
  const journal = new Journal({ database: path, chain, sync });
  const line = new BatchLine();
  const builder = new RecordBuilder(now, bodies);
  let records = 0;
  let head = CHAIN_START;
  let waiting: Waiting[] = [];
  let due = false;
  let writing: Promise<void> | undefined;
  let closed = false;

  /** Writes pending appends; returns undefined if that is done and nothing needs to be awaited. */
  function write(appends: readonly Waiting[]): Promise<void> | undefined {
    const written: (readonly ActivityRecord[])[] = [];
    try {
      line.begin(records, head);
      for (const { entries } of appends) written.push(entries.map((entry) => line.add(entry)));
      backlog.add(journal.append(records, line.end()));
    } catch (error) {
      for (const { reject } of appends) reject(writeFault(error, path));
      return undefined;
    }
    head = line.head;
    records += line.records;
    const answer = (): void => {
      for (const [i, { resolve }] of appends.entries()) resolve(written[i] ?? []);
    };
    if (sync === "normal") {
      answer();
      return undefined;
    }
    return journal.flush().then(answer, (error: unknown) => {
      for (const { reject } of appends) reject(writeFault(error, path));
    });
  }

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      try {
        await backlog.room();
      } catch (error) {
        for (const { reject } of waiting.splice(0)) reject(writeFault(error, path));
        continue;
      }
      await write(waiting.splice(0, group ? waiting.length : 1));
    }
    writing = undefined;
  }

  function flush(): void {
    due = false;
    if (writing !== undefined || waiting.length === 0) return;
    if (backlog.room() !== undefined || sync === "full" || !group) {
      writing = drain();
      return;
    }
    const appends = waiting;
    waiting = [];
    void write(appends);
  }

  return {
    append(entries: readonly ActivityEntry[]) {
      if (closed) {
        const text = `The activity log on ${path} is closed.`;
        return Promise.reject(new ActivityError("CLOSED", text));
      }
      if (entries.length === 0) return Promise.resolve([]);
      return new Promise((resolve, reject) => {
        const deliver = (built: readonly UnsealedRecord[]): void => {
          waiting.push({ entries: built, resolve, reject });
          if (due) return;
          due = true;
          // Runs after all synchronous work of this callback or turn.
          if (within === "turn") setImmediate(flush);
          else process.nextTick(flush);
        };
        builder.build(entries, deliver, reject);
      });
    },

    async close() {
      closed = true;
      if (builder.building !== undefined) await builder.building;
      flush();
      await writing;
      journal.close();
    },
  };
}
