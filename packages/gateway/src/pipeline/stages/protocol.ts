import type { Issue } from "@touchstone/core";
import {
  type Frame,
  findCallTwins,
  idKey,
  type MessageContext,
  type Revision,
  refusedRevision,
  revisionOf,
} from "@touchstone/protocol/advanced";
import { eraOf } from "../../eras/eras.ts";
import type { PolicyDecision } from "../../features/decision.ts";
import type { ProtocolCheckSettings } from "../../settings/validation.ts";
import {
  areInputIssues,
  elicitationResponseFaults,
  inputResponseFaults,
  learnElicitationForms,
  readElicitation,
} from "../elicitation.ts";
import { responseFacts } from "../evidence.ts";
import type { ClientExchange, ServerExchange, Stage, StageOutcome } from "../exchange.ts";
import {
  allFaults,
  checkMessageSteps,
  isCheckedAtOnce,
  type MessageFaults,
  type MessageOptions,
  messageFaults,
  NO_FAULTS,
  protocolFault,
  responseMessageFaults,
  withoutTypeFault,
  withTransportFault,
} from "../faults.ts";
import { lookalikeIds, type PendingRequest } from "../in-flight.ts";
import { ALLOWED_UNCHECKED, judgeCall, judgeOutput } from "../judge.ts";
import {
  blockedInput,
  blockedMessage,
  blockedRequest,
  blockedResponse,
  receivesError,
} from "../messages.ts";
import { settleProtocol } from "../settle.ts";
import { type SettingsSnapshot, snapshotOf } from "../snapshot.ts";
import type { PipelineState } from "../state.ts";
import { announcedTask, callResultPointer, taskIdConflict } from "../tasks.ts";
import { NEVER_BLOCKED } from "./session.ts";

/** Checks a client message by JSON-RPC, by its MCP revision, and by the messages before it. */
export const protocolClient: Stage<ClientExchange> = {
  name: "protocol",
  run(exchange) {
    const { state, frame, came, call, renamed, entries } = exchange;
    const { protocol } = exchange.settings;
    const began = state.tap.now?.();
    const ofSchema = call && (() => judgeCall(frame, call).verdict);
    // The gateway puts the tool's own name into the message, so the server would find matching headers.
    const isHidden = renamed !== undefined && came.transport !== undefined;
    const settings = isHidden ? ({ ...protocol, mode: "strict" } as const) : protocol;
    const faults =
      settings.mode === "off"
        ? NO_FAULTS
        : withTransportFault(
            clientFaults(exchange, { protocol: settings, ofSchema }),
            came.transport,
          );
    const isInput = faults.errors.length > 0 && areInputIssues(faults.errors);
    const make = (): Uint8Array => {
      const issues = allFaults(faults.errors, faults.items);
      if (isInput) return blockedInput(frame, issues, exchange.era);
      return blockedMessage(frame, issues, came.transport?.code);
    };
    const reply = faults === NO_FAULTS ? undefined : { make, toClient: receivesError(frame) };
    const what = isInput ? "elicitation response" : "client message";
    const check = { settings, what, call, began, reply };
    const { response } = settleProtocol(state, faults, check, entries);
    if (response === undefined) return "continue";
    if (call)
      entries.push(state.evidence.toolCall(call, "blocked", responseFacts(frame, response)));
    return { respond: response };
  },
};

/** Checks a server message in the same way. A blocked response is replaced, so that its call gets a record. */
export const protocolServer: Stage<ServerExchange> = {
  name: "protocol",
  run(exchange) {
    if (!exchange.isResponse) return checkMessage(exchange);
    const { state, frame, pending, entries, faults, protocol: settings, began } = exchange;
    const neverBlocked = NEVER_BLOCKED.has(pending?.method ?? "");
    const page = pending?.method === "tools/list" ? frame : undefined;
    const make = (reason: string): Uint8Array => {
      const issues = allFaults(faults.errors, faults.items);
      return blockedResponse(pending?.id ?? frame.id, reason, issues);
    };
    const what = "server answer";
    const reply = { make, toClient: true };
    const { call } = pending ?? {};
    const check = { settings, what, call, neverBlocked, isResponse: true, page, began, reply };
    const { response } = settleProtocol(state, faults, check, entries);
    if (response !== undefined) exchange.onward = response;
    return "continue";
  },
};

