import { ActivityError, type ActivityErrorCode } from "../errors.ts";

/**
 * Returns a JSON response. Records may contain anything, so caches must not keep them, and browsers must not guess
 * their type.
 */
export function jsonResponse(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return jsonText(status, JSON.stringify(body), headers);
}

/** {@link jsonResponse} with a text that is JSON already. */
export function jsonText(
  status: number,
  text: string | ReadableStream<Uint8Array>,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(text, {
    status,
    headers: {
      "content-type": "application/json; charset=utf-8",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      ...headers,
    },
  });
}

/** Failures that end by themselves within moments. */
const PASSING: ReadonlySet<ActivityErrorCode> = new Set([
  "READER_BUSY",
  "READER_ENDED",
  "DATABASE_BUSY",
]);
/** After how many seconds to try again in that case (RFC 9110, section 10.2.3). */
const RETRY_AFTER = "2";

/** Returns `{error, code}`: 400 for a bad filter, 503 for faults of the store, 500 for unexpected errors. */
export function errorResponse(error: unknown): Response {
  if (!(error instanceof ActivityError)) {
    return jsonResponse(500, { error: "The activity could not be read.", code: "INTERNAL" });
  }
  const { code, message } = error;
  if (code === "BAD_FILTER") return jsonResponse(400, { error: message, code });
  const headers = PASSING.has(code) ? { "retry-after": RETRY_AFTER } : {};
  return jsonResponse(503, { error: message, code }, headers);
}
