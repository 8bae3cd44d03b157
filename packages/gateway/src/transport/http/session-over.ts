import { readFrame } from "@touchstone/protocol";

/** Texts that say so are short; a longer body says something else. */
export const MAX_OVER_BYTES = 8_192;

/** As servers word it that answer 400, in examples and SDKs of MCP and in frameworks beside them. */
const OVER =
  /\bsession\b.{0,40}\b(?:not found|unknown|expired|invalid|ended|terminated|closed|not exist)\b|\b(?:no valid|invalid|unknown|expired|no such)\b.{0,30}\bsession\b|\bserver not initialized\b/i;

/**
 * Whether an answer with the status 400 says that the server knows no such session. Such servers are
 * wrong (it is 404: MCP 2025-11-25, Transports, Session Management), and many, since official examples were. An
 * error on a request's own id is about that request.
 */
export function saysSessionIsOver(status: number, body: Uint8Array): boolean {
  if (status !== 400 || body.length > MAX_OVER_BYTES) return false;
  const frame = readFrame(body);
  const ofRequest = frame.id !== undefined && frame.id !== "null";
  if (frame.kind === "response" || ofRequest) return false;
  return OVER.test(Buffer.from(body).toString("utf8"));
}
