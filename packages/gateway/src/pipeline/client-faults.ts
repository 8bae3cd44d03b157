import type { Frame, Said } from "@touchstone/protocol";
import type { Verdict } from "../policy/decide.ts";
import type { ProtocolCheckSettings } from "../policy/settings.ts";
import { type MessageFaults, messageFaults, protocolFault, withoutType } from "./faults.ts";
import type { PipelineState } from "./state.ts";

/** How a client's frame is checked as a message. */
interface ClientChecks {
  readonly protocol: ProtocolCheckSettings;
  /** Checks a call's arguments by its tool's schema; undefined for other frames. */
  readonly ofSchema: (() => Verdict) | undefined;
}

/** What rules between messages have to know of a client's frame. */
export function saidByClient(state: PipelineState, frame: Frame): Said {
  const isAnswer = frame.kind === "response" || frame.kind === "error";
  const revision = frame.protocolVersion ?? state.conversation.revision;
  return state.said("client", revision, isAnswer ? frame.idKey : undefined);
}

/** What is wrong with a client's frame as a message. An answer is taken for that to the server's request. */
export function clientFaults(
  state: PipelineState,
  frame: Frame,
  { protocol, ofSchema }: ClientChecks,
): MessageFaults {
  const { asked, conversation, inflight, tasksExtension } = state;
  const { idKey, kind } = frame;
  const isAnswer = kind === "response" || kind === "error";
  const found = messageFaults(frame, {
    sender: "client",
    revision: frame.protocolVersion ?? conversation.revision,
    maxBytes: protocol.maxBytes,
    tasksExtension: tasksExtension.agreed,
    requestMethod: isAnswer && idKey !== undefined ? asked.take(idKey) : undefined,
  });
  const all = state.inPlace(frame, found, saidByClient(state, frame));
  const faults = ofSchema ? withoutType(all, "/params/arguments", protocol, ofSchema) : all;
  if (kind !== "request" || !inflight.has(idKey ?? "")) return faults;
  const twice = protocolFault("/id", "id is in use by a request that has no answer yet");
  return { ...faults, errors: [...faults.errors, twice] };
}
