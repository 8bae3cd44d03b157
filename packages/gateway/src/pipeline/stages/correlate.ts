import { type Frame, idKey } from "@touchstone/protocol/advanced";
import type { Mode } from "../../settings/validation.ts";
import { dropStrayOutput, failUnidentifiedRequest, refuseOwnResponse } from "../broken.ts";
import type { ServerExchange, Stage, StageOutcome } from "../exchange.ts";
import { allFaults, describeFaults, protocolFault } from "../faults.ts";
import { lookalikeIds, type PendingRequest, type RequestIdentity } from "../in-flight.ts";
import { checkOutputAhead } from "../judge.ts";
import { errorWithId, unknownRequest } from "../messages.ts";
import { mirrorContent } from "../mirror-content.ts";
import { type CheckDecision, settle } from "../settle.ts";
import { announceResponse, resumedRequest } from "../shared-requests.ts";
import type { PipelineState } from "../state.ts";
import { callResultPointer } from "../tasks.ts";
import { describeUnmatchedResponse, listIds } from "../unmatched.ts";
import { isFullyRead, readArrivedFrame, readFully } from "./decode.ts";
import { responseFaults, serverMessageContext } from "./protocol.ts";

/** With more pending requests, counting them is not reliable evidence. */
const MAX_WAITING = 1_000;
const MANGLED =
  "the server sent as many unmatched responses as there were open requests, so they were treated as the responses to these";

/**
 * Finds the request that a server message answers: by its id, by an id that some clients treat as the same, or as the
 * only request that a message without an id can be about. Drops responses that nobody waits for.
 */
export const correlate: Stage<ServerExchange> = {
  name: "correlate",
  wait(exchange) {
    const finding = exchange.isResponse ? find(exchange) : undefined;
    return finding === undefined ? readResult(exchange) : finding.then(() => readResult(exchange));
  },
  run(exchange) {
    if (exchange.early !== undefined) return exchange.early;
    return exchange.isResponse ? respondTo(exchange) : "continue";
  },
};

/** Sets the request that a response answers. */
function find(exchange: ServerExchange): Promise<void> | undefined {
  const { state, frame, place } = exchange;
  const { answered: again, inflight, late } = state;
  const { resumed, resumable } = place;
  const key = frame.idKey ?? "";
  const waiting = inflight.take(key) ?? late.take(key);
  const known = waiting ?? (resumed === true ? again.get(key) : undefined);
  const pending = known ?? takeLookalike(state, key);
  if (pending !== undefined) noteAnswered(exchange, key, pending);
  else if (mayMeanAnother(exchange, key)) return takeUnmatched(exchange);
  if (waiting && resumable === true) again.set(key, answeredOnce(waiting));
  exchange.pending = pending;
  if (resumed !== true) return undefined;
  return resumedRequest(state, frame, pending)?.then((found) => {
    if (found && pending === undefined) again.set(key, answeredOnce(found));
    exchange.pending = found;
  });
}

/** Notes that a request has its response. This may show which requests earlier unmatched responses were about. */
function noteAnswered(exchange: ServerExchange, key: string, pending: PendingRequest): void {
  const { state } = exchange;
  const { mark } = pending;
  if (mark !== undefined) exchange.beside = endAll(state, state.unmatched.answered(key, mark));
  if (pending.announced !== undefined) announceResponse(state, pending);
}

/** Adds missing members to a result, then checks it, on a thread if that takes long. */
function readResult(exchange: ServerExchange): Promise<void> | undefined {
  const mirroring =
    exchange.snapshot.server.adapt === undefined ? undefined : mirrorContent(exchange);
  return mirroring === undefined
    ? checkResult(exchange)
    : mirroring.then(() => checkResult(exchange));
}

function checkResult(exchange: ServerExchange): Promise<void> | undefined {
  const { state, frame, pending, early } = exchange;
  const call = early === undefined ? pending?.call : undefined;
  const part = pending && call && callResultPointer(frame, pending);
  if (call === undefined || part === undefined) return undefined;
  return checkOutputAhead(frame, call, part, state.later);
}

/** Checks whether the client still waits for a response, and what is wrong with it as a message. */
function respondTo(exchange: ServerExchange): StageOutcome {
  const { state, frame, pending, place } = exchange;
  const { context, rules } = state;
  exchange.began = state.tap.now?.();
  pending?.operation?.answered(frame, exchange.began);
  const said = serverMessageContext(state, { frame, pending, rules: exchange.rules });
  // The client already got an error: no response arrived in time, or it was broken.
  if (pending?.settled || pending?.call?.expired) {
    rules.note(frame, said);
    return "drop";
  }
  if (pending?.cancelled) {
    rules.note(frame, said);
    context.log.debug(`${context.server}: a response to a canceled request is dropped`);
    return "drop";
  }
  // It may be log output about a response that the server sends or has sent.
  if (pending === undefined && place.line?.amongText) {
    dropStrayOutput(context, frame, [place.line.issue]);
    return "drop";
  }
  const { server } = exchange.snapshot;
  exchange.protocol = (pending?.call?.settings ?? server).protocol;
  exchange.faults = responseFaults(state, exchange, exchange.protocol, said);
  rules.note(frame, said);
  return pending ? "continue" : unexpected(exchange);
}

