import {
  batchItems,
  type CutMessage,
  type Frame,
  type LegibleId,
  legibleId,
  mayAsk,
  readBrokenBatch,
  readCut,
  readFrame,
} from "@touchstone/protocol";

/** Of a batch that breaks off so many messages are told apart: each of them is kept until all are. */
const MOST_ITEMS = 10_000;

/** What is known of the messages of a batch, undefined for those of which nothing is. */
export type CutItems = Iterable<Frame | undefined>;

/** A view of what was kept of a message that was too large, its outline or else its head, and its id. */
export function readKept(cut: CutMessage): { frame: Frame; id: LegibleId | undefined } {
  if (cut.outline === undefined) return readCut(cut);
  const frame = readFrame(cut.outline);
  return { frame, id: legibleId(frame) ?? readCut(cut).id };
}

/** The messages of a batch of which the outline was kept, or the beginning. Undefined where it is none. */
export function cutItems(kept: Frame): CutItems | undefined {
  if (kept.kind === "batch") return wholeItems(kept);
  const broken = readBrokenBatch(kept, MOST_ITEMS);
  return broken && (broken.whole ? broken.items : [...broken.items, undefined]);
}

function* wholeItems(batch: Frame): Generator<Frame | undefined, void, undefined> {
  let some = false;
  for (const range of batchItems(batch)) {
    some = true;
    const { start, end } = range;
    yield mayAsk(batch.bytes, range) ? readFrame(batch.bytes.subarray(start, end)) : undefined;
  }
  if (!some) yield undefined;
}
