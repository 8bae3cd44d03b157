import { setTimeout as pause } from "node:timers/promises";
import { PageSize, recordsLength } from "./page-size.ts";
import type { ActivityReader, ActivityTail } from "./store.ts";

/** How long to wait if there are no new records. */
const POLL_MS = 250;
/** How many records to read at a time. */
const PAGE = 200;

/**
 * Yields records of all processes as they are committed, each once and in commit order. Other processes send no
 * signal, so it polls the store; each interval yields a step, even without new records.
 *
 * @param options.position where to begin; default: the end
 * @param options.signal ends it
 * @throws ActivityError if the records cannot be read
 */
export async function* followActivity(
  reader: ActivityReader,
  options: {
    readonly position?: string | undefined;
    readonly signal: AbortSignal;
    readonly pollMs?: number | undefined;
  },
): AsyncGenerator<ActivityTail> {
  const { signal, pollMs = POLL_MS } = options;
  let { position } = options;
  const size = new PageSize(PAGE);
  while (!signal.aborted) {
    const limit = size.next;
    const tail = await reader.tail(position, limit);
    position = tail.position;
    const { length } = tail.records;
    size.took(length, recordsLength(tail.records));
    yield tail;
    if (length < limit) await pause(pollMs, undefined, { signal }).catch(() => {});
  }
}
