import type { GuardTrip, Issue } from "@touchstone/core";
import {
  askingItems,
  type CutMessage,
  ERROR_CODES,
  errorFrame,
  type Frame,
  legibleId,
  readBrokenBatch,
  readCut,
  readFrame,
} from "@touchstone/protocol";
import type { ActivityEntry } from "../activity/record.ts";
import { concatBytes } from "../concat-bytes.ts";
import type { Verdict } from "../policy/decide.ts";
import { MAX_BATCH } from "./batch-faults.ts";
import { objection } from "./evidence.ts";
import type { PendingRequest, ToolCall } from "./inflight.ts";
import { takeCutBatch } from "./lost-answers.ts";
import { openCall } from "./open-call.ts";
import { unsent } from "./refusal.ts";
import type { Passage, PipelineState } from "./state.ts";

/**
 * Ends a frame that was too large to be read: an error on its id, and a record. There is nothing to
 * forward, so every mode blocks it.
 * @param answers the ids, by key, of the requests that can have no other answer, where the transport
 *   knows them; else they are read from the frame
 */
export async function refuseOversize(
  state: PipelineState,
  from: "client" | "server",
  cut: CutMessage,
  limit: number,
  answers?: readonly string[],
): Promise<Passage> {
  const { frame, id } = readCut(cut);
  const items = from === "client" ? batchHead(frame) : undefined;
  if (items !== undefined) return refuseItems(state, cut, limit, items);
  // What has a method is no answer, and its id is the sender's own.
  const asks = frame.range("/method") !== undefined;
  const named = from === "server" && !asks && id !== undefined ? [id.key] : [];
  const batch = from === "server" && answers === undefined ? takeCutBatch(state, frame) : undefined;
  const ended = batch ?? (answers ?? named).flatMap((key) => state.inflight.take(key) ?? []);
  // A transport that knows what is answered reads no further than it has to.
  const size = answers === undefined ? `${cut.size}` : `at least ${cut.size}`;
  const reason = overLimit(from, size, limit);
  const guard: GuardTrip = { guard: "maxBytes", limit, actual: cut.size };
  const refusedCall = from === "client" ? openCall(state, frame) : undefined;
  const calls = refusedCall && [{ ...refusedCall, bytesIn: cut.size, arguments: undefined }];
  await record(state, reason, guard, ended, calls);
  const text = `Blocked by touchstone: ${reason}`;
  if (answers !== undefined || (from === "server" && !asks)) {
    const errors = ended.map((request) => errorFrame(request.id, ERROR_CODES.internalError, text));
    const [first] = errors;
    if (first === undefined) return {};
    return { onward: errors.length === 1 && !batch ? first : joinBatch(errors) };
  }
  const refused = errorFrame(id?.text ?? null, ERROR_CODES.invalidRequest, text);
  if (from === "server") return id === undefined ? {} : { back: [refused] };
  return unsent(frame, refused, id?.text);
}

const overLimit = (from: "client" | "server", size: string | number, limit: number): string =>
  `${from} message of ${size} bytes is over the limit of ${limit} bytes`;

/** The messages at the beginning of a batch; the last one may be cut off. Undefined where it is none. */
function batchHead(head: Frame): readonly Frame[] | undefined {
  if (head.kind !== "batch") return readBrokenBatch(head, MAX_BATCH)?.items;
  const ranges = [...askingItems(head)].slice(0, MAX_BATCH);
  return ranges.map(({ start, end }) => readFrame(head.bytes.subarray(start, end)));
}

/**
 * Ends a client's batch that was too large: each message at its beginning gets an error of its own, and one
 * without an id tells of those that were not kept.
 */
async function refuseItems(
  state: PipelineState,
  cut: CutMessage,
  limit: number,
  items: readonly Frame[],
): Promise<Passage> {
  const reason = overLimit("client", cut.size, limit);
  const text = `Blocked by touchstone: ${reason}`;
  const guard: GuardTrip = { guard: "maxBytes", limit, actual: cut.size };
  const calls = items.flatMap((item) => openCall(state, item) ?? []);
  const refused = calls.map((call) => ({ ...call, arguments: undefined }));
  await record(state, reason, guard, [], refused);
  const passages = items.flatMap((item) => {
    const id = legibleId(item)?.text;
    if (id === undefined) return [];
    return unsent(item, errorFrame(id, ERROR_CODES.invalidRequest, text), id);
  });
  const rest = errorFrame(null, ERROR_CODES.invalidRequest, text);
  const back = [...passages.flatMap((passage) => passage.back ?? []), rest];
  const onward = passages.flatMap((passage) => passage.onward ?? []);
  const [first] = onward;
  if (first === undefined) return { back };
  return { back, onward: onward.length === 1 ? first : joinBatch(onward) };
}

/** Ends a batch of more than {@link MAX_BATCH} messages, with an error for each request in it. */
export async function refuseBatch(
  state: PipelineState,
  from: "client" | "server",
  batch: Frame,
): Promise<Passage> {
  const reason = `${from} batch of more than ${MAX_BATCH} messages`;
  const text = `Blocked by touchstone: ${reason}`;
  const guard: GuardTrip = { guard: "budget", limit: MAX_BATCH, actual: MAX_BATCH + 1 };
  const back: Uint8Array[] = [];
  const answered: PendingRequest[] = [];
  for (const { start, end } of askingItems(batch)) {
    const { kind, id, idKey } = readFrame(batch.bytes.subarray(start, end));
    if (kind === "request" && id !== undefined) {
      back.push(errorFrame(id, ERROR_CODES.invalidRequest, text));
    } else if (from === "server" && (kind === "response" || kind === "error")) {
      const pending = idKey === undefined ? undefined : state.inflight.take(idKey);
      if (pending) answered.push(pending);
    }
  }
  await record(state, reason, guard, answered);
  const lost = answered.map(({ id }) => errorFrame(id, ERROR_CODES.internalError, text));
  const onward = lost.length === 0 ? undefined : joinBatch(lost);
  return {
    ...(back.length === 0 ? {} : { back }),
    ...(onward === undefined ? {} : { onward }),
  };
}

/** A batch of these messages. */
export function joinBatch(items: readonly Uint8Array[]): Uint8Array {
  const comma = Buffer.from(",");
  const parts = items.flatMap((item, i) => (i === 0 ? [item] : [comma, item]));
  return concatBytes([Buffer.from("["), ...parts, Buffer.from("]")]);
}

async function record(
  state: PipelineState,
  reason: string,
  guard: GuardTrip,
  ended: readonly PendingRequest[],
  refused?: readonly ToolCall[],
): Promise<void> {
  const { context, evidence } = state;
  const issue: Issue = { path: "", message: reason, rule: "guard", keyword: guard.guard };
  const mode = context.settings().protocol.mode;
  const verdict: Verdict = { decision: "blocked", outcome: "guard", mode, record: true };
  for (const { operation } of ended) operation?.failed("too_large");
  state.checked("protocol", verdict, { began: undefined, issues: [issue], guard: guard.guard });
  const calls = refused ?? ended.flatMap(({ call }) => call ?? []);
  const [only] = calls.length === 1 ? calls : [];
  const entries: ActivityEntry[] = [
    evidence.protocolDecision(verdict, [issue], reason, only, guard),
  ];
  state.report("blocked", "protocol", only?.tool, reason);
  for (const call of calls) {
    if (call.recorded) continue;
    call.verdict = objection(verdict, "protocol", reason);
    call.recorded = true;
    entries.push(evidence.toolCall(call, refused ? "rejected" : "blocked", {}));
  }
  await state.append(entries);
}