/**
 * Settles a result that matches no pending request. A client that is about to use its id, or has just used it, would
 * treat it as the response, although no schema was applied. If the pipeline does not see everything that the client
 * sends, it cannot know that, and does not check the result.
 */
function unexpected({
  state,
  frame,
  place,
  entries,
  faults,
  isUnmatched,
  snapshot,
}: ServerExchange): StageOutcome {
  const { conversation } = state;
  if (conversation.whole !== true || frame.kind !== "response") return "continue";
  const mode: Mode = snapshot.strictestForAnswers;
  if (mode === "off") return "continue";
  const { errors, items, more = 0 } = faults;
  const found = allFaults(errors, items);
  const waiting = state.inflight.some(MAX_WAITING).map(({ id }) => id);
  const about = waiting.length === 0 ? undefined : `pending requests: ${listIds(waiting)}`;
  const issues = isUnmatched
    ? found
    : [protocolFault("/id", describeUnmatchedResponse(frame, about)), ...found];
  const asked = mode === "strict" ? "blocked" : "warning";
  const verdict = { decision: asked, outcome: "violation", mode, record: true } as const;
  const reason = (): string => describeFaults(issues, more);
  const what = "server answer";
  // A client that resumed the stream may be waiting for this response.
  const reply =
    place.resumed === true
      ? { make: () => unknownRequest(frame.id, issues), toClient: true }
      : undefined;
  const finding: CheckDecision = {
    direction: "protocol",
    verdict,
    issues,
    more,
    reason,
    what,
    reply,
  };
  const { decision, response } = settle(state, finding, entries);
  if (decision !== "blocked") return { respond: frame.bytes };
  return response === undefined ? "drop" : { respond: response };
}

/**
 * Returns whether a response has no id, or `null`. Such an error answers a message with an unreadable id (JSON-RPC
 * 2.0, section 5).
 */
export function lacksId({ id, kind }: Frame): boolean {
  return (kind === "response" || kind === "error") && (id === undefined || id === "null");
}

/**
 * Returns whether a response can be about a request that it does not name: it has no id, or an id that the client has
 * not used. Clients find their request by the response's id, so the two must be equal (JSON-RPC 2.0, section 5).
 */
function mayMeanAnother({ state, frame, place }: ServerExchange, key: string): boolean {
  if (lacksId(frame)) return place.refusal !== true;
  // Over HTTP, the end of the response shows whether the request has a response.
  if (place.answers !== undefined) return false;
  // Another part of the batch may be the response to the only pending request.
  if (place.resumed || place.inBatch || place.line?.amongText) return false;
  if (state.conversation.whole !== true || state.context.sharedRequests !== undefined) return false;
  return !state.held.has(key) && !state.unmatched.wasAnswered(key);
}

/**
 * Handles a response that names no request. If it can be about only one, a server's error goes to that request; a
 * result becomes an error, because no client can use it. A response that may be about one of the gateway's own
 * requests is never forwarded as the response to another one.
 */
function takeUnmatched(exchange: ServerExchange): Promise<void> | undefined {
  const { state, frame, place } = exchange;
  const { batches, context, inflight, unmatched } = state;
  const { answers, resumed } = place;
  // Over HTTP a response is about the requests of its POST; the end of the POST's response shows which of them have
  // none.
  const isAboutAny = answers === undefined;
  const own = isAboutAny ? unmatched.own : [];
  const waiting =
    answers?.flatMap((key) => inflight.get(key) ?? []) ?? inflight.some(MAX_WAITING + 1);
  const [only, ...others] = waiting;
  const notice = isAboutAny && own.length === 0 ? unmatched.noticeFor(frame) : undefined;
  if (only !== undefined && others.length + own.length === 0 && notice === undefined) {
    return takeFor(exchange, only);
  }
  const issue = protocolFault(
    "/id",
    describeUnmatchedResponse(frame, aboutWhat(own, waiting, notice)),
  );
  unmatched.failOwn(own, frame);
  if (waiting.length === 0) {
    if (own.length > 0) return early(exchange, refuseOwnResponse(state, issue));
    if (!lacksId(frame)) return undefined;
    const { paced, server } = context;
    const what = `${server}: server sent a message without an id: ${issue.message}`;
    paced.warn(what, what, frame.errorCode === undefined ? {} : { code: frame.errorCode });
    return undefined;
  }
  const marks = [...own, ...waiting.flatMap(({ mark }) => mark ?? [])];
  const counts = isAboutAny && resumed !== true && notice === undefined;
  const ended = counts ? endAll(state, unmatched.count(marks)) : undefined;
  if (ended === undefined) {
    batches.noteLine(frame, issue);
    exchange.isUnmatched = true;
    return undefined;
  }
  exchange.beside = ended;
  return early(exchange, Promise.resolve("drop"));
}

