import type { IncomingMessage, ServerResponse } from "node:http";
import type { CheckLater } from "@touchstone/core/advanced";
import type { CheckPool } from "@touchstone/core/node";
import { createApi } from "./api.ts";
import type { IncomingRequest, ToolCallHandler } from "./call-types.ts";
import { dispatch } from "./dispatch.ts";
import type { UIConfig } from "./options.ts";
import {
  type Body,
  type BodyReader,
  bodyFromHost,
  consumedBody,
  declaresTooLarge,
  incompleteBody,
  readChunks,
  tooLarge,
} from "./request/body.ts";
import { type ApiRequest, splitTarget } from "./request/request.ts";
import { pathBelow } from "./request/route.ts";
import type { ToolsProvider } from "./tool.ts";
import { writeResponse } from "./write-response.ts";

/** A listener for `http.createServer`, and a middleware for Express and similar frameworks. */
export type NodeHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  next?: unknown,
) => void;

let pool: Promise<CheckPool> | undefined;

/**
 * Loads the code of the threads for checks, but starts no thread. Without this, the first check that takes long loads
 * it. For processes whose files may be replaced while they run.
 */
export async function loadCheckThreads(): Promise<void> {
  await checkPool();
}

function checkPool(): Promise<CheckPool> {
  pool ??= import("@touchstone/core/node").then(({ CheckPool }) => new CheckPool());
  return pool;
}

/** Runs a check on a thread. */
const checkOnThread: CheckLater = async (job) => (await checkPool()).run(job);

/** What frameworks add to Node's request. */
type FrameworkRequest = IncomingMessage & {
  readonly body?: unknown;
  readonly originalUrl?: unknown;
};

/**
 * Returns whether a body is only a placeholder: Express 4 sets one for a body that no parser handled, and
 * `express.json()` for an empty body.
 */
function isPlaceholder({ body, headers, readableDidRead }: FrameworkRequest): boolean {
  if (typeof body !== "object" || body === null || Object.keys(body).length > 0) return false;
  return !Array.isArray(body) && (!readableDidRead || headers["content-length"] === "0");
}

/** Lets the host read a body. */
async function readByHost(
  readBody: BodyReader,
  request: IncomingMessage,
  limit: number,
): Promise<Body> {
  let read: Awaited<ReturnType<BodyReader>>;
  try {
    read = await readBody(request, limit);
  } catch {
    return incompleteBody();
  }
  if (read instanceof Response) return { ok: false, reason: "refused", response: read };
  return read === undefined || read.length > limit ? tooLarge(limit) : { ok: true, bytes: read };
}

async function readNodeBody(
  request: FrameworkRequest,
  limit: number,
  readBody: BodyReader | undefined,
): Promise<Body> {
  const isGiven = request.body !== undefined && !isPlaceholder(request);
  if (isGiven) return bodyFromHost(request.body, limit, request.headers);
  if (request.headers["content-length"] === "0") return { ok: true, bytes: new Uint8Array() };
  if (request.readableDidRead) return consumedBody();
  if (declaresTooLarge(request.headers["content-length"], limit)) return tooLarge(limit);
  if (readBody !== undefined) return readByHost(readBody, request, limit);
  // Stops reading without destroying the request: that would close its connection before the response can say why.
  return readChunks(request.iterator({ destroyOnReturn: false }), limit);
}

/**
 * Returns a Node request as the API sees it.
 * @param signal aborted when its client leaves
 * @param readBody reads the body instead, if given
 */
export function fromNode(
  request: FrameworkRequest,
  signal: AbortSignal,
  readBody?: BodyReader,
): ApiRequest {
  const { method = "GET", url = "/", headers } = request;
  const incoming: IncomingRequest = { method, url, headers: { ...headers }, signal, raw: request };
  const target = splitTarget(url);
  const original = request.originalUrl;
  return {
    method: method.toUpperCase(),
    ...target,
    clientPath: typeof original === "string" ? splitTarget(original).path : target.path,
    read: (limit) => readNodeBody(request, limit, readBody),
    incoming,
  };
}

/** Returns the part of the path that a framework has removed, because the handler is mounted there. */
function mountOf({ path, clientPath }: ApiRequest): string {
  if (clientPath.endsWith(path)) return clientPath.slice(0, clientPath.length - path.length);
  return path === "/" ? clientPath : "";
}

/** Returns where the API is mounted; undefined if the request is not for it. */
function place(request: ApiRequest, prefix: string): string | undefined {
  if (pathBelow(request.path, prefix) !== undefined) return prefix;
  // If a host passes the same prefix to its framework and to this handler, the prefix counts once.
  const mount = mountOf(request);
  return mount !== "" && mount.endsWith(prefix) ? "" : undefined;
}

/**
 * Returns the tool API as a Node handler: `http.createServer(handler)`, or `app.use("/explorer", handler)` in
 * Express. Requests outside `prefix` go to `next` if a framework passes one. The handler never throws.
 *
 * Bodies are read from the request. If they were parsed before, `request.body` is checked, in which numbers are
 * doubles.
 *
 * @param tools the tools, or a function that is called for every request
 * @param handleCall runs a tool, on arguments that satisfy its input schema
 * @param options see {@link UIConfig}
 * @throws OptionError for an invalid option
 */
export function createNodeHandler(
  tools: ToolsProvider,
  handleCall: ToolCallHandler,
  options?: UIConfig,
): NodeHandler {
  const api = createApi(tools, handleCall, options, checkOnThread);
  const { prefix, readBody } = api.settings;
  return (request, response, next) => {
    const left = new AbortController();
    const leave = (): void => {
      if (!response.writableFinished) left.abort();
    };
    // A framework may pass a request on after its client has left.
    if (response.closed || response.destroyed) leave();
    else response.on("close", leave);
    const given = fromNode(request, left.signal, readBody);
    const at = place(given, prefix);
    if (at === undefined && typeof next === "function") {
      next();
      return;
    }
    void dispatch(api, given, at ?? prefix).then((answer) => writeResponse(answer, response));
  };
}