/** Checks a request or notification of the server's own. */
function checkMessage({ state, frame, entries, snapshot, rules }: ServerExchange): StageOutcome {
  if (frame.method === "notifications/tools/list_changed") state.toolsChanged();
  const settings = settingsFor(state, frame, snapshot);
  const began = state.tap.now?.();
  const said = state.said("server", rules);
  const { id, idKey, method = "" } = frame;
  const asks = method === "elicitation/create" && frame.kind === "request";
  const read = asks && settings.mode !== "off" ? readElicitation(frame) : undefined;
  const found =
    settings.mode === "off"
      ? NO_FAULTS
      : state.inPlace(frame, messageFaults(frame, serverOptions(state, rules, settings)), said);
  const faults = read === undefined ? found : joinFaults(found, read.errors, read.advice);
  const check = { settings, what: "server message", began };
  const { decision } = settleProtocol(state, faults, check, entries);
  if (decision === "blocked") {
    if (frame.kind !== "request" || id === undefined) return "drop";
    return { respond: blockedRequest(id, allFaults(faults.errors, faults.items)) };
  }
  state.rules.note(frame, said);
  if (frame.kind === "request" && idKey !== undefined) {
    state.asked.set(idKey, method);
    if (read !== undefined) state.forms.set(idKey, read.form);
  }
  return "continue";
}

function joinFaults(
  faults: MessageFaults,
  errors: readonly Issue[],
  items: readonly Issue[],
): MessageFaults {
  if (errors.length === 0 && items.length === 0) return faults;
  return {
    ...faults,
    errors: [...faults.errors, ...errors],
    items: [...faults.items, ...items],
  };
}

/**
 * Some clients treat a message with a result as a response, whatever else it contains. If results are checked, such a
 * message must not pass unchecked.
 */
function settingsFor(
  { inflight }: PipelineState,
  frame: Frame,
  { server }: SettingsSnapshot,
): ProtocolCheckSettings {
  const { output, protocol } = inflight.get(frame.idKey ?? "")?.call?.settings ?? server;
  const answers = frame.range("/result") !== undefined || frame.range("/error") !== undefined;
  return answers && output.mode === "strict" ? { ...protocol, mode: "strict" } : protocol;
}

/** Returns how to check a request or notification of the server. */
function serverOptions(
  { tasksExtension }: PipelineState,
  rules: Revision | undefined,
  { maxBytes }: ProtocolCheckSettings,
): MessageOptions {
  return { sender: "server", revision: rules, maxBytes, tasksExtension: tasksExtension.agreed };
}

/** Checks a long server message in steps, before the stages. */
export function serverFaultsAhead(state: PipelineState, frame: Frame): Generator<void, void, void> {
  return checkMessageSteps(frame, () => {
    const snapshot = snapshotOf(frame, state.context.snapshot);
    if (frame.kind !== "response" && frame.kind !== "error") {
      const settings = settingsFor(state, frame, snapshot);
      if (settings.mode === "off") return undefined;
      return serverOptions(state, rulesOf(state.revision), settings);
    }
    const pending = expectedBy(state, frame);
    const { protocol } = pending?.call?.settings ?? snapshot.server;
    const rules = rulesOf(pending?.revision ?? state.revision);
    return responseOptions(state, { frame, pending, rules }, protocol);
  });
}

/** The request that a response is probably about. */
function expectedBy({ inflight, late }: PipelineState, frame: Frame): PendingRequest | undefined {
  const key = frame.idKey ?? "";
  const named = inflight.get(key) ?? late.get(key);
  if (named !== undefined) return named;
  for (const other of lookalikeIds(key)) {
    const pending = inflight.get(other) ?? late.get(other);
    if (pending !== undefined) return pending;
  }
  return undefined;
}

/** Does the same as {@link serverFaultsAhead} for a response to a known request. */
export function responseFaultsAhead(
  state: PipelineState,
  response: Response,
  settings: ProtocolCheckSettings,
): Generator<void, void, void> {
  return checkMessageSteps(response.frame, () => responseOptions(state, response, settings));
}

