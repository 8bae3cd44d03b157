import { isObject } from "../json/object.ts";
import { readEvents } from "./events.ts";
import { type Progress, readProgress } from "./progress.ts";
import { readSummary, type ToolSummary } from "./tool-summary.ts";

/**
 * Why the page has no response to show.
 *
 * - `unreachable`: no response arrived; the server or the network is down
 * - `refused`: the server responded with an error; `message` says which
 * - `unexpected`: the response is not from this API; a proxy may be in between
 */
export type ApiErrorCode = "unreachable" | "refused" | "unexpected";

/** A request that returned nothing to show. Its text says what happened and what to do. */
export class ApiError extends Error {
  override readonly name: string = "ApiError";
  readonly code: ApiErrorCode;
  /** The HTTP status, if there was a response. */
  readonly status: number | undefined;

  constructor(code: ApiErrorCode, message: string, status?: number) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

/** A response as it arrived. */
export interface ApiResponse {
  readonly status: number;
  readonly text: string;
  /** From the request to the last byte of the response. */
  readonly milliseconds: number;
}

/** Options of a request. */
export interface RequestOptions {
  readonly signal?: AbortSignal;
  /** Receives the progress of a call whenever the server reports it. */
  readonly onProgress?: (progress: Progress) => void;
}

/** The page's `fetch`; tests pass in their own. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** The tool API as used by the page. Every function rejects with {@link ApiError}, or because it was aborted. */
export interface Api {
  /** `GET /tools`. */
  list(sending?: RequestOptions): Promise<readonly ToolSummary[]>;
  /** `GET /tools/{name}`: the JSON text, which keeps the exact numbers of the schemas. */
  describe(name: string, sending?: RequestOptions): Promise<string>;
  /** `POST /tools/{name}/validate` with full detail. */
  validate(name: string, body: string, sending?: RequestOptions): Promise<ApiResponse>;
  /** `POST /tools/{name}/call`. */
  call(name: string, body: string, sending?: RequestOptions): Promise<ApiResponse>;
  /** The absolute URL for calls from outside of the console. */
  callUrl(name: string): string;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Returns the text of `{"error": text}`, or of a JSON-RPC 2.0 error (section 5.1): `{"error": {"message": text}}`.
 */
export function errorOf(text: string): string | undefined {
  const value = parse(text);
  const error = isObject(value) ? value["error"] : undefined;
  const said = isObject(error) ? error["message"] : error;
  return typeof said === "string" ? said : undefined;
}

/** Returns the server's error text and, if the server does not accept the key or the session, what to do. */
export function refusalText(error: string, status: number): string {
  if (status !== 401) return error;
  const said = /[.!?]$/.test(error) ? error : `${error}.`;
  return `${said} Sign in, then try again.`;
}

/** Returns the body at the end of an event stream; undefined if the stream broke off. */
async function resultOf(
  response: Response,
  onProgress: (progress: Progress) => void,
): Promise<string | undefined> {
  let result: string | undefined;
  await readEvents(response, {
    onEvent({ event, data }) {
      const progress = event === "progress" ? readProgress(data) : undefined;
      if (progress !== undefined) onProgress(progress);
      if (event === "result") result = data;
    },
  });
  return result;
}

const EVENTS = "text/event-stream";

/** Shown for a call whose stream ended without a result. */
const BROKEN_OFF =
  "The response ended before the result arrived. What the tool did until then is not undone. Check that the server runs.";

function isAborted(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.name === "AbortError";
}

/** Encodes a name as a path segment. A lone surrogate, which a path cannot contain, becomes U+FFFD. */
const segment = (name: string): string => encodeURIComponent(name.toWellFormed());

/**
 * Creates the API at a URL.
 * @param base where the page sends requests; absolute, with a trailing slash
 * @param outside where programs send them; by default, the same
 */
export function createApi(
  base: string,
  fetch: Fetch,
  now: () => number,
  outside: string = base,
): Api {
  const send = async (
    path: string,
    init: RequestInit,
    sending: RequestOptions,
  ): Promise<ApiResponse> => {
    const { signal, onProgress } = sending;
    const headers = new Headers(init.headers);
    if (onProgress !== undefined) headers.set("accept", `application/json, ${EVENTS}`);
    const start = now();
    try {
      const response = await fetch(base + path, { ...init, headers, signal: signal ?? null });
      const isStream = onProgress !== undefined && response.headers.get("content-type") === EVENTS;
      const text = isStream ? await resultOf(response, onProgress) : await response.text();
      if (text === undefined) throw new ApiError("unexpected", BROKEN_OFF, response.status);
      return { status: response.status, text, milliseconds: now() - start };
    } catch (thrown) {
      if (isAborted(thrown) || thrown instanceof ApiError) throw thrown;
      const what = "The server cannot be reached. Check that it runs, then try again.";
      throw new ApiError("unreachable", what);
    }
  };
  const get = async (path: string, sending: RequestOptions): Promise<string> => {
    const { status, text } = await send(path, { method: "GET" }, sending);
    if (status === 200) return text;
    const error = errorOf(text);
    if (error !== undefined) throw new ApiError("refused", refusalText(error, status), status);
    throw unexpected(status);
  };
  const unexpected = (status: number): ApiError =>
    new ApiError(
      "unexpected",
      `The server responded with ${status} and something that is not part of the tool API. Check the address.`,
      status,
    );
  const post = (path: string, body: string, sending: RequestOptions): Promise<ApiResponse> =>
    send(path, { method: "POST", body, headers: { "content-type": "application/json" } }, sending);
  return {
    async list(sending = {}) {
      const list = parse(await get("tools", sending));
      if (!Array.isArray(list)) throw unexpected(200);
      return list.map(readSummary).filter((tool) => tool !== undefined);
    },
    describe: (name, sending = {}) => get(`tools/${segment(name)}`, sending),
    validate: (name, body, sending = {}) =>
      post(`tools/${segment(name)}/validate?detail=full`, body, sending),
    call: (name, body, sending = {}) => post(`tools/${segment(name)}/call`, body, sending),
    callUrl: (name) => `${outside}tools/${segment(name)}/call`,
  };
}
