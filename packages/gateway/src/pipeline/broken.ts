import type { Issue } from "@touchstone/core";
import {
  batchItems,
  type Frame,
  idKey,
  looksLikeMessage,
  readableId,
  readBrokenBatch,
  readFrame,
} from "@touchstone/protocol/advanced";
import type { ActivityEntry } from "@touchstone/records/record";
import { joinBatch } from "@touchstone/util";
import type { PolicyDecision } from "../features/decision.ts";
import { decideProtocol } from "../policy/decide.ts";
import { MAX_BATCH } from "./batch.ts";
import type { MessageOutput, PipelineContext } from "./context.ts";
import type { StageOutcome } from "./exchange.ts";
import { describeFaults } from "./faults.ts";
import type { PendingRequest } from "./in-flight.ts";
import { blockedMessage, lostResponse, notRecorded } from "./messages.ts";
import { alwaysBlocked, brokenFrameDecision, type CheckDecision, settle } from "./settle.ts";
import { snapshotOf } from "./snapshot.ts";
import type { PipelineState } from "./state.ts";

const SHOWN_BYTES = 200;
const NO_MESSAGE = "server sent something that is not a JSON-RPC message";
const NOTHING_LOST = { requests: [], inBatch: false } as const;

/**
 * Logs what a server prints besides its messages, and leaves it out.
 * @param faults why it is not a message
 */
export function dropStrayOutput(
  { paced, server }: Pick<PipelineContext, "paced" | "server">,
  { bytes }: Frame,
  faults: readonly Issue[],
): MessageOutput {
  const what = `${server}: ${NO_MESSAGE}`;
  const text = Buffer.from(bytes.subarray(0, SHOWN_BYTES)).toString();
  paced.warn(what, `${what}: ${describeFaults(faults)}`, { bytes: bytes.length, text });
  return {};
}

/** Returns whether a frame lacks even the beginning of a message. */
export function isStrayOutput(frame: Frame): boolean {
  return frame.kind === "invalid" && !looksLikeMessage(frame);
}

/**
 * Handles a server frame that is not a message. Other output on stdout is logged and not forwarded. A response that
 * broke off, or is not JSON, becomes an error on the id of its request in every mode, because there is nothing to
 * forward; a batch of responses becomes a batch of errors. A request whose id is too long gets an error. JSON that
 * begins like a message is checked in the server's mode, like any other fault.
 * @param inBatch whether the frame is an item of a batch in which every item is a message
 */
export async function handleBrokenFrame(
  state: PipelineState,
  frame: Frame,
  inBatch: boolean,
): Promise<StageOutcome> {
  const { context } = state;
  const { faults } = frame;
  const reason = `${NO_MESSAGE}: ${describeFaults(faults)}`;
  if (!inBatch && isStrayOutput(frame)) {
    dropStrayOutput(context, frame, faults);
    return "drop";
  }
  const legible = frame.scan.error === undefined;
  const { protocol } = snapshotOf(frame, context.snapshot).server;
  const passes = legible && protocol.mode !== "strict";
  const verdict = passes
    ? decideProtocol(faults.length, protocol)
    : brokenFrameDecision(frame, protocol.mode);
  const { requests, inBatch: batch } = passes ? NOTHING_LOST : takeUnansweredRequests(state, frame);
  const fault = { verdict, faults, reason };
  const kept = await state.append(recordFault(state, requests, fault));
  if (isLongRequest(frame)) return { respond: blockedMessage(frame, faults) };
  if (!passes) return replaced(answerErrors(requests, fault), batch);
  if (kept) return { respond: frame.bytes };
  const lost = takeUnansweredRequests(state, frame);
  return replaced(
    lost.requests.map(({ id }) => notRecorded(id)),
    lost.inBatch,
  );
}

/** Returns whether a frame is a request that is not read because an id in it is too long. */
export function isLongRequest(frame: Frame): boolean {
  const isLong = frame.scan.error?.code === "size";
  return isLong && frame.range("/method") !== undefined && frame.range("/id") !== undefined;
}

