import { batchItems, type Frame, readFrame, requestItems } from "@touchstone/protocol/advanced";
import { joinBatch, visible } from "@touchstone/util";

/**
 * Returns the messages in a frame: the frame itself, or outlines of the messages of a forwarded batch, which has few.
 */
export function messagesOf(frame: Frame): Frame[] {
  if (frame.kind !== "batch") return [frame];
  return [...batchItems(frame)].map(({ start, end }) =>
    readFrame(frame.bytes.subarray(start, end), { outline: true }),
  );
}

/** Caches the requests of batches, because several parts of a transport need them. */
const requestsIn = new WeakMap<Frame, Frame[]>();

/** Returns the requests in a frame: the frame itself, or outlines of those in a batch of any length. */
export function requestsOf(frame: Frame): Frame[] {
  if (frame.kind !== "batch") return frame.kind === "request" ? [frame] : [];
  let requests = requestsIn.get(frame);
  if (requests === undefined) {
    requests = among(frame, ({ kind }) => kind === "request", true);
    requestsIn.set(frame, requests);
  }
  return requests;
}

/** Returns the responses in a frame: the frame itself, or those in a batch of any length. */
export function responsesIn(frame: Frame): Frame[] {
  if (frame.kind !== "batch") return endsRequest(frame) ? [frame] : [];
  return among(frame, endsRequest);
}

/** Only the wanted messages of a batch are kept. */
function among(batch: Frame, isMeant: (message: Frame) => boolean, outline = false): Frame[] {
  const found: Frame[] = [];
  for (const { start, end } of requestItems(batch)) {
    const message = readFrame(batch.bytes.subarray(start, end), { outline });
    if (isMeant(message)) found.push(message);
  }
  return found;
}

/** Returns whether a message ends a request. */
export function endsRequest({ kind }: Frame): boolean {
  return kind === "response" || kind === "error";
}

/** Returns whether an HTTP error's body is a JSON-RPC response, or a batch with one in it. */
export function hasJsonRpcResponse(frame: Frame): boolean {
  return frame.kind === "batch" ? responsesIn(frame).some(isRpcError) : isRpcError(frame);
}

/** Longest id to show in full, and how many ids to show. */
const ID_CHARACTERS = 64;
const MAX_IDS = 3;

/**
 * Lists the ids of responses that arrived instead of those of the requests.
 * @param ids their source texts
 */
export function unexpectedIdsText(ids: readonly string[]): string {
  const named = ids.slice(0, MAX_IDS).map((id) => visible(id, ID_CHARACTERS));
  const more = ids.length > MAX_IDS ? `, and ${ids.length - MAX_IDS} more` : "";
  return `response with the id ${named.join(", ")}${more}, which is the id of no request that waits for it`;
}

/**
 * Returns whether the JSON of an HTTP error is a JSON-RPC response, and not the error of an HTTP or OAuth server:
 * `{"error":"invalid_token"}` (RFC 6750), `{"title":"Forbidden"}` (RFC 9457).
 */
export function isRpcError(frame: Frame): boolean {
  return (
    endsRequest(frame) && ["/jsonrpc", "/id"].some((pointer) => frame.scan.members.has(pointer))
  );
}

/**
 * Returns one response as it is, and several, or those to a batch, as one JSON-RPC batch. Nested batches are
 * flattened.
 */
export function joinAnswers(answers: readonly Uint8Array[], batch: boolean): Uint8Array {
  const [only] = answers;
  if (only !== undefined && answers.length === 1) {
    if (!batch || readFrame(only).kind === "batch") return only;
  }
  return joinBatch(answers.flatMap(itemsOf));
}

function itemsOf(answer: Uint8Array): Uint8Array[] {
  const frame = readFrame(answer);
  if (frame.kind !== "batch") return [answer];
  return [...batchItems(frame)].map(({ start, end }) => answer.subarray(start, end));
}
