import type { Check } from "@touchstone/core";
import { ERROR_CODES, errorFrame, type Frame, toolErrorFrame } from "@touchstone/protocol";
import type { ActivityEntry } from "../activity/record.ts";
import { explainInput, explainUnknown, heeded, unknownTool } from "../policy/explain.ts";
import { type Awaitable, whenReady } from "./awaitable.ts";
import { clientFaults, saidByClient } from "./client-faults.ts";
import { isModern } from "./era.ts";
import type { TimedOut } from "./expiry.ts";
import {
  allFaults,
  describeFaults,
  type MessageFaults,
  NO_FAULTS,
  type TransportFault,
  withTransport,
} from "./faults.ts";
import { clientIdentity } from "./identity.ts";
import type { ToolCall } from "./inflight.ts";
import { judgeCall } from "./judge.ts";
import { openCall } from "./open-call.ts";
import { answeredBy, protocolError, unsent } from "./refusal.ts";
import { blockedIn, type Finding, settle, settleProtocol, settleSchema } from "./settle.ts";
import type { Passage, PipelineState } from "./state.ts";
import { Tracker } from "./tracker.ts";
import { validationOf } from "./validation/answer-call.ts";

/** Requests that wait for answers or for the tool list; beyond this the client is told to wait. */
const MAX_INFLIGHT = 10_000;
const TOO_MANY = "too many requests are waiting for their answers; try again when some have come";
const TOO_MUCH =
  "64 MiB of requests wait for the tool list, which the server has not given yet; try again later";

/** The half of the pipeline that a client's frames take: judged before anything is sent. */
export class FromClient {
  readonly #state: PipelineState;
  readonly #tracker: Tracker;

  constructor(state: PipelineState) {
    this.#state = state;
    this.#tracker = new Tracker(state);
  }

  /** Whether so many requests wait, for answers or for the tool list, that no more are taken. */
  get full(): boolean {
    return this.#state.inflight.size + this.#state.waiting >= MAX_INFLIGHT;
  }

