import { createFolder } from "./fold.ts";
import { FoldThread } from "./thread.ts";

/** How much the journal may contain before the next pause folds it, unless a read does that first. */
const FOLD_BYTES = 1024 * 1024;
/** A pause: how long nothing is appended, in milliseconds. */
const PAUSE_MS = 200;
/** How much the journal may contain before it is folded without a pause: as much as a reader folds in a second. */
const LOADED_BYTES = 64 * 1024 * 1024;
/** How much the journal may contain before appends wait for the fold. */
const MOST_BYTES = 256 * 1024 * 1024;
/** How much to fold when the store is closed, which should not take long; the next reader or writer folds the rest. */
const CLOSE_BYTES = 2 * 1024 * 1024;
const CLOSE_MS = 1_000;

/** The part of this process's journal that is not in the database yet. */
export interface Backlog {
  /** Notes appended bytes. */
  add(bytes: number): void;
  /**
   * Undefined if there is room for more; else resolves when there is.
   * @throws ActivityError by rejecting, if the database could not take the journal
   */
  room(): Promise<void> | undefined;
  /** Folds as much as is possible in a short time. Never rejects: the rest is safe in the journal. */
  close(): Promise<void>;
}

/**
 * Folds the journal in a separate thread, whenever it is long enough. Waits for a pause, because folding would take
 * processor time from the calls of a busy moment.
 */
export function createBacklog(database: string, chain: string): Backlog {
  const thread = new FoldThread({ database, chain });
  let unfolded = 0;
  /** How many bytes the next fold needs; more after a failed one. */
  let enough = FOLD_BYTES;
  let folding: Promise<void> | undefined;
  let closed = false;
  let appended = 0;
  let pause: NodeJS.Timeout | undefined;

  async function fold(): Promise<void> {
    const before = unfolded;
    try {
      const left = await thread.fold();
      unfolded += left - before;
      enough = FOLD_BYTES;
    } catch (error) {
      enough = before + FOLD_BYTES;
      throw error;
    } finally {
      folding = undefined;
    }
    look();
  }

  function start(): Promise<void> {
    folding ??= fold();
    return folding;
  }

  function look(): void {
    if (closed || unfolded < enough || folding !== undefined) return;
    if (unfolded < enough + LOADED_BYTES) awaitPause();
    else startQuietly();
  }

  function awaitPause(): void {
    if (pause !== undefined) return;
    const before = appended;
    pause = setTimeout(() => {
      pause = undefined;
      if (appended !== before) look();
      else if (folding === undefined) startQuietly();
    }, PAUSE_MS).unref();
  }

  function startQuietly(): void {
    // An append reports the cause once there is no more room.
    start().catch(() => {});
  }

  return {
    add(bytes) {
      unfolded += bytes;
      appended += 1;
      look();
    },
    room() {
      return unfolded < MOST_BYTES ? undefined : start();
    },
    async close() {
      closed = true;
      clearTimeout(pause);
      await folding?.catch(() => {});
      await thread.close();
      if (unfolded > CLOSE_BYTES) return;
      try {
        const folder = createFolder(database);
        try {
          await folder.fold({ chain, ended: true, limitMs: CLOSE_MS });
        } finally {
          folder.close();
        }
      } catch {
        // The next reader or writer folds it, and reports what prevents that.
      }
    },
  };
}
