import { encodeUtf8 } from "@touchstone/core/advanced";
import { API_HEADERS } from "./headers.ts";

const JSON_TYPE = "application/json";

type Headers = Readonly<Record<string, string>>;

/** Returns a response with a complete body. */
export function respond(
  status: number,
  type: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Headers = {},
): Response {
  const bytes = typeof body === "string" ? encodeUtf8(body) : body;
  const length = { "content-type": type, "content-length": String(bytes.length) };
  return new Response(bytes, { status, headers: { ...API_HEADERS, ...length, ...headers } });
}

/** Returns a response with a JSON body. */
export function json(status: number, text: string, headers?: Headers): Response {
  return respond(status, JSON_TYPE, text, headers);
}

/**
 * Returns a response with a JSON body in several parts, so that a long one is neither joined nor copied in one turn of
 * the event loop.
 */
export function jsonInParts(parts: readonly Uint8Array<ArrayBuffer>[]): Response {
  const [only, ...others] = parts;
  if (only !== undefined && others.length === 0) return respond(200, JSON_TYPE, only);
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const headers = { ...API_HEADERS, "content-type": JSON_TYPE, "content-length": String(length) };
  let at = 0;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller): void {
      const part = parts[at];
      at += 1;
      if (part === undefined) controller.close();
      else controller.enqueue(part);
    },
  });
  return new Response(body, { status: 200, headers });
}

/** Returns the same response without its body, for HEAD (RFC 9110, section 9.3.2). */
export function withoutBody({ status, headers }: Response): Response {
  return new Response(null, { status, headers });
}