/**
 * Handles the rest of a line that holds more than one server message: returns an error for the request with its id,
 * in every mode. Without a readable id, the error goes to the only pending request, if there is exactly one.
 * @param issue what is wrong with the line
 */
export async function handleLineRemainder(
  state: PipelineState,
  frame: Frame,
  issue: Issue,
): Promise<StageOutcome> {
  const { requests } = takeUnansweredRequests(state, frame);
  // A frame with the id of a request that is not pending is treated as log output of the server.
  if (requests.length === 0) {
    const { paced, server } = state.context;
    const text = `${server}: ${NO_MESSAGE}: ${describeFaults([issue])}`;
    paced.warn(`${server}: ${NO_MESSAGE}`, text, { bytes: frame.bytes.length });
    return "drop";
  }
  const reason = `${NO_MESSAGE}: ${describeFaults([issue])}`;
  return replaced(await refuse(state, requests, issue, reason), false);
}

/**
 * Ends the request that a response without its id was about. The response cannot be forwarded under an id that it
 * does not have. Returns the error for the client.
 */
export async function failUnidentifiedRequest(
  state: PipelineState,
  request: PendingRequest,
  issue: Issue,
): Promise<Uint8Array> {
  state.late.add(idKey(request.id), { ...request, settled: true });
  const reason = `server sent a response that no client can use: ${describeFaults([issue])}`;
  const [error] = await refuse(state, [request], issue, reason);
  return error ?? notRecorded(request.id);
}

/** Handles a response that probably answers one of the gateway's own requests but lacks its id. */
export async function refuseOwnResponse(state: PipelineState, issue: Issue): Promise<StageOutcome> {
  const verdict = decideProtocol(1, state.context.snapshot().server.protocol);
  const reason = `server answer: ${describeFaults([issue])}`;
  if (verdict.record)
    await state.append(recordFault(state, [], { verdict, faults: [issue], reason }));
  return "drop";
}

/**
 * Records a response over HTTP to a message that has none, such as a notification. Returns whether the policy blocks
 * it.
 * @param reason what is wrong with it, in one line
 */
export async function refuseAcknowledgement(
  state: PipelineState,
  reason: string,
): Promise<boolean> {
  const verdict = decideProtocol(1, state.context.snapshot().server.protocol);
  const issue: Issue = { path: "", message: reason, rule: "protocol", keyword: "acknowledgement" };
  if (verdict.record) {
    await state.append(recordFault(state, [], { verdict, faults: [issue], reason }));
  }
  return verdict.decision === "blocked";
}

/** Blocks a frame that answers requests, in every mode. Returns the errors for the client. */
async function refuse(
  state: PipelineState,
  requests: readonly PendingRequest[],
  issue: Issue,
  reason: string,
): Promise<Uint8Array[]> {
  const verdict = alwaysBlocked(state.context.snapshot().server.protocol.mode);
  const fault = { verdict, faults: [issue], reason };
  await state.append(recordFault(state, requests, fault));
  return answerErrors(requests, fault);
}

/** What replaces the lost frame; nothing if the frame answered nothing. */
function replaced(errors: readonly Uint8Array[], inBatch: boolean): StageOutcome {
  const [first] = errors;
  if (first === undefined) return "drop";
  return { respond: inBatch ? joinBatch(errors) : first };
}

/**
 * Ends requests whose response is unreadable: an unknown content coding, charset or media type, or not JSON. Every
 * mode blocks it, with an error on each id, because there is nothing to forward.
 * @param answers the ids, by key, of the requests that it answered; requests that are no longer pending are skipped
 */
export async function refuseUnreadable(
  state: PipelineState,
  reason: string,
  answers: readonly string[],
): Promise<MessageOutput> {
  const requests = answers.flatMap((key) => state.inflight.take(key) ?? []);
  const issue: Issue = { path: "", message: reason, rule: "protocol", keyword: "content" };
  const errors = await refuse(state, requests, issue, reason);
  const [first] = errors;
  if (first === undefined) return {};
  return { onward: errors.length === 1 ? first : joinBatch(errors) };
}

