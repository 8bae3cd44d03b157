import type { Frame } from "@touchstone/protocol";
import type { ProtocolCheckSettings } from "../policy/settings.ts";
import { answerFaults, type MessageFaults, NO_FAULTS } from "./faults.ts";
import type { PendingRequest } from "./inflight.ts";
import type { PipelineState } from "./state.ts";

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
  const { batches, revision, tasksExtension } = state;
  if (protocol.mode === "off") return NO_FAULTS;
  const faults = answerFaults(frame, pending, {
    revision,
    maxBytes: protocol.maxBytes,
    tasksExtension: tasksExtension.agreed,
  });
  return batches.withOwn(frame, faults);
}
