import { type Frame, idKey, type Said } from "@touchstone/protocol";
import { eraOf } from "../../eras/eras.ts";
import type { Verdict } from "../../policy/decide.ts";
import type { ProtocolCheckSettings } from "../../policy/settings.ts";
import { answeredBy } from "../evidence.ts";
import type { ClientExchange, Outcome, ServerExchange, Stage } from "../exchange.ts";
import {
  allFaults,
  answerFaults,
  judgeAhead,
  type MessageFaults,
  type MessageOptions,
  messageFaults,
  NO_FAULTS,
  protocolFault,
  withoutType,
  withTransport,
} from "../faults.ts";
import { lookalikes, type PendingRequest } from "../in-flight.ts";
import { judgeCall, judgeOutput, UNCHECKED } from "../judge.ts";
import { blockedMessage, blockedRequest, blockedResponse, isAnswered } from "../messages.ts";
import { settleProtocol } from "../settle.ts";
import type { PipelineState } from "../state.ts";
import { announcedTask, judgedPart, takenTask } from "../tasks.ts";
import { NEVER_BLOCKED } from "./session.ts";

/** Checks a client message by JSON-RPC, by its MCP revision, and by the messages before it. */
export const protocolClient: Stage<ClientExchange> = {
  name: "protocol",
  run({ state, frame, came, call, renamed, entries, settings: { protocol } }) {
    const began = state.tap.now?.();
    const ofSchema = call && (() => judgeCall(frame, call).verdict);
    // The server would find headers that match: the gateway puts the tool's own name into the message.
    const isHidden = renamed !== undefined && came.transport !== undefined;
    const settings = isHidden ? ({ ...protocol, mode: "strict" } as const) : protocol;
    const faults =
      settings.mode === "off"
        ? NO_FAULTS
        : withTransport(
            clientFaults(state, frame, { protocol: settings, ofSchema }),
            came.transport,
          );
    const make = (): Uint8Array =>
      blockedMessage(frame, allFaults(faults.errors, faults.items), came.transport?.code);
    const reply = { make, toClient: isAnswered(frame) };
    const check = { settings, what: "client message", call, began, reply };
    const { response } = settleProtocol(state, faults, check, entries);
    if (response === undefined) return "continue";
    if (call) entries.push(state.evidence.toolCall(call, "blocked", answeredBy(frame, response)));
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
    const check = { settings, what, call: pending?.call, neverBlocked, page, began, reply };
    const { response } = settleProtocol(state, faults, check, entries);
    if (response !== undefined) exchange.onward = response;
    return "continue";
  },
};

/** Checks a request or notification of the server's own. */
function checkMessage({ state, frame, entries }: ServerExchange): Outcome {
  const { revision } = state;
  if (frame.method === "notifications/tools/list_changed") state.toolsChanged();
  const settings = settingsFor(state, frame);
  const began = state.tap.now?.();
  const said = state.said("server", revision);
  const faults =
    settings.mode === "off"
      ? NO_FAULTS
      : state.inPlace(frame, messageFaults(frame, serverOptions(state, settings)), said);
  const check = { settings, what: "server message", began };
  const { decision } = settleProtocol(state, faults, check, entries);
  const { id, idKey, method = "" } = frame;
  if (decision === "blocked") {
    if (frame.kind !== "request" || id === undefined) return "drop";
    return { respond: blockedRequest(id, allFaults(faults.errors, faults.items)) };
  }
  state.rules.note(frame, said);
  if (frame.kind === "request" && idKey !== undefined) state.asked.set(idKey, method);
  return "continue";
}

/**
 * Some clients treat a message with a result as a response, whatever else it contains. If results are checked, such a
 * message must not pass unchecked.
 */
function settingsFor({ context, inflight }: PipelineState, frame: Frame): ProtocolCheckSettings {
  const { output, protocol } =
    inflight.get(frame.idKey ?? "")?.call?.settings ?? context.settings();
  const answers = frame.range("/result") !== undefined || frame.range("/error") !== undefined;
  return answers && output.mode === "strict" ? { ...protocol, mode: "strict" } : protocol;
}

/** Returns how to check a request or notification of the server. */
function serverOptions(
  { revision, tasksExtension }: PipelineState,
  { maxBytes }: ProtocolCheckSettings,
): MessageOptions {
  return { sender: "server", revision, maxBytes, tasksExtension: tasksExtension.agreed };
}

/** Checks a long server message in steps, before the stages. */
export function serverFaultsAhead(state: PipelineState, frame: Frame): Generator<void, void, void> {
  return judgeAhead(frame, () => {
    if (frame.kind !== "response" && frame.kind !== "error") {
      const settings = settingsFor(state, frame);
      return settings.mode === "off" ? undefined : serverOptions(state, settings);
    }
    const pending = expectedBy(state, frame);
    const { protocol } = pending?.call?.settings ?? state.context.settings();
    return responseOptions(state, { frame, pending }, protocol);
  });
}

/** The request that a response is probably about. */
function expectedBy({ inflight, late }: PipelineState, frame: Frame): PendingRequest | undefined {
  const key = frame.idKey ?? "";
  const named = inflight.get(key) ?? late.get(key);
  if (named !== undefined) return named;
  for (const other of lookalikes(key)) {
    const pending = inflight.get(other) ?? late.get(other);
    if (pending !== undefined) return pending;
  }
  return undefined;
}

