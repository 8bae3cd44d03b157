import { type Frame, idKey, type Said } from "@touchstone/protocol";
import type { Verdict } from "../policy/decide.ts";
import type { ProtocolCheckSettings } from "../policy/settings.ts";
import { isModern } from "./era.ts";
import { answerFaults, type MessageFaults, NO_FAULTS, withoutType } from "./faults.ts";
import type { PendingRequest } from "./inflight.ts";
import { judgeOutput, UNCHECKED } from "./judge.ts";
import type { PipelineState } from "./state.ts";
import { announcedTask, judgedPart, takenTask } from "./task.ts";

interface Answer {
  readonly frame: Frame;
  /** The request that it is the answer to, where one is known. */
  readonly pending: PendingRequest | undefined;
}

/** What rules between messages have to know of a server's answer. */
export function saidBy(state: PipelineState, { pending }: Answer): Said {
  const answers = pending && idKey(pending.id);
  return state.said("server", pending?.revision ?? state.revision, answers);
}

/** What is wrong with a server's answer as a message; nothing where messages are not judged. */
export function protocolFaults(
  state: PipelineState,
  { frame, pending }: Answer,
  protocol: ProtocolCheckSettings,
): MessageFaults {
  const { revision, tasks, tasksExtension } = state;
  if (protocol.mode === "off") return NO_FAULTS;
  const found = answerFaults(frame, pending, {
    revision,
    maxBytes: protocol.maxBytes,
    tasksExtension: tasksExtension.agreed,
  });
  const others = withoutType(found, "/result/structuredContent", protocol, () =>
    outputVerdict(frame, pending, tasksExtension.agreed),
  );
  // Most conversations have no tasks.
  const announced =
    pending && tasks.size > 0 ? announcedTask(frame, pending, tasksExtension.agreed) : undefined;
  const taken = takenTask(announced, pending?.call, tasks);
  const faults = taken ? { ...others, errors: [...others.errors, taken] } : others;
  return state.inPlace(frame, faults, saidBy(state, { frame, pending }));
}

/** What the tool's output schema makes of an answer, if it is applied to it. */
function outputVerdict(
  frame: Frame,
  pending: PendingRequest | undefined,
  tasksExtension: boolean,
): Verdict {
  const { call, revision } = pending ?? {};
  if (pending === undefined || call === undefined) return UNCHECKED;
  if (frame.kind !== "response" || judgedPart(frame, pending) !== "/result") return UNCHECKED;
  if (announcedTask(frame, pending, tasksExtension) !== undefined) return UNCHECKED;
  return judgeOutput(frame, call, isModern(revision), "/result").verdict;
}
