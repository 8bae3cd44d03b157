import type { Issue } from "@touchstone/core";
import { batchItems, type Frame, revisionOf } from "@touchstone/protocol";
import { concatBytes } from "../util/concat-bytes.ts";
import type { Conversation, Passage } from "./context.ts";
import { type MessageFaults, protocolFault } from "./faults.ts";

/** A batch of more messages is not taken apart, since each of them costs memory and a record. */
export const MAX_BATCH = 1_000;

/** Which messages came in a batch, and what is wrong with messages for where they stood. */
export class BatchFaults {
  readonly #faults: WeakMap<Frame, Issue> = new WeakMap();
  readonly #batches: WeakMap<Frame, object> = new WeakMap();

  /**
   * Notes a message of a batch. Only MCP 2025-03-26 has batches, and its `initialize` must
   * not be in one (MCP 2025-03-26, Lifecycle, Initialization).
   * @param revision that the conversation has agreed on; undefined if it has not yet
   * @param batch stands for the batch, the same for all of its messages
   */
  note(item: Frame, revision: string | undefined, batch: object): void {
    this.#batches.set(item, batch);
    const spoken = item.protocolVersion ?? revision;
    const known = spoken === undefined ? undefined : revisionOf(spoken);
    if (item.method === "initialize") {
      this.#faults.set(item, protocolFault("", "initialize must not be part of a batch"));
    } else if (known?.batches === false) {
      const message = `MCP ${known.version} has no batches; send each message by itself`;
      this.#faults.set(item, protocolFault("", message));
    }
  }

  /** Notes what is wrong with the line that a message stood on. */
  noteLine(frame: Frame, issue: Issue): void {
    this.#faults.set(frame, issue);
  }

  /** Notes that a message goes on as another one. */
  takes(frame: Frame, came: Frame): void {
    const fault = this.#faults.get(came);
    const batch = this.#batches.get(came);
    if (fault !== undefined) this.#faults.set(frame, fault);
    if (batch !== undefined) this.#batches.set(frame, batch);
  }

  /** The batch that a message came in. */
  of(item: Frame): object | undefined {
    return this.#batches.get(item);
  }

  /** A message's faults, with that of where it stood if there is one. */
  withOwn(frame: Frame, faults: MessageFaults): MessageFaults {
    const own = this.#faults.get(frame);
    return own === undefined ? faults : { ...faults, errors: [...faults.errors, own] };
  }
}

/**
 * The messages of a batch, one more than allowed at most, each read in steps; undefined if there are none.
 */
export function* batchMessages(
  { batches, conversation }: { readonly batches: BatchFaults; readonly conversation: Conversation },
  batch: Frame,
  read: (bytes: Uint8Array) => Generator<void, Frame, void>,
): Generator<void, Frame[] | undefined, void> {
  const { revision } = conversation;
  const items: Frame[] = [];
  // Not the frame itself: what waits for a response would keep its bytes.
  const mark = {};
  for (const { start, end } of batchItems(batch)) {
    const item = yield* read(batch.bytes.subarray(start, end));
    batches.note(item, revision, mark);
    items.push(item);
    if (items.length > MAX_BATCH) break;
    yield;
  }
  return items.length === 0 ? undefined : items;
}

/** Puts a batch together again: the same bytes where every item passed as it was. */
export async function joinPassages(
  batch: Frame,
  items: readonly Frame[],
  passages: readonly Promise<Passage>[],
): Promise<Passage> {
  const all = await Promise.all(passages);
  const back = all.flatMap((passage) => passage.back ?? []);
  const beside = all.flatMap((passage) => passage.beside ?? []);
  const onward = all.flatMap((passage) => (passage.onward ? [passage.onward] : []));
  const untouched = all.every((passage, i) => passage.onward === items[i]?.bytes);
  return {
    ...(back.length === 0 ? {} : { back }),
    ...(beside.length === 0 ? {} : { beside }),
    ...(onward.length === 0 ? {} : { onward: untouched ? batch.bytes : joinBatch(onward) }),
  };
}

/** Returns a batch of these messages. */
export function joinBatch(items: readonly Uint8Array[]): Uint8Array {
  const comma = Buffer.from(",");
  const parts = items.flatMap((item, i) => (i === 0 ? [item] : [comma, item]));
  return concatBytes([Buffer.from("["), ...parts, Buffer.from("]")]);
}
