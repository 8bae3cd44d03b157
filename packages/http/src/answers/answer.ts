import { encodeUtf8 } from "@touchstone/core";
import { API_HEADERS } from "./headers.ts";

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
  return respond(status, "application/json", text, headers);
}

/** Returns the same response without its body, for HEAD (RFC 9110, section 9.3.2). */
export function withoutBody({ status, headers }: Response): Response {
  return new Response(null, { status, headers });
}
