import type { GuardTrip, Issue } from "@touchstone/core/advanced";
import {
  batchItems,
  type CutMessage,
  type Frame,
  mayBeRequestItem,
  type ReadableId,
  readableId,
  readBrokenBatch,
  readCutMessage,
  readFrame,
  requestItems,
} from "@touchstone/protocol/advanced";
import type { ActivityEntry } from "@touchstone/records/record";
import { joinBatch } from "@touchstone/util";
import type { PolicyDecision } from "../features/decision.ts";
import { MAX_BATCH } from "./batch.ts";
import { takeOversizeBatch } from "./broken.ts";
import type { MessageOutput } from "./context.ts";
import { ClientExchange } from "./exchange.ts";
import type { PendingRequest, ToolCall } from "./in-flight.ts";
import { isResponse, messageTooLarge, overBatchLimit, overLimitText } from "./messages.ts";
import { errorOutput } from "./roads.ts";
import { type CheckDecision, settle } from "./settle.ts";
import { openCall } from "./stages/session.ts";
import type { PipelineState } from "./state.ts";

/**
 * Ends a frame that was too large to read: an error on its id, and a record. Every mode blocks it, because there is
 * nothing to forward.
 * @param answers the ids, by key, of the requests that can get no other response, if the transport knows them; else
 *   they are read from the beginning of the frame
 */
export async function refuseOversize(
  state: PipelineState,
  from: "client" | "server",
  cut: CutMessage,
  limit: number,
  answers?: readonly string[],
): Promise<MessageOutput> {
  const { frame, id } = readKept(cut);
  const items = from === "client" ? cutItems(frame) : undefined;
  if (items !== undefined) return refuseItems(state, cut, limit, items);
  // A message with a method is not a response; its id is the sender's own.
  const asks = frame.range("/method") !== undefined;
  const named = from === "server" && !asks && id !== undefined ? [id.key] : [];
  const batch =
    from === "server" && answers === undefined ? takeOversizeBatch(state, frame) : undefined;
  const ended = batch ?? (answers ?? named).flatMap((key) => state.inflight.take(key) ?? []);
  // If the transport knows the request, it stops reading early, so the whole size is unknown.
  const size = answers === undefined ? `${cut.size}` : `at least ${cut.size}`;
  const reason = overLimitText(from, size, limit);
  const guard: GuardTrip = { guard: "maxBytes", limit, actual: cut.size };
  const refusedCall = from === "client" ? openCutCall(state, frame, cut.size) : undefined;
  const calls = refusedCall && [refusedCall];
  const toClient = from === "client" ? !isResponse(frame) : ended.length > 0;
  await record(state, { reason, guard, ended, calls, toClient });
  if (answers !== undefined || (from === "server" && !asks)) {
    const errors = ended.map((request) => messageTooLarge(request.id, reason, true));
    const [first] = errors;
    if (first === undefined) return {};
    return { onward: errors.length === 1 && !batch ? first : joinBatch(errors) };
  }
  const refused = messageTooLarge(id?.text ?? null, reason, false);
  if (from === "server") return id === undefined ? {} : { back: [refused] };
  return errorOutput(frame, refused, id?.text);
}

/**
 * Ends a client batch that was too large. Each message in it gets its own error; one error without an id stands for
 * messages whose id is unknown.
 */
async function refuseItems(
  state: PipelineState,
  cut: CutMessage,
  limit: number,
  items: CutItems,
): Promise<MessageOutput> {
  const reason = overLimitText("client", cut.size, limit);
  const refused: ToolCall[] = [];
  const back: Uint8Array[] = [];
  const onward: Uint8Array[] = [];
  let unknown = false;
  for (const item of items) {
    const call =
      item && refused.length < MAX_BATCH ? openCutCall(state, item, undefined) : undefined;
    if (call) refused.push(call);
    const id = item && readableId(item)?.text;
    if (item === undefined || id === undefined) {
      unknown ||= item?.kind !== "notification";
      continue;
    }
    const passage = errorOutput(item, messageTooLarge(id, reason, false), id);
    back.push(...(passage.back ?? []));
    if (passage.onward) onward.push(passage.onward);
  }
  if (unknown) back.push(messageTooLarge(null, reason, false));
  const guard: GuardTrip = { guard: "maxBytes", limit, actual: cut.size };
  const toClient = back.length > 0;
  await record(state, { reason, guard, ended: [], calls: refused, toClient });
  const [first] = onward;
  return {
    ...(back.length === 0 ? {} : { back }),
    ...(first === undefined ? {} : { onward: onward.length === 1 ? first : joinBatch(onward) }),
  };
}

