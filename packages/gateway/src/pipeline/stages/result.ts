import type { Check } from "@touchstone/core";
import type { Frame } from "@touchstone/protocol/advanced";
import type { ActivityStatus } from "@touchstone/records/record";
import type { Era } from "../../eras/era.ts";
import { limitsFor } from "../../features/caller.ts";
import { isQueueFull } from "../../features/decision.ts";
import { exceededResultLimit } from "../../features/limits.ts";
import type { ServerExchange, Stage } from "../exchange.ts";
import { forwardedStatus, type PendingRequest, type ToolCall } from "../in-flight.ts";
import { judgeOutput, type ResultPointer } from "../judge.ts";
import { blockedResult, limitIssue, overResultLimit } from "../messages.ts";
import { alwaysBlocked, settle, settleSchema } from "../settle.ts";
import type { PipelineState } from "../state.ts";
import {
  announcedTask,
  callResultPointer,
  isTaskEnd,
  lookUpSharedTask,
  notifiedResultPointer,
  replaceResultWithError,
  unknownTaskCall,
} from "../tasks.ts";

/**
 * Checks the structured content of a call's result by its tool's output schema, and writes the call's record. A
 * finished task's result in a notification is checked in the same way.
 */
export const result: Stage<ServerExchange> = {
  name: "result",
  wait({ state, frame }) {
    if (notifiedResultPointer(frame) === undefined) return undefined;
    return lookUpSharedTask(state, { method: "tasks/get", taskId: frame.taskId });
  },
  run(exchange) {
    const { state, frame, pending } = exchange;
    const told = notifiedResultPointer(frame);
    if (told !== undefined) {
      const call = state.tasks.get(frame.taskId ?? "") ?? unknownTaskCall(state);
      exchange.onward = checked(exchange, call, told, "null");
    } else if (pending?.call !== undefined) finish(exchange, pending, pending.call);
    return "continue";
  },
};

/** Ends a tool call: checks its result, unless the message was blocked, and writes the call's record. */
function finish(exchange: ServerExchange, pending: PendingRequest, call: ToolCall): void {
  const { state, frame, entries } = exchange;
  const passes = !exchange.isReplaced && frame.kind === "response";
  if (isTaskEnd(frame, pending)) call.fetched = true;
  const { era } = exchange;
  const announced = passes
    ? announcedTask(frame, pending, era, state.tasksExtension.agreed)
    : undefined;
  const part = passes && announced === undefined ? callResultPointer(frame, pending) : undefined;
  if (announced !== undefined) state.tasks.set(announced, call);
  if (part !== undefined) {
    exchange.onward = checked(exchange, call, part, pending.id);
  } else if (frame.kind === "error" && !exchange.isReplaced && pending.method !== "tasks/get") {
    const short = withheld(exchange, call, "/error", era, pending.id);
    if (short !== undefined) exchange.onward = short;
  }
  const isSent = passes && call.withheld === undefined && call.verdict.decision !== "blocked";
  const uncrossed = isSent ? call.bridged?.uncrossed(frame) : undefined;
  const answer = {
    bytes: exchange.onward.length,
    result: state.context.bodies === "all" ? bodyOf(exchange.asSent) : undefined,
    reason: uncrossed ?? (announced === undefined ? undefined : "runs as a task"),
  };
  const status = uncrossed === undefined ? statusOf(frame, call) : "error";
  state.evidence.endCall(call, status, answer, entries);
  // Every gateway that the client may ask for the result learns of the task before the client does.
  if (announced !== undefined) {
    exchange.shared = state.context.sharedTasks?.announce(
      announced,
      call,
      state.conversation.caller?.name,
    );
  }
}

function statusOf(frame: Frame, call: ToolCall): ActivityStatus {
  const { verdict, withheld } = call;
  if (withheld !== undefined) return withheld;
  if (verdict.decision === "blocked") return "blocked";
  if (frame.kind === "error" || frame.isError) return "error";
  return forwardedStatus(call);
}

/** Returns the server's result, for records that contain results. */
function bodyOf(frame: Frame): Uint8Array | undefined {
  const range = frame.range("/result") ?? frame.range("/error");
  return range && frame.bytes.subarray(range.start, range.end);
}

/**
 * Checks a result in its place. Returns the frame, with an error instead of a blocked result.
 * @param id of the request that the frame answers
 */
function checked(
  exchange: ServerExchange,
  call: ToolCall,
  at: ResultPointer,
  id: string,
): Uint8Array {
  const { state, frame, entries, era } = exchange;
  const tooLarge = withheld(exchange, call, at, era, id);
  if (tooLarge !== undefined) return replaceResultWithError(frame, at, tooLarge);
  const began = state.tap.now?.();
  const judgement = judgeOutput(frame, call, era, at);
  showResult(state, frame, call, at, judgement.check);
  const make = (reason: string): Uint8Array => blockedResult(id, judgement.check, reason, era);
  const reply = { make, toClient: true };
  const check = { part: "output", direction: "output", began, reply } as const;
  const { response } = settleSchema(state, call, judgement, check, entries);
  if (response === undefined) return frame.bytes;
  if (isQueueFull(judgement.check)) call.withheld = "rejected";
  return replaceResultWithError(frame, at, response);
}

/**
 * Rejects a result, or the error instead of one, over a limit on results, in every mode. Returns the response to send
 * instead; undefined if no limit is exceeded.
 */
function withheld(
  { state, frame, entries }: ServerExchange,
  call: ToolCall,
  at: ResultPointer | "/error",
  era: Era,
  id: string,
): Uint8Array | undefined {
  const { caller } = state.conversation;
  if (call.settings.limits === undefined && caller?.limits === undefined) return undefined;
  const { start, end } = frame.range(at) ?? { start: 0, end: 0 };
  const what = at === "/error" ? "error" : "result";
  const over = exceededResultLimit(limitsFor(call.settings, caller), what, end - start);
  if (over === undefined) return undefined;
  call.withheld = "limited";
  const finding = {
    direction: "output",
    verdict: alwaysBlocked("strict"),
    issues: [limitIssue(over)],
    reason: () => over.message,
    calls: [call],
    began: state.tap.now?.(),
    reply: { make: (reason: string) => overResultLimit(id, what, reason, era), toClient: true },
  } as const;
  return settle(state, finding, entries).response;
}

/** Reports to the tap a result that was checked by its schema. */
function showResult(
  { tap }: PipelineState,
  frame: Frame,
  { contract }: ToolCall,
  at: ResultPointer,
  check: Check,
): void {
  if (tap.result === undefined || contract === undefined) return;
  if (check.outcome !== "pass" && check.outcome !== "violation") return;
  const range = frame.range(`${at}/structuredContent`);
  if (range === undefined) return;
  tap.result(contract, frame.bytes.subarray(range.start, range.end), check);
}