/** {@link serverFaultsAhead} of a response to a known request. */
export function responseFaultsAhead(
  state: PipelineState,
  response: Response,
  settings: ProtocolCheckSettings,
): Generator<void, void, void> {
  return judgeAhead(response.frame, () => responseOptions(state, response, settings));
}

/** Returns how to check a server's response as a message; undefined if it is not checked. */
function responseOptions(
  { revision, tasksExtension }: PipelineState,
  { frame, pending }: Response,
  { mode, maxBytes }: ProtocolCheckSettings,
): MessageOptions | undefined {
  if (mode === "off") return undefined;
  // The revision that `initialize` agrees on applies to its own response, too.
  const agreed = pending?.method === "initialize" ? frame.initializeVersion : undefined;
  return {
    sender: "server",
    revision: agreed ?? pending?.revision ?? revision,
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

/** {@link serverFaultsAhead} of a client message. */
export function clientFaultsAhead(state: PipelineState, frame: Frame): Generator<void, void, void> {
  return judgeAhead(frame, () => {
    const { protocol } = state.context.settings(frame.toolName);
    return protocol.mode === "off" ? undefined : clientOptions(state, frame, protocol);
  });
}

/** Returns how to check a client message. A response is checked by the server's request. */
function clientOptions(
  { asked, conversation, tasksExtension }: PipelineState,
  frame: Frame,
  { maxBytes }: ProtocolCheckSettings,
): MessageOptions {
  const { idKey, kind } = frame;
  const isAnswer = kind === "response" || kind === "error";
  return {
    sender: "client",
    revision: frame.protocolVersion ?? conversation.revision,
    maxBytes,
    tasksExtension: tasksExtension.agreed,
    requestMethod: isAnswer && idKey !== undefined ? asked.get(idKey) : undefined,
  };
}

/** Returns how to check a client frame as a message. */
interface ClientChecks {
  readonly protocol: ProtocolCheckSettings;
  /** Checks a call's arguments by its tool's schema; undefined for other frames. */
  readonly ofSchema: (() => Verdict) | undefined;
}

/** What rules between messages must know of a client frame. */
export function saidByClient(state: PipelineState, frame: Frame): Said {
  const isAnswer = frame.kind === "response" || frame.kind === "error";
  const revision = frame.protocolVersion ?? state.conversation.revision;
  return state.said("client", revision, isAnswer ? frame.idKey : undefined);
}

/** Returns what is wrong with a client frame as a message. A response is matched with the server's request. */
export function clientFaults(
  state: PipelineState,
  frame: Frame,
  { protocol, ofSchema }: ClientChecks,
): MessageFaults {
  const { asked, inflight } = state;
  const { idKey, kind } = frame;
  const found = messageFaults(frame, clientOptions(state, frame, protocol));
  if ((kind === "response" || kind === "error") && idKey !== undefined) asked.take(idKey);
  const all = state.inPlace(frame, found, saidByClient(state, frame));
  const faults = ofSchema ? withoutType(all, "/params/arguments", protocol, ofSchema) : all;
  if (kind !== "request" || !inflight.has(idKey ?? "")) return faults;
  const twice = protocolFault("/id", "id is in use by a request that has no response yet");
  return { ...faults, errors: [...faults.errors, twice] };
}

interface Response {
  readonly frame: Frame;
  /** The request that it answers, if known. */
  readonly pending: PendingRequest | undefined;
}

/** What rules between messages must know of a server's response. */
export function saidByServer(state: PipelineState, { frame, pending }: Response): Said {
  const answers = pending?.id === frame.id ? frame.idKey : pending && idKey(pending.id);
  return state.said("server", pending?.revision ?? state.revision, answers);
}

/** Returns what is wrong with a server's response as a message; nothing if messages are not checked. */
export function responseFaults(
  state: PipelineState,
  { frame, pending }: Response,
  protocol: ProtocolCheckSettings,
): MessageFaults {
  const { tasks, tasksExtension } = state;
  const options = responseOptions(state, { frame, pending }, protocol);
  if (options === undefined) return NO_FAULTS;
  const found = answerFaults(frame, pending, options);
  const others = withoutType(found, "/result/structuredContent", protocol, () =>
    outputVerdict(frame, pending, tasksExtension.agreed),
  );
  // Most conversations have no tasks.
  const announced =
    pending && tasks.size > 0 ? announcedTask(frame, pending, tasksExtension.agreed) : undefined;
  const taken = takenTask(announced, pending?.call, tasks);
  const faults = taken ? { ...others, errors: [...others.errors, taken] } : others;
  return state.inPlace(frame, faults, saidByServer(state, { frame, pending }));
}

/** Returns the check of a response by the tool's output schema, if it applies. */
function outputVerdict(
  frame: Frame,
  pending: PendingRequest | undefined,
  tasksExtension: boolean,
): Verdict {
  const { call, revision } = pending ?? {};
  if (pending === undefined || call === undefined) return UNCHECKED;
  if (frame.kind !== "response" || judgedPart(frame, pending) !== "/result") return UNCHECKED;
  if (announcedTask(frame, pending, tasksExtension) !== undefined) return UNCHECKED;
  return judgeOutput(frame, call, eraOf(revision), "/result").verdict;
}
