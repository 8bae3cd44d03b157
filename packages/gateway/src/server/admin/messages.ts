import type { IncomingMessage, ServerResponse } from "node:http";
import { BodyTooLargeError, readBody } from "../../transport/http/body.ts";
import { AdminError } from "./errors.ts";

const MAX_BODY = 16 * 1024;

/** The body of a request, at most 16 KiB. @throws AdminError where it is larger */
export async function bodyOf(request: IncomingMessage): Promise<Uint8Array> {
  try {
    return await readBody(request, MAX_BODY);
  } catch (error) {
    if (!(error instanceof BodyTooLargeError)) throw error;
    throw new AdminError("TOO_LARGE", `The body is larger than ${MAX_BODY} bytes.`);
  }
}

/** What a request of another method is answered. */
export function notAllowed(method: string, allow: string): AdminError {
  const message = `${method} is not allowed here; use ${allow}.`;
  return new AdminError("METHOD_NOT_ALLOWED", message, { headers: { allow } });
}

/** Sends JSON, unless the client has left. */
export function send(
  { method }: IncomingMessage,
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent || response.destroyed) return;
  const text = Buffer.from(JSON.stringify(body));
  response.writeHead(status, {
    ...headers,
    "content-type": "application/json; charset=utf-8",
    "content-length": text.length,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
  response.end(method === "HEAD" ? undefined : text);
}
