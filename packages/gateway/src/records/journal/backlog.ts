import { createFolder } from "./fold.ts";
import { FoldThread } from "./thread.ts";

/** What may be in the journal before it is folded in the next pause, unless somebody reads before. */
const FOLD_BYTES = 1024 * 1024;
/** Nothing is appended for so long in a pause, in milliseconds. */
const PAUSE_MS = 200;
/** How much more may be there before it is folded without a pause: what a reader folds in a second. */
const LOADED_BYTES = 64 * 1024 * 1024;
/** What may be in the journal before appends wait until it is folded. */
const MOST_BYTES = 256 * 1024 * 1024;
/** What is folded at the end, when nobody wants to wait; the next reader or writer folds the rest. */
const CLOSE_BYTES = 2 * 1024 * 1024;
const CLOSE_MS = 1_000;

/** What is in this process's journal and not in the database yet. */
export interface Backlog {
  /** Notes bytes that were appended. */
  add(bytes: number): void;
  /**
   * Undefined if there is room for more; else resolves when there is.
   * @throws ActivityError where it rejects: the database could not take what is in the journal
   */
  room(): Promise<void> | undefined;
  /** Folds what can be folded in a moment. Never rejects: what is left is safe where it is. */
  close(): Promise<void>;
}

/**
 * Folds the journal in a thread of its own, whenever enough is in it. It waits for a pause, since
 * its work takes a processor from the calls of a moment that has many of them.
 *
 * @param chain the chain of this process
 */
export function createBacklog(database: string, chain: string): Backlog {
  const thread = new FoldThread({ database, chain });
  let unfolded = 0;
  /** How much has to be there for the next fold: more where the last one failed. */
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
    // What hinders it is told if there is no more room.
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
        // The next reader or writer folds it, and is told what hinders that.
      }
    },
  };
}
