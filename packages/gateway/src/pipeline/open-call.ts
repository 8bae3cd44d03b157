import type { Frame } from "@touchstone/protocol";
import type { ToolCall } from "./inflight.ts";
import type { PipelineState } from "./state.ts";

/**
 * Begins a tool call, also one that comes without an id, or names its tool by what is no string: a
 * server might run it all the same. Undefined where the frame is none.
 */
export function openCall(
  { context, conversation }: PipelineState,
  frame: Frame,
): ToolCall | undefined {
  if (frame.method !== "tools/call") return undefined;
  const tool = frame.toolName;
  const revision = frame.protocolVersion ?? conversation.revision;
  const given = context.bodies === true ? frame.range("/params/arguments") : undefined;
  return {
    tool,
    contract: tool === undefined ? undefined : conversation.contracts(revision).get(tool),
    settings: context.settings(tool),
    requestId: context.newRequestId(),
    startedAt: context.now(),
    bytesIn: frame.bytes.length,
    arguments: given && frame.bytes.subarray(given.start, given.end),
    wantsTask: frame.range("/params/task") !== undefined,
    verdict: { decision: "allowed", outcome: "skipped" },
    recorded: false,
    sent: false,
  };
}