/** Why responses are blocked. */
interface AnswerFault {
  readonly verdict: PolicyDecision;
  readonly faults: readonly Issue[];
  readonly reason: string;
}

/** Records and logs a fault of the server, and ends the calls that the frame answered. */
function recordFault(
  state: PipelineState,
  requests: readonly PendingRequest[],
  { verdict, faults, reason }: AnswerFault,
): ActivityEntry[] {
  const calls = requests.flatMap(({ call }) => call ?? []);
  const entries: ActivityEntry[] = [];
  const [first] = requests;
  // Each request gets its own error, with the same text.
  const make = (): Uint8Array => lostResponse(first?.id ?? "null", reason, faults);
  const finding: CheckDecision = {
    ...{ direction: "protocol", verdict, issues: faults, reason: () => reason, calls },
    reply: { make, toClient: first !== undefined },
  };
  settle(state, finding, entries);
  for (const lost of calls) state.evidence.endCall(lost, "blocked", {}, entries);
  return entries;
}

/** Returns an error for each request whose response is blocked. */
function answerErrors(
  requests: readonly PendingRequest[],
  { faults, reason }: AnswerFault,
): Uint8Array[] {
  return requests.map(({ id, operation }) => {
    const error = lostResponse(id, reason, faults);
    operation?.released(error);
    return error;
  });
}

/** The requests whose responses were lost in a broken frame. */
export interface UnansweredRequests {
  readonly requests: readonly PendingRequest[];
  /** Whether the responses arrived as a batch. */
  readonly inBatch: boolean;
}

/**
 * Takes the requests that a broken server frame was meant to answer, by their ids or because only one is pending, so
 * that each gets an error. Later responses to them are no longer for the client.
 */
export function takeUnansweredRequests(state: PipelineState, frame: Frame): UnansweredRequests {
  const batch = lostBatch(state, frame);
  const found = batch ?? lostAnswer(state, frame);
  return { requests: ended(state, found), inBatch: batch !== undefined };
}

/**
 * Does the same for a server batch that is over the limit.
 * @param head the beginning of the batch, possibly all of it
 * @returns undefined if it is not a batch, or if it is unclear which requests it answers
 */
export function takeOversizeBatch(state: PipelineState, head: Frame): PendingRequest[] | undefined {
  const found = head.kind === "batch" ? wholeBatch(state, head) : lostBatch(state, head);
  return found && ended(state, found);
}

/** The requests among these that had no response until now. */
function ended({ late }: PipelineState, found: readonly PendingRequest[]): PendingRequest[] {
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
  // A message with a method is not a response; its id is the server's own.
  if (frame.range("/method") !== undefined) return [];
  const key = readableId(frame)?.key;
  if (key !== undefined) return take(state, key);
  // A complete message without an id answers nothing.
  const only = frame.scan.error === undefined ? undefined : state.inflight.takeOnly();
  return only === undefined ? [] : [only];
}

/**
 * Returns the requests that a broken batch was meant to answer. One array answers a whole batch (JSON-RPC
 * 2.0, section 6). If not all ids are readable, the rest of the client's batch is lost too, provided that it is clear
 * which batch it was. Undefined if the frame is not a broken batch, or if it is unclear which requests it answers.
 */
function lostBatch(state: PipelineState, frame: Frame): PendingRequest[] | undefined {
  const { inflight } = state;
  const broken = readBrokenBatch(frame, MAX_BATCH);
  if (broken === undefined) return undefined;
  const answers = broken.items.filter((item) => item.range("/method") === undefined);
  // Requests and notifications that the server starts.
  if (answers.length === 0) return [];
  const keys = answers.flatMap((item) => readableId(item)?.key ?? []);
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
