import type { Issue } from "@touchstone/core";
import type { Frame } from "@touchstone/protocol";
import type { ActivityEntry } from "../activity/record.ts";
import type { Decision, ProtocolCheckSettings } from "../policy/settings.ts";
import { type Awaitable, whenReady } from "./awaitable.ts";
import { allFaults, describeFaults, messageFaults, NO_FAULTS } from "./faults.ts";
import { issuesError, requestErrorCode } from "./refusal.ts";
import { settleProtocol } from "./settle.ts";
import type { Passage, PipelineState } from "./state.ts";

/** Takes a request or notification of the server's own. */
export function passMessage(state: PipelineState, frame: Frame): Awaitable<Passage> {
  const { context, revision } = state;
  if (frame.method === "notifications/tools/list_changed") state.toolsChanged();
  const settings = settingsFor(state, frame);
  const began = context.telemetry?.now();
  const said = state.said("server", revision);
  const { maxBytes } = settings;
  const tasksExtension = state.tasksExtension.agreed;
  const options = { sender: "server", revision, maxBytes, tasksExtension } as const;
  const faults =
    settings.mode === "off" ? NO_FAULTS : state.inPlace(frame, messageFaults(frame, options), said);
  const entries: ActivityEntry[] = [];
  const check = { settings, what: "server message", began };
  const { decision } = settleProtocol(state, faults, check, entries);
  const { idKey, method = "" } = frame;
  if (decision !== "blocked") {
    state.rules.note(frame, said);
    if (frame.kind === "request" && idKey !== undefined) state.asked.set(idKey, method);
  }
  if (decision === "allowed") return { onward: frame.bytes };
  const issues = allFaults(faults.errors, faults.items);
  return whenReady(state.append(entries), (kept) => released(state, frame, decision, issues, kept));
}

/**
 * Some clients take a message with a result for an answer, whatever else it has. Where results are not let through
 * unchecked, neither is such a message.
 */
function settingsFor({ context, inflight }: PipelineState, frame: Frame): ProtocolCheckSettings {
  const { output, protocol } =
    inflight.get(frame.idKey ?? "")?.call?.settings ?? context.settings();
  const answers = frame.range("/result") !== undefined || frame.range("/error") !== undefined;
  return answers && output.mode === "strict" ? { ...protocol, mode: "strict" } : protocol;
}

/** What becomes of a message that is not as the protocol has it, once that is recorded. */
function released(
  state: PipelineState,
  frame: Frame,
  decision: Decision,
  faults: readonly Issue[],
  kept: boolean,
): Passage {
  if (kept && decision !== "blocked") return { onward: frame.bytes };
  if (frame.kind !== "request" || frame.id === undefined) return {};
  if (!kept) return { back: [state.unrecorded(frame.id)] };
  const text = `Blocked by touchstone: ${describeFaults(faults)}`;
  return { back: [issuesError(frame.id, requestErrorCode(faults), text, faults)] };
}