  /**
   * Judges a frame and takes note of it in one turn of the event loop, so that no other frame comes
   * between the two; only then its records are awaited. Where there are none, nothing is.
   * @param timedOut told when a call that went on has not been answered in time
   * @param transport what is wrong with what the transport says of it
   * @param crowdedOut it would have to wait for the tool list, for which too much waits
   */
  pass(
    frame: Frame,
    timedOut?: TimedOut,
    transport?: TransportFault,
    crowdedOut = false,
  ): Awaitable<Passage> {
    const { context, evidence, ended } = this.#state;
    if (frame.scan.error !== undefined) return this.#unreadable(frame);
    this.#introduce(frame);
    const call = openCall(this.#state, frame);
    if (call) this.#state.operations?.of(frame)?.about(call);
    const entries: ActivityEntry[] = [];
    if (ended !== undefined) {
      return this.#reject(frame, call, entries, "error", `touchstone: ${ended}`);
    }

    const refusal = this.#applyProtocol(frame, call, entries, transport);
    if (refusal) {
      if (call) entries.push(evidence.toolCall(call, "blocked", answeredBy(frame, refusal)));
      return this.#refuse(frame, entries, refusal);
    }
    const answered = call && validationOf(this.#state, frame, call);
    if (answered) return this.#refuse(frame, [...entries, answered.entry], answered.bytes);
    const blocked = call && this.#applyInput(frame, call, entries);
    if (blocked) {
      const unauthorized = call.contract === undefined ? call.gap?.unauthorized : undefined;
      return whenReady(this.#refuse(frame, entries, blocked), (passage) =>
        unauthorized === undefined ? passage : { ...passage, unauthorized },
      );
    }
    const limited = this.#overLimit(frame, call, crowdedOut);
    if (limited !== undefined) {
      const kind = `${context.server}: a call over the limit`;
      context.paced.warn(kind, `${context.server}: ${limited}`);
      return this.#reject(frame, call, entries, "rejected", limited);
    }
    if (call && frame.kind === "notification") {
      const status = call.verdict.decision === "warning" ? "warning" : "success";
      const reason = "sent without an id, so that no answer will come";
      entries.push(evidence.toolCall(call, status, { reason }));
    }
    const undo = this.#tracker.track(frame, call, entries, timedOut);
    this.#state.rules.note(frame, saidByClient(this.#state, frame));
    return whenReady(this.#state.append(entries), (kept): Awaitable<Passage> => {
      if (call?.expired) return call.expired.then((answer) => ({ back: [answer] }));
      if (call) call.sent = kept;
      if (kept) return { onward: frame.bytes };
      return undo() ? unsent(frame, this.#state.unrecorded(frame.id)) : {};
    });
  }

  /** Why a message cannot be taken now. */
  #overLimit(frame: Frame, call: ToolCall | undefined, crowdedOut: boolean): string | undefined {
    if (call === undefined && frame.kind !== "request") return undefined;
    if (this.full) return TOO_MANY;
    if (crowdedOut) return TOO_MUCH;
    const { slots } = this.#state.context;
    if (call === undefined || slots === undefined || slots.taken < slots.limit) return undefined;
    return `the limit of ${slots.limit} tool calls at a time is reached (limits.concurrent_calls); try again when one has been answered`;
  }

  /** A frame that is no JSON: nobody can say what it holds, so nothing of it can be let through. */
  async #unreadable(frame: Frame): Promise<Passage> {
    const { faults } = frame;
    const entries: ActivityEntry[] = [];
    const finding: Finding = {
      direction: "protocol",
      verdict: blockedIn(this.#state.context.settings().protocol.mode),
      issues: faults,
      reason: () => describeFaults(faults),
      what: "client message",
    };
    settle(this.#state, finding, entries);
    await this.#state.append(entries);
    return unsent(frame, protocolError(frame, faults));
  }

  /** Judges the frame as a message; gives the answer in its place where it is stopped. */
  #applyProtocol(
    frame: Frame,
    call: ToolCall | undefined,
    entries: ActivityEntry[],
    transport: TransportFault | undefined,
  ): Uint8Array | undefined {
    const { context } = this.#state;
    const { protocol: settings } = call?.settings ?? context.settings();
    const began = context.telemetry?.now();
    const faults =
      settings.mode === "off" ? NO_FAULTS : withTransport(this.#faults(frame, call), transport);
    const check = { settings, what: "client message", call, began };
    const { decision } = settleProtocol(this.#state, faults, check, entries);
    if (decision !== "blocked") return undefined;
    return protocolError(frame, allFaults(faults.errors, faults.items), transport?.code);
  }

  /** Judges the arguments; gives the answer in the place of the call where it is stopped. */
  #applyInput(frame: Frame, call: ToolCall, entries: ActivityEntry[]): Uint8Array | undefined {
    const { evidence, lastChecked: began } = this.#state;
    const judgement = judgeCall(frame, call);
    const checked = { ...judgement, part: "input", began } as const;
    const { decision } = settleSchema(this.#state, call, checked, entries);
    if (decision !== "blocked") return undefined;
    const told = heeded(judgement.check, call.settings.input.rules);
    const answer = this.#blockedCall(frame, call, told);
    entries.push(evidence.toolCall(call, "blocked", answeredBy(frame, answer)));
    return answer;
  }

  /** The answer in the place of a call that is blocked for its arguments, or because it cannot be checked. */
  #blockedCall(frame: Frame, { tool = "", contract, gap }: ToolCall, check: Check): Uint8Array {
    const modern = isModern(frame.protocolVersion ?? this.#state.conversation.revision);
    if (contract !== undefined || gap === undefined) {
      return toolErrorFrame(frame.id ?? "null", explainInput(tool, check), { modern });
    }
    // MCP, Tools, Error Handling: an unknown tool is a protocol error in every revision.
    return gap.code === "unlisted"
      ? errorFrame(frame.id ?? null, ERROR_CODES.invalidParams, unknownTool(tool))
      : toolErrorFrame(frame.id ?? "null", explainUnknown(tool, gap), { modern });
  }

  /** Turns away what is over a limit, or comes after the end. */
  #reject(
    frame: Frame,
    call: ToolCall | undefined,
    entries: ActivityEntry[],
    status: "error" | "rejected",
    reason: string,
  ): Awaitable<Passage> {
    const answer = errorFrame(frame.id ?? null, ERROR_CODES.internalError, reason);
    if (call) {
      const answered = { ...answeredBy(frame, answer), reason };
      entries.push(this.#state.evidence.toolCall(call, status, answered));
    }
    return this.#refuse(frame, entries, answer);
  }

  #refuse(frame: Frame, entries: readonly ActivityEntry[], answer: Uint8Array): Awaitable<Passage> {
    return whenReady(this.#state.append(entries), (kept) =>
      unsent(frame, kept ? answer : this.#state.unrecorded(frame.id)),
    );
  }

  #faults(frame: Frame, call: ToolCall | undefined): MessageFaults {
    const { protocol } = call?.settings ?? this.#state.context.settings();
    const ofSchema = call && (() => judgeCall(frame, call).verdict);
    return clientFaults(this.#state, frame, { protocol, ofSchema });
  }

  #introduce(frame: Frame): void {
    const { conversation } = this.#state;
    const client = clientIdentity(frame);
    if (client !== undefined) conversation.client = client;
    if (frame.method === "initialize" && frame.initializeVersion !== undefined) {
      conversation.revision ??= frame.initializeVersion;
      this.#state.tasksExtension.handshake(frame);
    }
    if (frame.method === "notifications/initialized") {
      this.#state.introduced(conversation.revision);
    }
    this.#state.spoken(frame.protocolVersion);
  }
}
