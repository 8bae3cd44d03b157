import { type Frame, idKey } from "@touchstone/protocol";
import type { Mode } from "../../policy/settings.ts";
import { passNoise, unnamedResult } from "../broken.ts";
import type { Outcome, ServerExchange, Stage } from "../exchange.ts";
import { allFaults, describeFaults, protocolFault } from "../faults.ts";
import { lookalikes, type PendingRequest } from "../in-flight.ts";
import { checkOutputAhead } from "../judge.ts";
import { errorOnId, unknownRequest } from "../messages.ts";
import { type Finding, settle } from "../settle.ts";
import { announceAnswer, resumedRequest } from "../shared-requests.ts";
import type { PipelineState } from "../state.ts";
import { judgedPart } from "../tasks.ts";
import { readJudged } from "./decode.ts";
import { responseFaults, saidByServer } from "./protocol.ts";

/**
 * Finds the request that a server's message answers: by its id, by an id that some clients take for that, or as the
 * only one that a message without an id can be about. Drops responses that nobody waits for any more.
 */
export const correlate: Stage<ServerExchange> = {
  name: "correlate",
  wait(exchange) {
    if (!exchange.isResponse) return undefined;
    const finding = find(exchange);
    return finding === undefined ? checkAhead(exchange) : finding.then(() => checkAhead(exchange));
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
  if (waiting === undefined && place.refusal !== true && isNameless(frame)) {
    return takeNameless(exchange);
  }
  const pending =
    waiting ?? (resumed === true ? again.get(key) : undefined) ?? takeLookalike(state, key);
  if (pending?.announced !== undefined) announceAnswer(state, pending);
  if (waiting && resumable === true) again.set(key, answeredOnce(waiting));
  exchange.pending = pending;
  if (resumed !== true) return undefined;
  return resumedRequest(state, frame, pending)?.then((known) => {
    if (known && pending === undefined) again.set(key, answeredOnce(known));
    exchange.pending = known;
  });
}

/** Checks a result on a thread if that takes long. */
function checkAhead({ state, frame, pending, early }: ServerExchange): Promise<void> | undefined {
  const call = early === undefined ? pending?.call : undefined;
  const part = pending && call && judgedPart(frame, pending);
  if (call === undefined || part === undefined) return undefined;
  return checkOutputAhead(frame, call, part, state.later);
}

/** Checks whether the client still waits for a response, and what is wrong with it as a message. */
function respondTo(exchange: ServerExchange): Outcome {
  const { state, frame, pending, place } = exchange;
  const { context, rules } = state;
  exchange.began = context.telemetry?.now();
  pending?.operation?.answered(frame, exchange.began);
  const said = saidByServer(state, { frame, pending });
  // The client was told that no answer came in time, or that the one that came was broken.
  if (pending?.settled || pending?.call?.expired) {
    rules.note(frame, said);
    return "drop";
  }
  if (pending?.cancelled) {
    rules.note(frame, said);
    context.log.debug(`${context.server}: a response to a cancelled request is left out`);
    return "drop";
  }
  // It may be what the server logs of a response that it sends, or has sent.
  if (pending === undefined && place.line?.amongText) {
    passNoise(context, frame, [place.line.issue]);
    return "drop";
  }
  // The mode may change while a list is learnt.
  exchange.protocol = (pending?.call?.settings ?? context.settings()).protocol;
  exchange.faults = responseFaults(state, { frame, pending }, exchange.protocol);
  rules.note(frame, said);
  return pending ? "continue" : unexpected(exchange);
}

/**
 * Settles a result that answers no request. A client that is about to use its id, or has just done so, would take it for
 * the answer, and no schema was applied to it. Where the pipeline is not shown all that the client sends, nobody knows,
 * and it is not judged.
 */
function unexpected({ state, frame, place, entries, faults }: ServerExchange): Outcome {
  const { context, conversation } = state;
  if (conversation.whole !== true || frame.kind !== "response") return "continue";
  const mode: Mode = context.strictestForAnswers();
  if (mode === "off") return "continue";
  const unasked = protocolFault("/id", "no request with this id waits for an answer");
  const { errors, items, more = 0 } = faults;
  const issues = [unasked, ...allFaults(errors, items)];
  const asked = mode === "strict" ? "blocked" : "warning";
  const verdict = { decision: asked, outcome: "violation", mode, record: true } as const;
  const reason = (): string => describeFaults(issues, more);
  const what = "server answer";
  const finding: Finding = { direction: "protocol", verdict, issues, more, reason, what };
  const { decision } = settle(state, finding, entries);
  if (decision !== "blocked") return { respond: frame.bytes };
  // A client that resumed the stream may wait for it.
  return place.resumed === true ? { respond: unknownRequest(frame.id, issues) } : "drop";
}

/**
 * Whether a response has no id, or `null`: so an error answers a message whose id could not be read (JSON-RPC 2.0,
 * section 5).
 */
export function isNameless({ id, kind }: Frame): boolean {
  return (kind === "response" || kind === "error") && (id === undefined || id === "null");
}

/** Takes a response without an id: an error of the server's goes to the only request that it can be about. */
function takeNameless(exchange: ServerExchange): Promise<void> | undefined {
  const { state, frame, place } = exchange;
  const { batches, context } = state;
  const { pending, waiting } = takeMeant(state, place.answers);
  const issue = namelessFault(frame, pending !== undefined);
  if (waiting === 0) {
    const { paced, server } = context;
    const what = `${server}: server sent ${issue.message}`;
    paced.warn(what, what, frame.errorCode === undefined ? {} : { code: frame.errorCode });
    return undefined;
  }
  if (pending?.announced !== undefined) announceAnswer(state, pending);
  if (pending !== undefined && frame.kind === "response") {
    return unnamedResult(state, pending, issue).then((outcome) => {
      exchange.early = outcome;
    });
  }
  if (pending !== undefined) {
    const named = errorOnId(frame, pending.id);
    exchange.readAs(readJudged(context, named, () => pending.call?.tool));
    exchange.pending = pending;
  }
  batches.noteLine(exchange.frame, issue);
  return undefined;
}

/**
 * Takes the request that a response without an id is meant for, if there is exactly one that it can be.
 * @param answers the ids, by key, of the requests that it can be about; all that wait by default
 * @returns the request, and how many it could have been
 */
function takeMeant(
  { inflight }: PipelineState,
  answers: readonly string[] | undefined,
): { readonly pending?: PendingRequest | undefined; readonly waiting: number } {
  if (answers === undefined) return { waiting: inflight.size, pending: inflight.takeOnly() };
  const waiting = answers.filter((answer) => inflight.has(answer));
  const [key] = waiting.length === 1 ? waiting : [];
  return { waiting: waiting.length, pending: key === undefined ? undefined : inflight.take(key) };
}

/** What is wrong with it. @param meant whether exactly one request can be meant */
function namelessFault({ kind }: Frame, meant: boolean): ReturnType<typeof protocolFault> {
  const what = kind === "error" ? "the error" : "the response";
  const rest = meant
    ? "it is taken to be about the only request that waits"
    : "it is not clear which request it is about";
  return protocolFault("/id", `${what} has no id; ${rest}`);
}

/**
 * The pending request that some clients would pair with this response id. It waits no more, or a server that writes
 * all ids so would use up all places; other clients wait on, so what comes under its own id is judged.
 */
function takeLookalike({ inflight, late }: PipelineState, key: string): PendingRequest | undefined {
  for (const other of lookalikes(key)) {
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

/** Ends a request that was answered under an id that only looks like its own: what else comes is one too many. */
export function dropTwin({ late }: PipelineState, pending: PendingRequest): void {
  if (pending.loosely) late.replace(idKey(pending.id), pending, { ...pending, settled: true });
}

/** A request whose answer is judged once more where it comes again; its call has its record by then. */
function answeredOnce(answered: PendingRequest): PendingRequest {
  const { operation: _, announced: __, call, ...request } = answered;
  if (call === undefined) return request;
  // They may be large, and belong to the record.
  return { ...request, call: { ...call, arguments: undefined, recorded: true } };
}
