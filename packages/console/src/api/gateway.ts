import { isObject } from "../json/object.ts";
import { ApiError, errorOf, type Fetch, refusalText } from "./client.ts";

/** The gateway's own API, below one address. Every function rejects with {@link ApiError}, or as aborted. */
export interface GatewayApi {
  /** `GET`: the JSON of the answer. */
  get(path: string, signal?: AbortSignal): Promise<unknown>;
  /** `PATCH` with a JSON body: the JSON of the answer. */
  patch(path: string, body: unknown): Promise<unknown>;
  /** `POST` with a JSON body: the JSON of the answer. */
  post(path: string, body: unknown): Promise<unknown>;
  /** `GET` of something to be saved as it is. */
  download(path: string): Promise<Blob>;
  /** `GET` of a stream of events that goes on behind the event `lastId`. */
  events(path: string, lastId: string | undefined, signal: AbortSignal): Promise<Response>;
  /** Makes the gateway ask a server for its tools. */
  listTools(server: string, signal?: AbortSignal): Promise<unknown>;
  /** The text of a tool's description from the tool API of its server, in which numbers are exact. */
  describeTool(server: string, tool: string, signal?: AbortSignal): Promise<string>;
  /** The absolute URL of what stands at a path, or a fragment of the page, below the gateway's root. */
  address(path: string): string;
}

/** What of a name can stand in a path; a lone surrogate, which cannot, becomes U+FFFD. */
export const segment = (name: string): string => encodeURIComponent(name.toWellFormed());

/** What stands behind a path: `?` and the parameters that have a value, or nothing. */
export function queryOf(parameters: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== "") query.set(name, value.toWellFormed());
  }
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}

function refusal(status: number, text: string): ApiError {
  const error = errorOf(text);
  if (error === undefined) {
    const what = `The server answered ${status} with something that is not of the gateway's API. Check the address.`;
    return new ApiError("unexpected", what, status);
  }
  return new ApiError("refused", refusalText(error, status), status);
}

const sending = (method: string, body: unknown): RequestInit => ({
  method,
  body: JSON.stringify(body),
  headers: { "content-type": "application/json" },
});

/**
 * The API of a gateway.
 * @param base of the API, absolute, with a slash at its end
 * @param root of the gateway, below which its servers have their tool APIs; likewise
 * @param authorization gives the value of the Authorization header, asked for every request
 */
export function createGatewayApi(
  { base, root }: { readonly base: string; readonly root: string },
  fetch: Fetch,
  authorization: () => string | undefined,
): GatewayApi {
  const send = async (url: string, init: RequestInit): Promise<Response> => {
    const headers = new Headers(init.headers);
    const value = authorization();
    if (value !== undefined) headers.set("authorization", value);
    let response: Response;
    try {
      response = await fetch(url, { ...init, headers });
    } catch (thrown) {
      if (thrown instanceof Error && thrown.name === "AbortError") throw thrown;
      const what = "The gateway cannot be reached. Check that it runs, then try again.";
      throw new ApiError("unreachable", what);
    }
    if (response.ok) return response;
    throw refusal(response.status, await response.text());
  };
  const json = async (url: string, init: RequestInit): Promise<unknown> => {
    const response = await send(url, init);
    const text = await response.text();
    try {
      return JSON.parse(text);
    } catch {
      throw refusal(response.status, text);
    }
  };
  return {
    get: (path, signal) => json(base + path, { signal: signal ?? null }),
    patch: (path, body) => json(base + path, sending("PATCH", body)),
    post: (path, body) => json(base + path, sending("POST", body)),
    download: async (path) => (await send(base + path, {})).blob(),
    events: (path, lastId, signal) =>
      send(base + path, {
        signal,
        headers: {
          accept: "text/event-stream",
          ...(lastId === undefined ? {} : { "last-event-id": lastId }),
        },
      }),
    listTools: (server, signal) =>
      json(`${root}servers/${segment(server)}/tools`, { signal: signal ?? null }),
    async describeTool(server, tool, signal) {
      const url = `${root}servers/${segment(server)}/tools/${segment(tool)}`;
      const response = await send(url, { signal: signal ?? null });
      return response.text();
    },
    address: (path) => new URL(path, root).href,
  };
}

/** The text to show for what a request was rejected with. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof ApiError ? thrown.message : "The answer cannot be read.";
}

/** Reads the items of a list that are what a reader takes them for. */
export function readList<T>(
  value: unknown,
  read: (item: unknown) => T | undefined,
): readonly T[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.map(read).filter((item) => item !== undefined);
}

/** The answer is JSON, and not what the page asked for. */
export function unexpectedAnswer(): ApiError {
  const what =
    "The gateway's answer is none that this page knows. Check that both are one version.";
  return new ApiError("unexpected", what, 200);
}

/** A member of a JSON object where it is text; null where it is anything else. */
export function textOf(value: unknown, name: string): string | null {
  const member = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return typeof member === "string" ? member : null;
}

/** A member of a JSON object where it is a number; null where it is anything else. */
export function numberOf(value: unknown, name: string): number | null {
  const member = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return typeof member === "number" ? member : null;
}
