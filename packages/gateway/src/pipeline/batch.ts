import type { Issue } from "@touchstone/core";
import { batchItems, type Frame, revisionOf } from "@touchstone/protocol/advanced";
import { joinBatch } from "@touchstone/util";
import type { Conversation, MessageOutput } from "./context.ts";
import { type MessageFaults, protocolFault } from "./faults.ts";

/** The gateway does not split a longer batch, because each message costs memory and a record. */
export const MAX_BATCH = 1_000;

/** Which messages arrived in a batch, and what is wrong with a message because of where it was. */
export class BatchFaults {
  /** Whether anything was noted: in most conversations it stays false. */
  isUsed = false;
  readonly #faults: WeakMap<Frame, Issue> = new WeakMap();
  readonly #batches: WeakMap<Frame, object> = new WeakMap();

  /**
   * Notes a message of a batch. Only MCP 2025-03-26 has batches, and `initialize` must not be in one (MCP 2025-03-26,
   * Lifecycle, Initialization).
   * @param revision that the conversation has agreed on; undefined if it has not yet
   * @param batch identifies the batch; the same object for all of its messages
   */
  note(item: Frame, revision: string | undefined, batch: object): void {
    this.isUsed = true;
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

  /** Notes what is wrong with the line that a message was on. */
  noteLine(frame: Frame, issue: Issue): void {
    this.isUsed = true;
    this.#faults.set(frame, issue);
  }

  /** Makes another frame take the place of a message. */
  takes(frame: Frame, came: Frame): void {
    const fault = this.#faults.get(came);
    const batch = this.#batches.get(came);
    if (fault !== undefined) this.#faults.set(frame, fault);
    if (batch !== undefined) this.#batches.set(frame, batch);
  }

  /** The batch that a message arrived in. */
  of(item: Frame): object | undefined {
    return this.#batches.get(item);
  }

  /** A message's faults, including the fault of where it was. */
  withOwn(frame: Frame, faults: MessageFaults): MessageFaults {
    const own = this.#faults.get(frame);
    return own === undefined ? faults : { ...faults, errors: [...faults.errors, own] };
  }
}

/**
 * Returns the messages of a batch, at most one more than allowed, each read in steps. Undefined if there are none.
 */
export function* batchMessages(
  { batches, conversation }: { readonly batches: BatchFaults; readonly conversation: Conversation },
  batch: Frame,
  read: (bytes: Uint8Array) => Generator<void, Frame, void>,
): Generator<void, Frame[] | undefined, void> {
  const { revision } = conversation;
  const items: Frame[] = [];
  // Uses a separate object as the key: pending requests would keep the bytes of the frame in memory.
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

/** Puts a batch together again. If every item passed unchanged, the bytes are the same. */
export async function joinOutputs(
  batch: Frame,
  items: readonly Frame[],
  passages: readonly Promise<MessageOutput>[],
): Promise<MessageOutput> {
  const all = await Promise.all(passages);
  const back = all.flatMap((passage) => passage.back ?? []);
  const beside = all.flatMap((passage) => passage.beside ?? []);
  const onward = all.flatMap((passage) => (passage.onward ? [passage.onward] : []));
  const { httpRefusal } = all.find((passage) => passage.httpRefusal !== undefined) ?? {};
  const isRefused =
    onward.length === 0 && all.every((one) => one.back === undefined || one.httpRefusal);
  const untouched = all.every((passage, i) => passage.onward === items[i]?.bytes);
  return {
    ...(back.length === 0 ? {} : { back }),
    ...(beside.length === 0 ? {} : { beside }),
    ...(isRefused && httpRefusal !== undefined ? { httpRefusal } : {}),
    ...(onward.length === 0 ? {} : { onward: untouched ? batch.bytes : joinBatch(onward) }),
  };
}
