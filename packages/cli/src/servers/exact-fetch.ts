import { encodeUtf8 } from "@touchstone/core";
import { SseSplitter } from "@touchstone/gateway/relay";
import type { ExactCalls } from "./exact-call.ts";

/** Largest event that is looked at, in bytes. */
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * A `fetch` for the MCP SDK by which arguments and results pass as they were written.
 * @param event takes the message of each event that comes
 */
export function exactFetch(
  inner: typeof fetch,
  exact: ExactCalls,
  event: (message: Uint8Array) => void,
): typeof fetch {
  return async (input, init) => {
    const call = exact.current;
    const response = await inner(
      input,
      call !== undefined && typeof init?.body === "string" ? exactly(init, call) : init,
    );
    // What the SDK does not read to its end is not read here either.
    read(response.clone(), (message) => call?.incoming(message), event).catch(() => {});
    return response;
  };
}

function exactly(init: RequestInit, call: NonNullable<ExactCalls["current"]>): RequestInit {
  const body = call.outgoing(String(init.body));
  // Plain, since a `fetch` of another undici does not know this one's.
  const headers = { ...Object.fromEntries(new Headers(init.headers)), ...call.headersOf(body) };
  return { ...init, body, headers };
}

async function read(
  response: Response,
  take: (message: Uint8Array) => void,
  event: (message: Uint8Array) => void,
): Promise<void> {
  const type = response.headers.get("content-type") ?? "";
  if (!/^text\/event-stream\b/i.test(type)) {
    take(encodeUtf8(await response.text()));
    return;
  }
  const splitter = new SseSplitter(MAX_BYTES);
  for await (const chunk of response.body ?? []) {
    for (const { data } of splitter.push(chunk)) {
      if (data === undefined) continue;
      take(data);
      event(data);
    }
  }
}
