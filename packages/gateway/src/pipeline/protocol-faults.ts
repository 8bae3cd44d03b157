import type { Frame } from "@touchstone/protocol";
import type { ProtocolCheckSettings } from "../policy/settings.ts";
import { answerFaults, type MessageFaults, NO_FAULTS } from "./faults.ts";
import type { PendingRequest } from "./inflight.ts";
import type { PipelineState } from "./state.ts";
import { announcedTask, takenTask } from "./task.ts";

interface Answer {
  readonly frame: Frame;
  /** The request that it is the answer to, where one is known. */
  readonly pending: PendingRequest | undefined;
}

/** What is wrong with a server's answer as a message; nothing where messages are not judged. */
export function protocolFaults(
  state: PipelineState,
  { frame, pending }: Answer,
  protocol: ProtocolCheckSettings,
): MessageFaults {
  const { batches, revision, tasks, tasksExtension } = state;
  if (protocol.mode === "off") return NO_FAULTS;
  const { errors, items } = answerFaults(frame, pending, {
    revision,
    maxBytes: protocol.maxBytes,
    tasksExtension: tasksExtension.agreed,
  });
  // Most conversations have no tasks.
  const announced =
    pending && tasks.size > 0 ? announcedTask(frame, pending, tasksExtension.agreed) : undefined;
  const taken = takenTask(announced, pending?.call, tasks);
  return batches.withOwn(frame, { errors: taken ? [...errors, taken] : errors, items });
}