/** Returns how to check a server's response as a message; undefined if it is not checked. */
function responseOptions(
  { tasksExtension }: PipelineState,
  { frame, pending, rules }: Response,
  { mode, maxBytes }: ProtocolCheckSettings,
): MessageOptions | undefined {
  if (mode === "off") return undefined;
  // The revision that `initialize` agrees on applies to its own response, too.
  const agreed = pending?.method === "initialize" ? frame.initializeVersion : undefined;
  return {
    sender: "server",
    revision: agreed === undefined ? rules : rulesOf(agreed),
    maxBytes,
    tasksExtension: tasksExtension.agreed,
    requestMethod: pending && resultOf(pending),
  };
}

/**
 * Returns the method whose result a response carries: `tasks/result` returns the result of the task's request (MCP
 * 2025-11-25, Tasks, Result Retrieval).
 */
function resultOf({ method, call }: PendingRequest): string {
  return method === "tasks/result" && call !== undefined ? "tools/call" : method;
}

/**
 * Does the same as {@link serverFaultsAhead} for a client message. Also finds parts that servers may read as a
 * different call.
 */
export function* clientFaultsAhead(
  state: PipelineState,
  frame: Frame,
): Generator<void, void, void> {
  if (!isCheckedAtOnce(frame)) yield* findCallTwins(frame);
  yield* checkMessageSteps(frame, () => {
    const { protocol } = snapshotOf(frame, state.context.snapshot).of(frame.toolName);
    if (protocol.mode === "off") return undefined;
    return clientOptions(state, frame, rulesOf(state.revisionFor(frame)), protocol);
  });
}

/** Returns how to check a client message. A response is checked as the answer to the server's request. */
function clientOptions(
  { asked, tasksExtension }: PipelineState,
  frame: Frame,
  rules: Revision | undefined,
  { maxBytes }: ProtocolCheckSettings,
): MessageOptions {
  const { idKey, kind } = frame;
  const isAnswer = kind === "response" || kind === "error";
  return {
    sender: "client",
    revision: rules,
    maxBytes,
    tasksExtension: tasksExtension.agreed,
    requestMethod: isAnswer && idKey !== undefined ? asked.get(idKey) : undefined,
  };
}

/** A client message, and the revision to check it by; undefined if that revision does not exist. */
type SentByClient = Pick<ClientExchange, "state" | "frame" | "rules">;

const rulesOf = (revision: string | undefined): Revision | undefined =>
  revision === undefined ? undefined : revisionOf(revision);

/** Returns how to check a client frame as a message. */
interface ClientChecks {
  readonly protocol: ProtocolCheckSettings;
  /** Checks a call's arguments by its tool's schema; undefined for other frames. */
  readonly ofSchema: (() => PolicyDecision) | undefined;
}

/** Returns the facts that rules between messages need about a client frame. */
export function clientMessageContext({ state, frame, rules }: SentByClient): MessageContext {
  const isAnswer = frame.kind === "response" || frame.kind === "error";
  return state.said("client", rules, isAnswer ? frame.idKey : undefined);
}

/** Returns what is wrong with a client frame as a message. A response is matched with the server's request. */
export function clientFaults(
  exchange: SentByClient,
  { protocol, ofSchema }: ClientChecks,
): MessageFaults {
  const { state, frame, rules } = exchange;
  const { asked, inflight } = state;
  const { idKey, kind } = frame;
  const ofMessage = messageFaults(frame, clientOptions(state, frame, rules, protocol));
  const ofInput = inputOf(exchange);
  const found = ofInput ? joinFaults(ofMessage, ofInput.errors, ofInput.items) : ofMessage;
  if ((kind === "response" || kind === "error") && idKey !== undefined) asked.take(idKey);
  const all = state.inPlace(frame, found, clientMessageContext(exchange));
  const faults = ofSchema ? withoutTypeFault(all, "/params/arguments", protocol, ofSchema) : all;
  if (kind !== "request" || !inflight.has(idKey ?? "")) return faults;
  const twice = protocolFault("/id", "id is in use by a request that has no response yet");
  return { ...faults, errors: [...faults.errors, twice] };
}

