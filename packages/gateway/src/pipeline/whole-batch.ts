import { batchItems, type Frame } from "@touchstone/protocol";
import type { Awaitable } from "./awaitable.ts";
import { MAX_BATCH } from "./batch-faults.ts";
import { joinBatch } from "./oversize.ts";
import type { Passage, PipelineState } from "./state.ts";

/** The messages of a batch, one more than allowed at most; undefined where there are none. */
export function batchMessages(
  { batches, conversation }: PipelineState,
  batch: Frame,
  read: (bytes: Uint8Array) => Frame,
): Frame[] | undefined {
  const { revision } = conversation;
  const items: Frame[] = [];
  // Not the frame itself: what waits for an answer would keep its bytes.
  const mark = {};
  for (const { start, end } of batchItems(batch)) {
    const item = read(batch.bytes.subarray(start, end));
    batches.note(item, revision, mark);
    items.push(item);
    if (items.length > MAX_BATCH) break;
  }
  return items.length === 0 ? undefined : items;
}

/** Puts a batch together again: the same bytes where every item passed as it was. */
export async function joinPassages(
  batch: Frame,
  items: readonly Frame[],
  passages: readonly Awaitable<Passage>[],
): Promise<Passage> {
  const all = await Promise.all(passages);
  const back = all.flatMap((passage) => passage.back ?? []);
  const onward = all.flatMap((passage) => (passage.onward ? [passage.onward] : []));
  const untouched = all.every((passage, i) => passage.onward === items[i]?.bytes);
  return {
    ...(back.length === 0 ? {} : { back }),
    ...(onward.length === 0 ? {} : { onward: untouched ? batch.bytes : joinBatch(onward) }),
  };
}
