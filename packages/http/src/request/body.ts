import type { IncomingMessage } from "node:http";
import { encodeUtf8 } from "@touchstone/core/advanced";

/** The bytes of a body, or why there are none. */
export type Body =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly reason: "too_large" | "unreadable"; readonly detail: string }
  /** The host has refused to read the body, with this response. */
  | { readonly ok: false; readonly reason: "refused"; readonly response: Response };

/**
 * Reads the body of a Node request for the handler.
 * @returns the bytes; a response that refuses the request; undefined if there are more than `limit` bytes
 */
export type BodyReader = (
  request: IncomingMessage,
  limit: number,
) => Promise<Uint8Array | Response | undefined>;

/** Reads a body of at most `limit` bytes. Never rejects. */
export type ReadBody = (limit: number) => Promise<Body>;

export function tooLarge(limit: number): Body {
  const detail = `The body is larger than the limit of ${limit} bytes.`;
  return { ok: false, reason: "too_large", detail };
}

export function unreadableBody(detail: string): Body {
  return { ok: false, reason: "unreadable", detail };
}

export function incompleteBody(): Body {
  return unreadableBody("the body ended before it was whole");
}

export function consumedBody(): Body {
  return unreadableBody(
    "the body was read before it came here; mount this handler before what parses bodies",
  );
}

/** Returns the buffer, with room for more: itself, or a copy of twice the size. */
function withRoom(bytes: Uint8Array, size: number, more: number): Uint8Array {
  if (size + more <= bytes.length) return bytes;
  const larger = new Uint8Array(2 * size + more);
  larger.set(bytes.subarray(0, size));
  return larger;
}

/**
 * Reads a body from its chunks. A body that is too large is left unread from there on: the server knows how to end it
 * without losing the response.
 */
export async function readChunks(chunks: AsyncIterable<unknown>, limit: number): Promise<Body> {
  let bytes: Uint8Array = new Uint8Array(0);
  let size = 0;
  try {
    for await (const chunk of chunks) {
      const part = typeof chunk === "string" ? encodeUtf8(chunk) : chunk;
      if (!(part instanceof Uint8Array)) return unreadableBody("the body is not a stream of bytes");
      if (size + part.length > limit) return tooLarge(limit);
      // Most bodies are a single chunk, which is not copied. Others share one buffer, because a separate chunk for each
      // byte would take two hundred bytes of memory.
      if (size === 0) bytes = part;
      else {
        bytes = withRoom(bytes, size, part.length);
        bytes.set(part, size);
      }
      size += part.length;
    }
  } catch {
    return incompleteBody();
  }
  return { ok: true, bytes: bytes.subarray(0, size) };
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Returns whether a string of `size` bytes is a parsed JSON string rather than the text of a body: parsing removes at
 * least the quotes, so more bytes were declared. Without a declared size, or after decoding, that is unknown, and the
 * string counts as a text.
 */
function wasParsed(size: number, headers: Headers | undefined): boolean {
  const length = headers?.["content-length"];
  const type = headers?.["content-type"];
  const coding = headers?.["content-encoding"];
  if (typeof length !== "string" || typeof type !== "string" || coding !== undefined) return false;
  const charset = /;\s*charset="?([^";\s]*)/i.exec(type)?.[1];
  if (charset !== undefined && charset.toLowerCase() !== "utf-8") return false;
  return declaresTooLarge(length, size + 1);
}

/** `application/json`, and types that end in `+json` (RFC 6839, section 3.1). */
const JSON_TYPE = /^\s*(?:application|text)\/(?:[\w.!#$&^-]+\+)?json\s*(?:;|$)/i;

/** Returns whether a parsed body may be its JSON value; a parsed form, for example, is not. */
function mayBeJson(headers: Headers | undefined): boolean {
  const type = headers?.["content-type"];
  return typeof type !== "string" || JSON_TYPE.test(type);
}

/**
 * Returns a body that other code has read or parsed already; `headers` are the ones that it came with. A parsed value
 * counts only if the body's type is JSON, or it has none.
 */
export function bodyFromHost(body: unknown, limit: number, headers: Headers | undefined): Body {
  let text = body;
  if (typeof text === "string") {
    const bytes = encodeUtf8(text);
    if (!wasParsed(bytes.length, headers)) text = bytes;
  }
  if (!(text instanceof Uint8Array)) {
    if (!mayBeJson(headers)) {
      return unreadableBody("the content type of the body is not JSON; send application/json");
    }
    try {
      text = JSON.stringify(text);
    } catch {
      return unreadableBody("the parsed body has no JSON text");
    }
  }
  if (typeof text === "string") text = encodeUtf8(text);
  if (!(text instanceof Uint8Array)) return unreadableBody("the parsed body has no JSON text");
  return text.length > limit ? tooLarge(limit) : { ok: true, bytes: text };
}

/** Returns whether a declared length is over a limit; an invalid length is ignored. */
export function declaresTooLarge(contentLength: string | undefined, limit: number): boolean {
  return (
    contentLength !== undefined && /^\d+$/.test(contentLength) && Number(contentLength) > limit
  );
}
