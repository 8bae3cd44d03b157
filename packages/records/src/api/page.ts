import { encodeCursor } from "../cursor.ts";
import type { ActivityFilter } from "../filter.ts";
import { PageSize } from "../page-size.ts";
import type { ActivityRecord } from "../record.ts";
import type { ActivityReader } from "../store.ts";

/** The state of a page that {@link pieces} continues. */
interface Begun {
  readonly filter: ActivityFilter;
  readonly records: readonly ActivityRecord[];
  readonly total: number;
}

/**
 * Returns the JSON text of a page of `list`, in pieces: with whole bodies, its records may exceed a thread's memory.
 * The first piece reads one snapshot; later pieces continue after it.
 *
 * @throws ActivityError if the first records cannot be read; the pieces throw it for later ones
 */
export async function pageText(
  reader: ActivityReader,
  filter: ActivityFilter,
): Promise<string | AsyncGenerator<string>> {
  const first = new PageSize(filter.limit).next;
  const page = await reader.list({ ...filter, limit: first });
  if (first === filter.limit || page.next_cursor === null) {
    return JSON.stringify({ ...page, limit: filter.limit });
  }
  return pieces(reader, { filter, records: page.activities, total: page.total });
}

async function* pieces(
  reader: ActivityReader,
  { filter, records: first, total }: Begun,
): AsyncGenerator<string> {
  const { limit, offset } = filter;
  const size = new PageSize(limit);
  let records = first;
  let left = limit;
  let last: ActivityRecord | undefined;
  let before = '{"activities":[';
  while (left > 0 && records.length > 0) {
    const text = records.map((record) => JSON.stringify(record)).join(",");
    yield before + text;
    before = ",";
    last = records.at(-1);
    left -= records.length;
    size.took(records.length, text.length);
    records = await reader.scan(filter, {
      after: last?.id,
      // One more record shows whether there is another page.
      limit: left === 0 ? 1 : Math.min(size.next, left),
      order: "desc",
    });
  }
  const hasMore = records.length > 0 && last !== undefined;
  const next_cursor = hasMore ? encodeCursor(last?.id ?? "") : null;
  yield `],${JSON.stringify({ total, limit, offset, next_cursor }).slice(1)}`;
}
