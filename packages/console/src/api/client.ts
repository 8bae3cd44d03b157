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

/** A request that brought nothing to show: its text says what happened and what to do. */
export class ApiError extends Error {
  override readonly name: string = "ApiError";
  readonly code: ApiErrorCode;
  /** The HTTP status, where there was an answer. */
  readonly status: number | undefined;

  constructor(code: ApiErrorCode, message: string, status?: number) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

/** An answer as it came. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  /** From the request to the last byte of the answer. */
  readonly milliseconds: number;
}

/** What goes with a request. */
export interface Sending {
  readonly signal?: AbortSignal;
  /** The value of the Authorization header. */
  readonly authorization?: string | undefined;
  /** Gets how far a call is, whenever the server reports it. */
  readonly onProgress?: (progress: Progress) => void;
}

/** The `fetch` of the page; a test hands in its own. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** The tool API, as the page uses it. Every function rejects with {@link ApiError}, or as aborted. */
export interface Api {
  /** `GET /tools`. */
  list(sending?: Sending): Promise<readonly ToolSummary[]>;
  /** `GET /tools/{name}`: the JSON text, in which the schemas' numbers are exact. */
  describe(name: string, sending?: Sending): Promise<string>;
  /** `POST /tools/{name}/validate` with full detail. */
  validate(name: string, body: string, sending?: Sending): Promise<Answer>;
  /** `POST /tools/{name}/call`. */
  call(name: string, body: string, sending?: Sending): Promise<Answer>;
  /** Where `call` sends to, absolute. */
  callUrl(name: string): string;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The text of `{"error": text}`, or of an error in JSON-RPC 2.0 (section 5.1): `{"error": {"message": text}}`. */
export function errorOf(text: string): string | undefined {
  const value = parse(text);
  const error = isObject(value) ? value["error"] : undefined;
  const said = isObject(error) ? error["message"] : error;
  return typeof said === "string" ? said : undefined;
}

/** What the server says is wrong, and where to put the token that it wants. */
export function refusalText(error: string, status: number): string {
  if (status !== 401) return error;
  const said = /[.!?]$/.test(error) ? error : `${error}.`;
  return `${said} Enter a token that the server accepts at the top of the page, then try again.`;
}

/** Returns the body that an event stream ends with; undefined if it broke off. */
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

/** Said of a call whose stream ended without a result. */
const BROKEN_OFF =
  "The response ended before the result came. What the tool has done by then stays. Check that the server runs.";

function isAborted(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.name === "AbortError";
}

/** What of a name can stand in a path; a lone surrogate, which cannot, becomes U+FFFD. */
const segment = (name: string): string => encodeURIComponent(name.toWellFormed());

/**
 * The API at a URL.
 * @param base absolute, with a slash at its end
 */
export function createApi(base: string, fetch: Fetch, now: () => number): Api {
  const send = async (path: string, init: RequestInit, sending: Sending): Promise<Answer> => {
    const { authorization, signal, onProgress } = sending;
    const headers = new Headers(init.headers);
    if (authorization !== undefined) headers.set("authorization", authorization);
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
  const get = async (path: string, sending: Sending): Promise<string> => {
    const { status, text } = await send(path, { method: "GET" }, sending);
    if (status === 200) return text;
    const error = errorOf(text);
    if (error !== undefined) throw new ApiError("refused", refusalText(error, status), status);
    throw unexpected(status);
  };
  const unexpected = (status: number): ApiError =>
    new ApiError(
      "unexpected",
      `The server answered ${status} with something that is not of the tool API. Check the address.`,
      status,
    );
  const post = (path: string, body: string, sending: Sending): Promise<Answer> =>
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
    callUrl: (name) => `${base}tools/${segment(name)}/call`,
  };
}
