import { JobThread, threadProgram } from "@touchstone/util";
import type { DefinitionPair } from "./change-meaning.ts";
import { ActivityError } from "./errors.ts";
import type { MeantChange } from "./response-schemas.ts";

/** How long a comparison may take: with hostile schemas, a single step can take minutes. */
const MAX_MS = 6_000;
/** How many comparisons may wait or run. */
const MAX_WAITING = 16;

/** A thread that compares definitions, one pair at a time. Started when it is needed. */
export class ChangeMeaningThread {
  readonly #thread: JobThread<DefinitionPair, readonly MeantChange[] | null>;

  /** @param maxMs how long one comparison may take, in milliseconds */
  constructor(maxMs: number = MAX_MS) {
    const program = threadProgram("change-meaning-entry", import.meta.url);
    this.#thread = new JobThread({ program, maxMs, maxHeapMb: 256, maxWaiting: MAX_WAITING });
  }

  /**
   * Returns what the differences between two comparable definitions mean; null if there was not enough time.
   * @throws ActivityError `READER_BUSY` if too many others wait, ThreadError if no further thread can start
   */
  async meaningOf(pair: DefinitionPair): Promise<readonly MeantChange[] | null> {
    if (this.#thread.isFull) {
      const text = `${MAX_WAITING} comparisons of definitions are waiting. Ask again later.`;
      throw new ActivityError("READER_BUSY", text);
    }
    return (await this.#thread.run(pair)) ?? null;
  }
}

/** The thread of this process. */
export const changeMeaningThread: ChangeMeaningThread = new ChangeMeaningThread();
