import {
  batchItems,
  type Frame,
  idKey,
  legibleId,
  readBrokenBatch,
  readFrame,
} from "@touchstone/protocol";
import type { ActivityEntry } from "../records/record.ts";
import { MAX_BATCH } from "./batch.ts";
import type { PendingRequest } from "./in-flight.ts";
import { failed } from "./messages.ts";
import { recordedElsewhere } from "./shared-requests.ts";
import type { PipelineState } from "./state.ts";

/** The requests whose answers were lost in a broken frame. */
export interface LostAnswers {
  readonly requests: readonly PendingRequest[];
  /** Whether they were answered as a batch. */
  readonly inBatch: boolean;
}

/**
 * Takes the requests that a broken frame of the server's was meant to answer, so that each can get
 * an error: by their ids, or because no other is waiting. What the server may still say of them is
 * then no longer for the client.
 */
export function takeLostAnswers(state: PipelineState, frame: Frame): LostAnswers {
  const batch = lostBatch(state, frame);
  const found = batch ?? lostAnswer(state, frame);
  return { requests: settle(state, found), inBatch: batch !== undefined };
}

/**
 * The same for a batch of the server's that is over the limit.
 * @param head what was kept of its beginning, which may be all of it
 * @returns undefined where it is no batch, or nothing tells what it was about
 */
export function takeCutBatch(state: PipelineState, head: Frame): PendingRequest[] | undefined {
  const found = head.kind === "batch" ? wholeBatch(state, head) : lostBatch(state, head);
  return found && settle(state, found);
}

/** Those that have had no answer; from now on they have. */
function settle({ late }: PipelineState, found: readonly PendingRequest[]): PendingRequest[] {
  for (const request of found) late.add(idKey(request.id), { ...request, settled: true });
  return found.filter(({ call, settled }) => !settled && !call?.expired);
}

function wholeBatch(state: PipelineState, batch: Frame): PendingRequest[] {
  return [...batchItems(batch)].flatMap(({ start, end }) => {
    const { kind, idKey: key } = readFrame(batch.bytes.subarray(start, end));
    return (kind === "response" || kind === "error") && key !== undefined ? take(state, key) : [];
  });
}

function lostAnswer(state: PipelineState, frame: Frame): PendingRequest[] {
  // What has a method is no answer, and its id is the server's own.
  if (frame.range("/method") !== undefined) return [];
  const key = legibleId(frame)?.key;
  if (key !== undefined) return take(state, key);
  // What is whole and has no id answers nothing.
  const only = frame.scan.error === undefined ? undefined : state.inflight.takeOnly();
  return only === undefined ? [] : [only];
}

/**
 * The requests that a broken batch was meant to answer. One array answers a whole batch (JSON-RPC
 * 2.0, section 6): where not all ids can be read, the rest of the client's batch is lost with them,
 * as far as there is no doubt which one it was. Undefined where the frame is no broken batch, or
 * nothing tells what it was about.
 */
function lostBatch(state: PipelineState, frame: Frame): PendingRequest[] | undefined {
  const { inflight } = state;
  const broken = readBrokenBatch(frame, MAX_BATCH);
  if (broken === undefined) return undefined;
  const answers = broken.items.filter((item) => item.range("/method") === undefined);
  // Requests and notifications of the server's own.
  if (answers.length === 0) return [];
  const keys = answers.flatMap((item) => legibleId(item)?.key ?? []);
  if (keys.length === 0) {
    const only = inflight.onlyBatch();
    return only === undefined ? undefined : inflight.takeBatch(only);
  }
  const named = keys.flatMap((key) => take(state, key));
  if (broken.whole && keys.length === answers.length) return named;
  const batches = new Set(named.map(({ batch }) => batch));
  const [batch] = batches;
  if (batch === undefined || batches.size > 1) return named;
  return [...named, ...inflight.takeBatch(batch)];
}

function take({ inflight, late }: PipelineState, key: string): PendingRequest[] {
  const request = inflight.take(key) ?? late.take(key);
  return request === undefined ? [] : [request];
}

/**
 * Ends requests whose answers will not come: each call gets its record.
 * @param status of the calls: `rejected` where a limit keeps them from their server
 * @returns an error on the id of each, for the client
 */
export async function failRequests(
  state: PipelineState,
  requests: readonly PendingRequest[],
  reason: string,
  status: "error" | "rejected" = "error",
): Promise<Uint8Array[]> {
  const entries: ActivityEntry[] = [];
  const answers: Uint8Array[] = [];
  const unsure: Promise<void>[] = [];
  for (const request of requests) {
    const { id, call, operation } = request;
    const answer = failed(id, reason);
    operation?.failed("connection_lost", answer);
    answers.push(answer);
    if (call === undefined || call.recorded) continue;
    const elsewhere = recordedElsewhere(state, request);
    call.recorded = true;
    const entry = state.evidence.toolCall(call, status, { bytes: answer.length, reason });
    if (elsewhere === undefined) entries.push(entry);
    else unsure.push(elsewhere.then((written) => void (written || entries.push(entry))));
  }
  if (unsure.length > 0) await Promise.all(unsure);
  await state.append(entries);
  return answers;
}
