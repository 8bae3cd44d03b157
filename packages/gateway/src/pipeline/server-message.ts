import type { Issue } from "@touchstone/core";
import type { Frame } from "@touchstone/protocol";
import { decideProtocol, type Verdict } from "../policy/decide.ts";
import { noted } from "../policy/noted.ts";
import type { ProtocolCheckSettings } from "../policy/settings.ts";
import { type Awaitable, whenReady } from "./awaitable.ts";
import { allFaults, describeFaults, messageFaults, NO_FAULTS } from "./faults.ts";
import { issuesError, requestErrorCode } from "./refusal.ts";
import type { Passage, PipelineState } from "./state.ts";

/** Takes a request or notification of the server's own. */
export function passMessage(state: PipelineState, frame: Frame): Awaitable<Passage> {
  const { context, evidence } = state;
  if (frame.method === "notifications/tools/list_changed") state.toolsChanged();
  const settings = settingsFor(state, frame);
  const began = context.telemetry?.now();
  const said = state.said("server", state.revision);
  const { errors, items } =
    settings.mode === "off"
      ? NO_FAULTS
      : state.inPlace(
          frame,
          messageFaults(frame, {
            sender: "server",
            revision: state.revision,
            maxBytes: settings.maxBytes,
            tasksExtension: state.tasksExtension.agreed,
          }),
          said,
        );
  const faults = allFaults(errors, items);
  const decided = decideProtocol(faults.length, settings);
  const isAdvice = errors.length === 0 && decided.record;
  const { verdict: protocol, reason } = isAdvice
    ? noted(decided, describeFaults(faults))
    : { verdict: decided, reason: describeFaults(faults) };
  state.checked("protocol", protocol, { began, issues: faults });
  const { idKey, method = "" } = frame;
  if (protocol.decision !== "blocked") {
    state.rules.note(frame, said);
    if (frame.kind === "request" && idKey !== undefined) state.asked.set(idKey, method);
  }
  if (!protocol.record) return { onward: frame.bytes };
  state.report(protocol.decision, "protocol", undefined, `server message: ${reason}`);
  const entry = evidence.protocolDecision(protocol, faults, reason, undefined);
  return whenReady(state.append([entry]), (kept) => released(state, frame, protocol, faults, kept));
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
  protocol: Verdict,
  faults: readonly Issue[],
  kept: boolean,
): Passage {
  if (kept && protocol.decision !== "blocked") return { onward: frame.bytes };
  if (frame.kind !== "request" || frame.id === undefined) return {};
  if (!kept) return { back: [state.unrecorded(frame.id)] };
  const text = `Blocked by touchstone: ${describeFaults(faults)}`;
  return { back: [issuesError(frame.id, requestErrorCode(faults), text, faults)] };
}
