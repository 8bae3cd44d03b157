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
  const { input, output, protocol } = context.settings();
  const duplicates = protocol.mode !== "off";
  // Arguments and results are then not scanned once more for their own check.
  const exact = input.mode !== "off" || output.mode !== "off";
  const frame = readFrame(bytes, { duplicates, exact });
  if (duplicates) return frame;
  const tool = toolOf(frame);
  if (tool === undefined || context.settings(tool).protocol.mode === "off") return frame;
  return readFrame(bytes, { duplicates: true, exact });
}
