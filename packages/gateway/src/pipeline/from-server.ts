import type { Check } from "@touchstone/core";
import { ERROR_CODES, type Frame, toolErrorFrame } from "@touchstone/protocol";
import type { ActivityEntry, ActivityStatus } from "../activity/record.ts";
import type { Ask } from "../contracts/ask.ts";
import type { Lesson } from "../contracts/source.ts";
import { decideProtocol, type Verdict } from "../policy/decide.ts";
import { explainOutput, outputReason } from "../policy/explain.ts";
import { type Awaitable, whenReady } from "./awaitable.ts";
import { passBroken } from "./broken.ts";
import { isModern } from "./era.ts";
import { heavier } from "./evidence.ts";
import {
  allFaults,
  answerFaults,
  describeFaults,
  type MessageFaults,
  NO_FAULTS,
  withLesson,
} from "./faults.ts";
import { lookalike, type PendingRequest, type ToolCall } from "./inflight.ts";
import { judgeOutput, type ResultAt } from "./judge.ts";
import { readJudged } from "./judged-frame.ts";
import { issuesError } from "./refusal.ts";
import { passMessage } from "./server-message.ts";
import type { Passage, PipelineState } from "./state.ts";
import { announcedTask, judgedPart, replacePart } from "./task.ts";
import { withValidation } from "./validation/change-answer.ts";

/** Answers that set up the conversation: stopping one would stop everything. */
const NEVER_BLOCKED: ReadonlySet<string> = new Set(["initialize", "server/discover"]);

/** The half of the pipeline that a server's frames take: judged before the client reads them. */
export class FromServer {
  readonly #state: PipelineState;
  readonly #ask: Ask;

  /** @param ask sends the gateway's own requests to the same upstream */
  constructor(state: PipelineState, ask: Ask) {
    this.#state = state;
    this.#ask = ask;
  }

  /** @param inBatch whether the frame is an item of a batch */
  pass(frame: Frame, inBatch = false): Awaitable<Passage> {
    switch (frame.kind) {
      case "response":
      case "error":
        return this.#answer(frame);
      case "invalid":
        return passBroken(this.#state, frame, inBatch);
      default:
        return passMessage(this.#state, frame);
    }
  }

  /**
   * Judges a page of a list that the gateway asked for itself and notes what it teaches. Nothing of
   * it goes to a client, so nothing is blocked. False where that could not be recorded.
   * @param revision that the gateway asked under
   */
  async learnt(lesson: Lesson, page: Frame, revision: string | undefined): Promise<boolean> {
    const { context, evidence } = this.#state;
    const entries = lesson.changes.map((change) => evidence.schemaChange(change));
    const pending: PendingRequest = { id: page.id ?? "null", method: "tools/list", revision };
    // It was read to learn from it, without a look for keys that stand twice.
    const judged = readJudged(context, page.bytes, () => undefined);
    const answered = this.#protocolFaults(judged, pending);
    const { errors, items } = withLesson(answered, lesson);
    const faults = [...errors, ...items];
    const protocol = decideProtocol(faults.length, context.settings().protocol);
    if (protocol.record) {
      const reason = describeFaults(faults);
      const verdict: Verdict = { ...protocol, decision: "warning" };
      entries.push(evidence.protocolDecision(verdict, faults, reason, undefined));
      this.#state.report("warning", "protocol", undefined, `tools/list: ${reason}`);
    }
    return this.#state.append(entries);
  }

  #answer(frame: Frame): Awaitable<Passage> {
    const { inflight, late } = this.#state;
    const key = frame.idKey ?? "";
    const pending = inflight.take(key) ?? late.take(key) ?? inflight.get(lookalike(key));
    pending?.operation?.answered(frame);
    const began = this.#state.context.telemetry?.now();
    const ended = pending ?? late.get(lookalike(key));
    // The client was told that no answer came in time, or that the one that came was broken.
    if (ended?.settled || ended?.call?.expired) return {};
    const entries: ActivityEntry[] = [];
    const answered = this.#protocolFaults(frame, pending);
    const listed = frame.kind === "response" && pending?.method === "tools/list";
    const faults = listed ? this.#learn(frame, pending, answered, entries) : answered;
    return whenReady(faults, (found) => {
      const blocked = this.#judgeMessage(frame, pending, found, entries, began);
      const onward = pending
        ? this.#onward(frame, pending, blocked, entries)
        : (blocked ?? frame.bytes);
      return whenReady(onward, (bytes) => this.#release(frame, pending, bytes, entries));
    });
  }

  /** What the client gets for its request, but for its records. */
  #onward(
    frame: Frame,
    pending: PendingRequest,
    blocked: Uint8Array | undefined,
    entries: ActivityEntry[],
  ): Awaitable<Uint8Array> {
    const { call, method, revision } = pending;
    if (call) {
      const onward = this.#finish(frame, pending, call, blocked, entries);
      const shared = this.#share(frame, pending, call);
      return shared === undefined ? onward : shared.then(() => onward);
    }
    if (blocked !== undefined) return blocked;
    if (frame.kind !== "response") return frame.bytes;
    if (method === "initialize" && frame.initializeVersion !== undefined) {
      this.#state.conversation.revision = frame.initializeVersion;
    }
    return withValidation(this.#state, frame, pending, {
      ask: this.#ask,
      learnt: (lesson, page) => this.learnt(lesson, page, revision),
    });
  }

