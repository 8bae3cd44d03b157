import { batchItems, type Frame, readFrame } from "@touchstone/protocol";

/** The messages in a frame: itself, or those of a batch. */
export function messagesOf(frame: Frame): Frame[] {
  if (frame.kind !== "batch") return [frame];
  return [...batchItems(frame)].map(({ start, end }) =>
    readFrame(frame.bytes.subarray(start, end)),
  );
}

/** The requests in a frame: itself, or those of a batch. */
export function requestsOf(frame: Frame): Frame[] {
  if (frame.kind !== "batch") return frame.kind === "request" ? [frame] : [];
  return messagesOf(frame).filter((message) => message.kind === "request");
}

/** Whether a message ends a request. */
export function isAnswer({ kind }: Frame): boolean {
  return kind === "response" || kind === "error";
}
