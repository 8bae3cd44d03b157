import type { Frame } from "@touchstone/protocol";
import type { ToolLookup } from "../contracts/source.ts";
import type { ToolCall } from "./inflight.ts";
import type { PipelineState } from "./state.ts";

const NAMELESS: ToolLookup = {
  contract: undefined,
  gap: { code: "unavailable", reason: "the call does not name its tool by a string" },
};

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
  const { contract, gap } =
    tool === undefined ? NAMELESS : conversation.contracts(revision).lookup(tool);
  const given = context.bodies === true ? frame.range("/params/arguments") : undefined;
  return {
    tool,
    contract,
    gap,
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
