import type { ServerResponse } from "node:http";
import { type Frame, readFrame } from "@touchstone/protocol";
import { sendError } from "./endpoint.ts";
import { requestsOf } from "./messages.ts";

/** Whether requests may be sent here, and why not. */
export interface Readiness {
  readonly ready: boolean;
  /** One line for people. */
  readonly status: string;
  /** What whoever may use the gateway is told besides. Holds no secrets. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** What a request is told that is not taken any more. */
export const STOPPING = "touchstone is stopping and takes no new requests";

/** The same where the configuration has another address. */
export const MOVED = "touchstone listens at another address now and takes no new requests here";

/** When a client that was turned away may try again, in seconds (RFC 9110, section 10.2.3). */
export const RETRY_AFTER = "5";
export const LEAVING_HEADERS: Record<string, string> = {
  "retry-after": RETRY_AFTER,
  connection: "close",
};

/**
 * Turns a message away because no new requests are taken. What ends a request that is under way still
 * passes: a client's answers and notifications.
 * @param reason why none are
 * @returns whether it was turned away
 */
export function refuseNew(response: ServerResponse, body: Uint8Array, reason: string): boolean {
  const frame = readFrame(body);
  if (asksNothing(frame)) return false;
  sendError(response, 503, reason, { id: frame.id, headers: LEAVING_HEADERS });
  return true;
}

/** Whether a message only ends what is under way: a client's answer or notification. */
export function asksNothing(frame: Frame): boolean {
  return requestsOf(frame).length === 0 && frame.kind !== "invalid";
}
