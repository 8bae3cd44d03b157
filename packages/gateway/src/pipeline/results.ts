import type { Check } from "@touchstone/core";
import { type Frame, toolErrorFrame } from "@touchstone/protocol";
import type { ActivityEntry, ActivityStatus } from "../activity/record.ts";
import { explainOutput } from "../policy/explain.ts";
import { isModern } from "./era.ts";
import type { PendingRequest, ToolCall } from "./inflight.ts";
import { judgeOutput, type ResultAt } from "./judge.ts";
import { settleSchema } from "./settle.ts";
import type { PipelineState } from "./state.ts";
import { announcedTask, judgedPart, replacePart, tellsEnd } from "./task.ts";

/** A tool call, and the frame that answers it. */
interface EndedCall {
  readonly frame: Frame;
  readonly pending: PendingRequest;
  readonly call: ToolCall;
}

/** A call's result, and the part of a frame that it is. */
interface StandingResult {
  readonly frame: Frame;
  readonly call: ToolCall;
  readonly part: ResultAt;
  readonly revision: string | undefined;
  /** The request's that the frame answers. */
  readonly id: string;
}

/** What tool calls give: judged by the contracts of their tools, and recorded. */
export class Results {
  readonly #state: PipelineState;

  constructor(state: PipelineState) {
    this.#state = state;
  }

  /**
   * Ends a tool call: judges its result, writes its record, gives what the client gets.
   * @param blocked what it gets where the answer was stopped as a message
   */
  finish(ended: EndedCall, blocked: Uint8Array | undefined, entries: ActivityEntry[]): Uint8Array {
    const { frame, call } = ended;
    let onward = blocked ?? frame.bytes;
    let status: ActivityStatus = frame.kind === "error" || frame.isError ? "error" : "success";
    const passes = blocked === undefined && frame.kind === "response";
    if (tellsEnd(frame, ended.pending)) call.fetched = true;
    const announced = passes ? this.#announcedTask(ended) : undefined;
    if (announced !== undefined) this.#state.tasks.set(announced, call);
    else if (passes) onward = this.#applyOutput(ended, entries);
    const { decision } = call.verdict;
    if (decision === "blocked") status = "blocked";
    else if (decision === "warning" && status === "success") status = "warning";
    const answer = {
      bytes: onward.length,
      result: this.#body(frame),
      reason: announced === undefined ? undefined : "runs as a task",
    };
    this.#state.evidence.endCall(call, status, answer, entries);
    return onward;
  }

  /** Before the client knows of a task, every gateway that may be asked for its result does. */
  share(ended: EndedCall): Promise<void> | undefined {
    const { call } = ended;
    const { sharedTasks } = this.#state.context;
    if (sharedTasks === undefined) return undefined;
    const announced = this.#announcedTask(ended);
    if (announced === undefined || this.#state.tasks.get(announced) !== call) return undefined;
    return sharedTasks.announce(announced, call);
  }

  #announcedTask({ frame, pending }: EndedCall): string | undefined {
    return announcedTask(frame, pending, this.#state.tasksExtension.agreed);
  }

  /** What the server gave, for records that hold it. */
  #body(frame: Frame): Uint8Array | undefined {
    if (this.#state.context.bodies !== true) return undefined;
    const range = frame.range("/result") ?? frame.range("/error");
    return range && frame.bytes.subarray(range.start, range.end);
  }

  /** What a result was like counts where it was parsed anyway. */
  #takeShape(frame: Frame, { contract }: ToolCall, part: ResultAt, check: Check): void {
    const { drift } = this.#state.context;
    if (drift === undefined || contract === undefined) return;
    if (check.outcome !== "pass" && check.outcome !== "violation") return;
    const range = frame.range(`${part}/structuredContent`);
    if (range !== undefined) drift(contract, frame.bytes.subarray(range.start, range.end), check);
  }

  #applyOutput({ frame, pending, call }: EndedCall, entries: ActivityEntry[]): Uint8Array {
    const part = judgedPart(frame, pending);
    if (part === undefined) return frame.bytes;
    return this.judge({ frame, call, part, revision: pending.revision, id: pending.id }, entries);
  }

  /** Judges a result where it stands; gives the frame, with an error in its place where it is stopped. */
  judge({ frame, call, part, revision, id }: StandingResult, entries: ActivityEntry[]): Uint8Array {
    const modern = isModern(revision);
    const began = this.#state.lastChecked;
    const judgement = judgeOutput(frame, call, modern, part);
    const { check } = judgement;
    this.#takeShape(frame, call, part, check);
    const checked = { ...judgement, part: "output", direction: "output", began } as const;
    const { decision, reason } = settleSchema(this.#state, call, checked, entries);
    if (decision !== "blocked") return frame.bytes;
    const text =
      check.outcome === "unknown" ? `the result was blocked: it ${reason}` : explainOutput(reason);
    return replacePart(frame, part, toolErrorFrame(id, text, { modern }));
  }
}
