import { createApi } from "./api.ts";
import type { IncomingRequest, ToolCallHandler } from "./call-types.ts";
import { dispatch } from "./dispatch.ts";
import { normalPrefix, type UIConfig } from "./options.ts";
import { type Body, consumedBody, declaresTooLarge, readChunks, tooLarge } from "./request/body.ts";
import { type ApiRequest, splitTarget } from "./request/request.ts";
import type { ToolsProvider } from "./tool.ts";

/** A handler in the terms of the Fetch standard. */
export type FetchHandler = (request: Request, prefix?: string) => Promise<Response>;

/** Yields the chunks of a body. If reading stops early, the rest of the body is left to the server. */
async function* chunks(body: ReadableStream<unknown>): AsyncGenerator<unknown, void, undefined> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.releaseLock();
  }
}

async function readFetchBody(request: Request, limit: number): Promise<Body> {
  try {
    if (request.bodyUsed || request.body?.locked === true) return consumedBody();
    if (declaresTooLarge(request.headers.get("content-length") ?? undefined, limit)) {
      return tooLarge(limit);
    }
    if (request.body === null) return { ok: true, bytes: new Uint8Array(0) };
    return await readChunks(chunks(request.body), limit);
  } catch {
    return consumedBody();
  }
}

/** Returns a Fetch request as the API sees it. */
export function fromFetch(request: Request): ApiRequest {
  const { method, url, signal } = request;
  const incoming: IncomingRequest = {
    method,
    url,
    headers: Object.fromEntries(request.headers),
    signal,
    raw: request,
  };
  const target = splitTarget(url);
  return {
    method: method.toUpperCase(),
    ...target,
    clientPath: target.path,
    read: (limit) => readFetchBody(request, limit),
    incoming,
  };
}

/**
 * Returns the tool API as a fetch handler, for Hono, Deno, Bun, workers and anything else that uses `Request` and
 * `Response`. The handler never rejects.
 *
 * @param tools the tools, or a function that is called for every request
 * @param handleCall runs a tool, on arguments that satisfy its input schema
 * @param options see {@link UIConfig}; a prefix that the handler is called with goes before `prefix`
 * @throws OptionError for an invalid option
 */
export function createHandler(
  tools: ToolsProvider,
  handleCall: ToolCallHandler,
  options?: UIConfig,
): FetchHandler {
  const api = createApi(tools, handleCall, options);
  return async (request, prefix) => {
    // Frameworks pass objects of their own as further arguments.
    const mounted = typeof prefix === "string" ? normalPrefix(prefix) : api.settings.prefix;
    return dispatch(api, fromFetch(request), mounted);
  };
}
