import { type Frame, readFrame } from "@touchstone/protocol";
import type { PipelineContext } from "./context.ts";

/**
 * A view of a frame as it is judged: where messages are, with their duplicate keys.
 * @param toolOf the tool that a frame is about: single tools may be judged where the server as a
 *   whole is not
 */
export function readJudged(
  context: PipelineContext,
  bytes: Uint8Array,
  toolOf: (frame: Frame) => string | undefined,
): Frame {
  const duplicates = context.settings().protocol.mode !== "off";
  const frame = readFrame(bytes, { duplicates });
  if (duplicates) return frame;
  const tool = toolOf(frame);
  if (tool === undefined || context.settings(tool).protocol.mode === "off") return frame;
  return readFrame(bytes, { duplicates: true });
}
