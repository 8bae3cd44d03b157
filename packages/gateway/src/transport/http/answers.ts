import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { batchItems, readFrame } from "@touchstone/protocol";
import { concatBytes } from "../../concat-bytes.ts";

const OPEN = Buffer.from("[");
const COMMA = Buffer.from(",");
const CLOSE = Buffer.from("]");

/**
 * One answer as it is; several, or those to a batch, as one JSON-RPC batch, into which batches
 * among them are taken item by item.
 */
export function joinAnswers(answers: readonly Uint8Array[], batch: boolean): Uint8Array {
  const [only] = answers;
  if (only !== undefined && answers.length === 1) {
    if (!batch || readFrame(only).kind === "batch") return only;
  }
  const items = answers
    .flatMap(itemsOf)
    .flatMap((answer, i) => (i === 0 ? [answer] : [COMMA, answer]));
  return concatBytes([OPEN, ...items, CLOSE]);
}

function itemsOf(answer: Uint8Array): Uint8Array[] {
  const frame = readFrame(answer);
  if (frame.kind !== "batch") return [answer];
  return [...batchItems(frame)].map(({ start, end }) => answer.subarray(start, end));
}

/**
 * Ends a response with a JSON body, unless it has begun or is gone.
 * @param headers of this answer alone: those that belong to the body are added to them
 */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: Uint8Array,
  headers: OutgoingHttpHeaders = {},
): void {
  if (response.headersSent || response.destroyed) return;
  headers["content-type"] ??= "application/json";
  headers["content-length"] = body.length;
  response.writeHead(status, headers);
  response.end(body);
}