/** Treats a response as the response to the only pending request. */
function takeFor(exchange: ServerExchange, only: PendingRequest): Promise<void> | undefined {
  const { state, frame } = exchange;
  const { batches, inflight } = state;
  const key = idKey(only.id);
  const about = `it is treated as the response to the only pending request, ${listIds([only.id])}`;
  const issue = protocolFault("/id", describeUnmatchedResponse(frame, about));
  inflight.remove(key, only);
  noteAnswered(exchange, key, only);
  if (frame.kind === "response") {
    const ended = failUnidentifiedRequest(state, only, issue);
    return early(
      exchange,
      ended.then((respond) => ({ respond })),
    );
  }
  const error = errorWithId(frame, only.id);
  const toolOf = (): string | undefined => only.call?.tool;
  const take = (read: Frame): void => {
    exchange.readAs(read);
    exchange.pending = only;
    batches.noteLine(read, issue);
  };
  const read = readArrivedFrame(state.context, error, toolOf, { snapshot: exchange.snapshot });
  if (isFullyRead(read)) return void take(read);
  return state.context.slice.take(readFully(state.context, read, toolOf)).then(take);
}

/** Ends the pending requests that unmatched responses were about. Undefined if there are none. */
function endAll(
  state: PipelineState,
  marks: ReadonlySet<RequestIdentity>,
): Promise<readonly Uint8Array[]> | undefined {
  if (marks.size === 0) return undefined;
  const requests = state.inflight.takeWhich(({ mark }) => mark !== undefined && marks.has(mark));
  if (requests.length === 0) return undefined;
  for (const request of requests) announceResponse(state, request);
  const issue = protocolFault("/id", MANGLED);
  return Promise.all(requests.map((request) => failUnidentifiedRequest(state, request, issue)));
}

function early(exchange: ServerExchange, decided: Promise<StageOutcome>): Promise<void> {
  return decided.then((outcome) => {
    exchange.early = outcome;
  });
}

/** Returns the requests that a response without a known id may be about. */
function aboutWhat(
  own: readonly { readonly method: string }[],
  waiting: readonly PendingRequest[],
  notice: string | undefined,
): string {
  const asked = [...new Set(own.map(({ method }) => `the gateway's own ${method}`))];
  if (waiting.length === 0 && notice === undefined) {
    const [first] = asked;
    return first ? `it is treated as the response to ${first}` : "no request waits for a response";
  }
  const ids = waiting.length === 0 ? [] : [listIds(waiting.map(({ id }) => id))];
  const noted = notice === undefined ? [] : [notice];
  return `it is not clear which request it is about (${[...ids, ...asked, ...noted].join("; ")})`;
}

/**
 * Returns the pending request that some clients would pair with this response id. The request is no longer pending
 * afterward: otherwise a server that writes all ids this way would use up all places. Other clients still wait for
 * the exact id, so a later response with that id is checked.
 */
function takeLookalike({ inflight, late }: PipelineState, key: string): PendingRequest | undefined {
  for (const other of lookalikeIds(key)) {
    const waiting = inflight.take(other);
    if (waiting !== undefined) {
      const pending = { ...waiting, loosely: true };
      late.add(other, pending);
      return pending;
    }
    const pending = late.get(other);
    if (pending !== undefined) return pending;
  }
  return undefined;
}

/**
 * Ends a request that was answered under an id that only looks like its own. Later responses to it count as extra
 * ones.
 */
export function endLookalikeRequest({ late }: PipelineState, pending: PendingRequest): void {
  if (pending.loosely) late.replace(idKey(pending.id), pending, { ...pending, settled: true });
}

/**
 * Returns a request whose response will be checked if it arrives again. The call of this request already has a
 * record.
 */
function answeredOnce(answered: PendingRequest): PendingRequest {
  const { operation: _, announced: __, call, ...request } = answered;
  if (call === undefined) return request;
  // Arguments may be large, and the record already has them.
  return { ...request, call: { ...call, arguments: undefined, recorded: true } };
}
