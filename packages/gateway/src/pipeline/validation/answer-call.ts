import type { Frame } from "@touchstone/protocol";
import type { ActivityEntry } from "../../activity/record.ts";
import { isModern } from "../era.ts";
import type { ToolCall } from "../in-flight.ts";
import type { PipelineState } from "../state.ts";

/** A call that the gateway has answered itself. */
export interface AnsweredCall {
  readonly bytes: Uint8Array;
  /** Its record. */
  readonly entry: ActivityEntry;
}

/**
 * Answers a call of the validation tool in the place of a server that has none; undefined for every
 * other call.
 */
export function validationOf(
  { context, conversation, evidence }: PipelineState,
  frame: Frame,
  call: ToolCall,
): AnsweredCall | undefined {
  const { tool } = call;
  const validation = context.validation?.();
  if (tool === undefined || !validation?.isNamed(tool)) return undefined;
  const revision = frame.protocolVersion ?? conversation.revision;
  const source = conversation.contracts(revision);
  if (!validation.serves(tool, conversation, source)) return undefined;
  call.own = true;
  const { maxBytes } = call.settings.input;
  const { bytes, result, isError } = validation.answer(frame, source, {
    maxBytes,
    modern: isModern(revision),
  });
  const allowed = call.verdict.decision === "warning" ? "warning" : "success";
  const entry = evidence.toolCall(call, isError ? "error" : allowed, {
    bytes: bytes.length,
    reason: "answered by the gateway, which validates for this server",
    ...(context.bodies === true ? { result } : {}),
  });
  return { bytes, entry };
}
