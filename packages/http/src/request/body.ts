import { encodeUtf8 } from "@touchstone/core";

/** The bytes of a body, or why there are none. */
export type Body =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly reason: "too_large" | "unreadable"; readonly detail: string };

/** Reads a body of at most `limit` bytes. Never rejects. */
export type ReadBody = (limit: number) => Promise<Body>;

export function tooLarge(limit: number): Body {
  const detail = `The body is larger than the limit of ${limit} bytes.`;
  return { ok: false, reason: "too_large", detail };
}

export function unreadable(detail: string): Body {
  return { ok: false, reason: "unreadable", detail };
}

export function wasRead(): Body {
  return unreadable(
    "the body was read before it came here; mount this handler before what parses bodies",
  );
}

function join(parts: readonly Uint8Array[], size: number): Uint8Array {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/**
 * Reads a body from its chunks. A body that is too large is left unread from there on: its end is
 * the server's to deal with, which knows how to without losing the answer.
 */
export async function readChunks(chunks: AsyncIterable<unknown>, limit: number): Promise<Body> {
  const parts: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of chunks) {
      const part = typeof chunk === "string" ? encodeUtf8(chunk) : chunk;
      if (!(part instanceof Uint8Array)) return unreadable("the body is no stream of bytes");
      size += part.length;
      if (size > limit) return tooLarge(limit);
      parts.push(part);
    }
  } catch {
    return unreadable("the body ended before it was whole");
  }
  return { ok: true, bytes: join(parts, size) };
}

/** A body that something before this package has read already, or parsed. */
export function givenBody(body: unknown, limit: number): Body {
  let text = body;
  if (typeof body !== "string" && !(body instanceof Uint8Array)) {
    try {
      text = JSON.stringify(body);
    } catch {
      return unreadable("the parsed body has no JSON text");
    }
  }
  if (typeof text === "string") text = encodeUtf8(text);
  if (!(text instanceof Uint8Array)) return unreadable("the parsed body has no JSON text");
  return text.length > limit ? tooLarge(limit) : { ok: true, bytes: text };
}

/** Whether a declared length is beyond a limit; a length that is none is ignored. */
export function declaresMore(contentLength: string | undefined, limit: number): boolean {
  return (
    contentLength !== undefined && /^\d+$/.test(contentLength) && Number(contentLength) > limit
  );
}