/** Returns what is wrong with a user's response to a form, if the message has one. */
function inputOf({ state, frame }: SentByClient): MessageFaults | undefined {
  const { idKey, kind, method = "", toolName: tool } = frame;
  if (kind === "response" && idKey !== undefined) {
    const { asked, forms } = state;
    // A server that compares ids loosely would accept this response as its own.
    const key = [idKey, ...lookalikeIds(idKey)].find((one) => forms.has(one));
    if (key !== undefined) return elicitationResponseFaults(frame, forms.take(key));
    return asked.has(idKey) ? undefined : elicitationResponseFaults(frame, undefined);
  }
  const isAgain = kind === "request" && frame.range("/params/inputResponses") !== undefined;
  return isAgain ? inputResponseFaults(state.elicited, frame, { method, tool }) : undefined;
}

interface Response {
  readonly frame: Frame;
  /** The request that it answers, if known. */
  readonly pending: PendingRequest | undefined;
  /** The revision of that request, or of the conversation; undefined if it does not exist. */
  readonly rules: Revision | undefined;
}

/** Returns the facts that rules between messages need about a server's response. */
export function serverMessageContext(
  state: PipelineState,
  { frame, pending, rules }: Response,
): MessageContext {
  const answers = pending?.id === frame.id ? frame.idKey : pending && idKey(pending.id);
  return state.said("server", rules, answers);
}

/**
 * Returns what is wrong with a server's response as a message; nothing if messages are not checked.
 * @param said the result of {@link serverMessageContext} for it
 */
export function responseFaults(
  state: PipelineState,
  response: Response,
  protocol: ProtocolCheckSettings,
  said: MessageContext,
): MessageFaults {
  const { frame, pending, rules } = response;
  const { tasks, tasksExtension } = state;
  const options = responseOptions(state, response, protocol);
  if (options === undefined) {
    // A new handshake replaces the refusal of an earlier one.
    if (pending?.method === "initialize") state.refusal = undefined;
    return NO_FAULTS;
  }
  const found = withRefusal(state, responseMessageFaults(frame, pending, options), response);
  const forms = learned(state, response);
  const all = forms === undefined ? found : joinFaults(found, forms.errors, forms.items);
  const others = withoutTypeFault(all, "/result/structuredContent", protocol, () =>
    outputVerdict(response, tasksExtension.agreed),
  );
  // Most conversations have no tasks.
  const announced =
    pending && tasks.size > 0
      ? announcedTask(frame, pending, eraOf(rules), tasksExtension.agreed)
      : undefined;
  const taken = taskIdConflict(announced, pending?.call, tasks);
  const faults = taken ? { ...others, errors: [...others.errors, taken] } : others;
  return state.inPlace(frame, faults, said);
}

/** Remembers the forms of a result that asks for input. */
function learned(
  state: PipelineState,
  { frame, pending, rules }: Response,
): MessageFaults | undefined {
  if (pending === undefined || frame.range("/result/inputRequests") === undefined) return undefined;
  if (!eraOf(rules).asksForInput(frame)) return undefined;
  return learnElicitationForms(state.elicited, frame, {
    method: pending.method,
    tool: pending.call?.tool,
  });
}

/** Notes, unless the mode is off, that a server has refused the client's revision, and what to do about it. */
function withRefusal(
  state: PipelineState,
  faults: MessageFaults,
  { frame, pending }: Response,
): MessageFaults {
  if (pending === undefined) return faults;
  const { method, revision: requested } = pending;
  if (frame.kind !== "error" && method !== "initialize") return faults;
  // A bridge handles the refusal, so the client need not do anything about it.
  if (pending.bridges !== undefined) return faults;
  const refused = refusedRevision(frame, { method, requested });
  if (method === "initialize") state.refusal = refused;
  if (refused === undefined) return faults;
  const issue = { ...protocolFault("/error", refused), keyword: "revision" };
  return { ...faults, items: [...faults.items, issue] };
}

/** Returns the check of a response by the tool's output schema, if it applies. */
function outputVerdict(
  { frame, pending, rules }: Response,
  tasksExtension: boolean,
): PolicyDecision {
  const call = pending?.call;
  if (pending === undefined || call === undefined) return ALLOWED_UNCHECKED;
  const era = eraOf(rules);
  if (frame.kind !== "response" || callResultPointer(frame, pending) !== "/result")
    return ALLOWED_UNCHECKED;
  if (announcedTask(frame, pending, era, tasksExtension) !== undefined) return ALLOWED_UNCHECKED;
  return judgeOutput(frame, call, era, "/result").verdict;
}
