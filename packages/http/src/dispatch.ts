import { errors } from "./answers/errors.ts";
import { API_HEADERS } from "./answers/headers.ts";
import { withoutBody } from "./answers/respond.ts";
import type { Api } from "./api.ts";
import type { ApiRequest } from "./request/request.ts";
import { allowHeader, type Kind, parseRoute, pathBelow } from "./request/route.ts";

/**
 * The functions that respond to requests for each kind of resource. None of them rejects.
 * @param path below the prefix, percent-encoded
 */
export const RESOURCE_HANDLERS: Readonly<
  Record<Kind, (api: Api, request: ApiRequest, name: string, path: string) => Promise<Response>>
> = {
  page: (api, request) => api.page(request),
  tools: (api, request) => api.list(request),
  openapi: (api) => api.openapi(),
  asset: (api, request, name) => api.asset(request, name),
  batch: (api, request) => api.validateBatch(request),
  validate: (api, request, name) => api.validate(request, name),
  call: (api, request, name) => api.call(request, name),
  tool: (api, request, name, path) => api.describe(request, name, path),
};

/**
 * Ends when the work ends, or as soon as the client has left, so that a handler that ignores the signal keeps no
 * request open. Never rejects.
 */
export async function unlessClientGone(
  api: Api,
  { incoming: { signal, url } }: Pick<ApiRequest, "incoming">,
  work: () => Promise<Response>,
): Promise<Response> {
  let leave: () => void = () => {};
  let isGone = false;
  const left = new Promise<Response>((resolve) => {
    leave = () => {
      isGone = true;
      resolve(errors.clientLeft());
    };
  });
  try {
    if (signal.aborted) return errors.clientLeft();
    signal.addEventListener("abort", leave, { once: true });
    const working = work();
    // If the client left first, a later failure is not reported, and a later response is discarded.
    working.then((late) => (isGone ? late.body?.cancel() : undefined)).catch(() => {});
    return await Promise.race([working, left]);
  } catch (cause) {
    api.report({ code: "internal", message: `a request failed: ${url}`, cause });
    return errors.internal();
  } finally {
    signal.removeEventListener("abort", leave);
  }
}

/**
 * Answers a request by its path and method. Never rejects.
 * @param path below the prefix; undefined if the request is outside it
 */
async function route(api: Api, request: ApiRequest, path: string | undefined): Promise<Response> {
  const { method } = request;
  const resource = path === undefined ? undefined : parseRoute(path, method);
  if (path === undefined || resource === undefined) return errors.notFound(request.path);
  if (method === "OPTIONS") {
    const headers = { ...API_HEADERS, allow: allowHeader(resource.kind) };
    return new Response(null, { status: 204, headers });
  }
  const { kind, name, malformed, isAllowed } = resource;
  if (!isAllowed) return errors.methodNotAllowed(allowHeader(kind));
  if (malformed) return api.malformed(kind, name);
  return RESOURCE_HANDLERS[kind](api, request, name, path);
}

/** Answers a request to the whole API, mounted under a prefix. Never rejects. */
export async function dispatch(api: Api, request: ApiRequest, prefix: string): Promise<Response> {
  const response = await unlessClientGone(api, request, () =>
    route(api, request, pathBelow(request.path, prefix)),
  );
  return request.method === "HEAD" ? withoutBody(response) : response;
}