  /** Lets an answer go once what is owed of it is recorded. */
  #release(
    frame: Frame,
    pending: PendingRequest | undefined,
    onward: Uint8Array,
    entries: readonly ActivityEntry[],
  ): Awaitable<Passage> {
    // Only an answer of the gateway's own has the very id that the client waits for.
    if (pending && onward !== frame.bytes) this.#dropTwin(frame, pending);
    return whenReady(this.#state.append(entries), (kept) => {
      if (!kept && pending) this.#dropTwin(frame, pending);
      const released = kept ? onward : this.#state.unrecorded(pending?.id ?? frame.id);
      pending?.operation?.released(released, frame);
      return { onward: released };
    });
  }

  #dropTwin(frame: Frame, pending: PendingRequest): void {
    this.#state.inflight.remove(lookalike(frame.idKey ?? ""), pending);
  }

  /** Learns from a list of tools that is let through; adds the faults that were met on the way. */
  async #learn(
    frame: Frame,
    pending: PendingRequest,
    faults: MessageFaults,
    entries: ActivityEntry[],
  ): Promise<MessageFaults> {
    const { context, conversation, evidence } = this.#state;
    const { protocol } = context.settings();
    if (decideProtocol(faults.errors.length, protocol).decision === "blocked") return faults;
    const source = conversation.contracts(pending.revision);
    const lesson = await source.learn(frame, pending.cursor);
    entries.push(...lesson.changes.map((change) => evidence.schemaChange(change)));
    return withLesson(faults, lesson);
  }

  #protocolFaults(frame: Frame, pending: PendingRequest | undefined): MessageFaults {
    const { batches, context, revision } = this.#state;
    const { protocol } = pending?.call?.settings ?? context.settings();
    if (protocol.mode === "off") return NO_FAULTS;
    return batches.withOwn(frame, answerFaults(frame, pending, revision, protocol.maxBytes));
  }

  /** Judges an answer as a message; gives what stands in its place where it is stopped. */
  #judgeMessage(
    frame: Frame,
    pending: PendingRequest | undefined,
    { errors, items }: MessageFaults,
    entries: ActivityEntry[],
    began: number | undefined,
  ): Uint8Array | undefined {
    const { context, evidence } = this.#state;
    const faults = allFaults(errors, items);
    const call = pending?.call;
    const settings = call?.settings ?? context.settings();
    let protocol = decideProtocol(faults.length, settings.protocol);
    this.#state.checked("protocol", protocol, { began, issues: faults });
    if (!protocol.record) return undefined;
    // A fault inside one item must not hide the others.
    if (NEVER_BLOCKED.has(pending?.method ?? "") || errors.length === 0) {
      protocol = { ...protocol, decision: "warning" };
    }
    const reason = describeFaults(faults);
    if (call) call.verdict = heavier(call.verdict, { ...protocol, direction: "protocol", reason });
    entries.push(evidence.protocolDecision(protocol, faults, reason, call));
    this.#state.report(protocol.decision, "protocol", call?.tool, `server answer: ${reason}`);
    if (protocol.decision !== "blocked") return undefined;
    const text = `Blocked by touchstone: the server's answer breaks the protocol: ${reason}`;
    return issuesError(pending?.id ?? frame.id ?? null, ERROR_CODES.internalError, text, faults);
  }

  /** Ends a tool call: judges its result, writes its record, gives what the client gets. */
  #finish(
    frame: Frame,
    pending: PendingRequest,
    call: ToolCall,
    blocked: Uint8Array | undefined,
    entries: ActivityEntry[],
  ): Uint8Array {
    let onward = blocked ?? frame.bytes;
    let status: ActivityStatus = frame.kind === "error" || frame.isError ? "error" : "success";
    const passes = blocked === undefined && frame.kind === "response";
    const announced = passes ? announcedTask(frame, pending) : undefined;
    if (announced !== undefined) this.#state.tasks.set(announced, call);
    else if (passes) onward = this.#applyOutput(frame, pending, call, entries);
    const { decision } = call.verdict;
    if (decision === "blocked") status = "blocked";
    else if (decision === "warning" && status === "success") status = "warning";
    if (!call.recorded) {
      entries.push(
        this.#state.evidence.toolCall(call, status, {
          bytes: onward.length,
          result: this.#body(frame),
          reason: announced === undefined ? undefined : "runs as a task",
        }),
      );
      call.recorded = true;
    }
    return onward;
  }

  /** Before the client knows of a task, every gateway that may be asked for its result does. */
  #share(frame: Frame, pending: PendingRequest, call: ToolCall): Promise<void> | undefined {
    const { sharedTasks } = this.#state.context;
    if (sharedTasks === undefined) return undefined;
    const announced = announcedTask(frame, pending);
    if (announced === undefined || this.#state.tasks.get(announced) !== call) return undefined;
    return sharedTasks.announce(announced, call);
  }

  /** What the server gave, for records that hold it. */
  #body(frame: Frame): Uint8Array | undefined {
    if (this.#state.context.bodies !== true) return undefined;
    const range = frame.range("/result") ?? frame.range("/error");
    return range && frame.bytes.subarray(range.start, range.end);
  }

  /** What a result was like counts where it was parsed anyway. */
  #takeShape(frame: Frame, { contract }: ToolCall, part: ResultAt, { outcome }: Check): void {
    const { drift } = this.#state.context;
    if (drift === undefined || contract === undefined) return;
    if (outcome !== "pass" && outcome !== "violation") return;
    const range = frame.range(`${part}/structuredContent`);
    if (range !== undefined) drift(contract, frame.bytes.subarray(range.start, range.end));
  }

  #applyOutput(
    frame: Frame,
    pending: PendingRequest,
    call: ToolCall,
    entries: ActivityEntry[],
  ): Uint8Array {
    const part = judgedPart(frame, pending);
    if (part === undefined) return frame.bytes;
    const modern = isModern(pending.revision);
    const began = this.#state.context.telemetry?.now();
    const judgement = judgeOutput(frame, call, modern, part);
    const { check, verdict } = judgement;
    const { errors: issues, guard } = check;
    this.#state.checked("output", verdict, { began, issues, guard: guard?.guard });
    this.#state.diagnose(call, "output", judgement);
    this.#takeShape(frame, call, part, check);
    const reason = outputReason(check);
    call.verdict = heavier(
      call.verdict,
      verdict.decision === "allowed" ? verdict : { ...verdict, direction: "output", reason },
    );
    if (!verdict.record) return frame.bytes;
    entries.push(this.#state.evidence.schemaDecision(call, "output", judgement, reason));
    this.#state.report(verdict.decision, "output", call.tool, reason);
    if (verdict.decision !== "blocked") return frame.bytes;
    return replacePart(frame, part, toolErrorFrame(pending.id, explainOutput(reason), { modern }));
  }
}