/** Ends a batch of more than {@link MAX_BATCH} messages, with an error for each request in it. */
export async function refuseBatch(
  state: PipelineState,
  from: "client" | "server",
  batch: Frame,
): Promise<MessageOutput> {
  const reason = overBatchLimit(from, MAX_BATCH);
  const guard: GuardTrip = { guard: "maxBatch", limit: MAX_BATCH, actual: MAX_BATCH + 1 };
  const back: Uint8Array[] = [];
  const answered: PendingRequest[] = [];
  for (const { start, end } of requestItems(batch)) {
    const { kind, id, idKey } = readFrame(batch.bytes.subarray(start, end));
    if (kind === "request" && id !== undefined) {
      back.push(messageTooLarge(id, reason, false));
    } else if (from === "server" && (kind === "response" || kind === "error")) {
      const pending = idKey === undefined ? undefined : state.inflight.take(idKey);
      if (pending) answered.push(pending);
    }
  }
  const toClient = (from === "client" ? back : answered).length > 0;
  await record(state, { reason, guard, ended: answered, toClient });
  const lost = answered.map(({ id }) => messageTooLarge(id, reason, true));
  const onward = lost.length === 0 ? undefined : joinBatch(lost);
  return {
    ...(back.length === 0 ? {} : { back }),
    ...(onward === undefined ? {} : { onward }),
  };
}

/** A message over a limit, with the facts for its record. */
interface Oversize {
  readonly reason: string;
  readonly guard: GuardTrip;
  /** The requests that it answered. */
  readonly ended: readonly PendingRequest[];
  /** The calls in it. */
  readonly calls?: readonly ToolCall[] | undefined;
  /** Whether the client receives an error about it. */
  readonly toClient: boolean;
}

/** Returns the call in a message that was cut off, so its arguments are not kept. */
function openCutCall(
  state: PipelineState,
  frame: Frame,
  bytesIn: number | undefined,
): ToolCall | undefined {
  const call = openCall(new ClientExchange(state, frame));
  return call && { ...call, bytesIn };
}

async function record(
  state: PipelineState,
  { reason, guard, ended, calls: refused, toClient }: Oversize,
): Promise<void> {
  const issue: Issue = { path: "", message: reason, rule: "guard", keyword: guard.guard };
  const { mode } = state.context.snapshot().server.protocol;
  const verdict: PolicyDecision = { decision: "blocked", outcome: "guard", mode, record: true };
  for (const { operation } of ended) operation?.failed("too_large");
  const calls = refused ?? ended.flatMap(({ call }) => call ?? []);
  const entries: ActivityEntry[] = [];
  const finding: CheckDecision = {
    ...{ direction: "protocol", verdict, issues: [issue], guard, reason: () => reason, calls },
    reply: { make: () => messageTooLarge("null", reason, ended.length > 0), toClient },
  };
  settle(state, finding, entries);
  const status = refused ? "rejected" : "blocked";
  for (const call of calls) state.evidence.endCall(call, status, {}, entries);
  await state.append(entries);
}

/** How many messages of an incomplete batch to read, because all of them are kept in memory. */
const MOST_ITEMS = 10_000;

/** The known facts about the messages of a batch; undefined for messages that could not be read. */
type CutItems = Iterable<Frame | undefined>;

/** Returns a view of the kept part of a message that was too large (its outline, or else its head), and its id. */
function readKept(cut: CutMessage): { frame: Frame; id: ReadableId | undefined } {
  if (cut.outline === undefined) return readCutMessage(cut);
  const frame = readFrame(cut.outline);
  return { frame, id: readableId(frame) ?? readCutMessage(cut).id };
}

/** Returns the messages of a batch whose outline or beginning was kept. Undefined if it is not a batch. */
function cutItems(kept: Frame): CutItems | undefined {
  if (kept.kind === "batch") return wholeItems(kept);
  const broken = readBrokenBatch(kept, MOST_ITEMS);
  return broken && (broken.whole ? broken.items : [...broken.items, undefined]);
}

function* wholeItems(batch: Frame): Generator<Frame | undefined, void, undefined> {
  let some = false;
  for (const range of batchItems(batch)) {
    some = true;
    const { start, end } = range;
    yield mayBeRequestItem(batch.bytes, range)
      ? readFrame(batch.bytes.subarray(start, end))
      : undefined;
  }
  if (!some) yield undefined;
}
