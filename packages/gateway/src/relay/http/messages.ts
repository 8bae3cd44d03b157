import { askingItems, batchItems, type Frame, readFrame } from "@touchstone/protocol";

/** The messages in a frame: itself, or those of a batch that was let through, which has few. */
export function messagesOf(frame: Frame): Frame[] {
  if (frame.kind !== "batch") return [frame];
  return [...batchItems(frame)].map(({ start, end }) =>
    readFrame(frame.bytes.subarray(start, end)),
  );
}

/** The requests in a frame: itself, or those of a batch, which may be of any length. */
export function requestsOf(frame: Frame): Frame[] {
  if (frame.kind !== "batch") return frame.kind === "request" ? [frame] : [];
  return among(frame, ({ kind }) => kind === "request");
}

/** The answers in a frame: itself, or those of a batch, which may be of any length. */
export function answersIn(frame: Frame): Frame[] {
  if (frame.kind !== "batch") return isAnswer(frame) ? [frame] : [];
  return among(frame, isAnswer);
}

/** Of the messages of a batch no more is kept than is looked for. */
function among(batch: Frame, isMeant: (message: Frame) => boolean): Frame[] {
  const found: Frame[] = [];
  for (const { start, end } of askingItems(batch)) {
    const message = readFrame(batch.bytes.subarray(start, end));
    if (isMeant(message)) found.push(message);
  }
  return found;
}

/** Whether a message ends a request. */
export function isAnswer({ kind }: Frame): boolean {
  return kind === "response" || kind === "error";
}

/**
 * Whether the JSON of an HTTP error is a JSON-RPC answer, and not what HTTP servers and OAuth say of errors:
 * `{"error":"invalid_token"}` (RFC 6750), `{"title":"Forbidden"}` (RFC 9457).
 */
export function isRpcError(frame: Frame): boolean {
  return isAnswer(frame) && ["/jsonrpc", "/id"].some((pointer) => frame.scan.members.has(pointer));
}
