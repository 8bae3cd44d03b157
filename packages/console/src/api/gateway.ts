import { isObject } from "../json/object.ts";
import { ApiError, errorOf, type Fetch, refusalText } from "./client.ts";

/**
 * The gateway's own API, under one base URL. Every function rejects with {@link ApiError}, or because it was aborted.
 */
export interface GatewayApi {
  /** Sends `GET`; returns the JSON of the response. */
  get(path: string, signal?: AbortSignal): Promise<unknown>;
  /** Sends `PATCH` with a JSON body; returns the JSON of the response. */
  patch(path: string, body: unknown): Promise<unknown>;
  /** Sends `POST` with a JSON body; returns the JSON of the response. */
  post(path: string, body: unknown): Promise<unknown>;
  /** Sends `GET` for something to be saved unchanged. */
  download(path: string): Promise<Blob>;
  /** Sends `GET` for an event stream that continues after the event `lastId`. */
  events(path: string, lastId: string | undefined, signal: AbortSignal): Promise<Response>;
  /** Makes the gateway request a server's tools. */
  listTools(server: string, signal?: AbortSignal): Promise<unknown>;
  /** Returns the text of a tool's description from its server's tool API; numbers in it are exact. */
  describeTool(server: string, tool: string, signal?: AbortSignal): Promise<string>;
  /** Returns the absolute URL of a path, or of a fragment of the page, below the gateway's root. */
  address(path: string): string;
}

/** Encodes a name as a path segment. A lone surrogate, which a path cannot contain, becomes U+FFFD. */
export const segment = (name: string): string => encodeURIComponent(name.toWellFormed());

/** Returns the query of a URL: `?` and the parameters that have a value, or an empty string. */
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
    const what = `The server answered ${status} with something that is not part of the gateway's API. Check the address.`;
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
 * Creates the API of a gateway.
 * @param base URL of the API, absolute, with a trailing slash
 * @param root URL of the gateway, below which its servers have their tool APIs; likewise
 * @param authorization returns the value of the Authorization header; called for every request
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

/** Returns the text to show for a rejected request. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof ApiError ? thrown.message : "The response cannot be read.";
}

/** Reads the items of a list that the reader accepts. */
export function readList<T>(
  value: unknown,
  read: (item: unknown) => T | undefined,
): readonly T[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.map(read).filter((item) => item !== undefined);
}

/** Returns the texts of a list; undefined if it is not a list. */
export function textsOf(value: unknown): readonly string[] | undefined {
  return readList(value, (item) => (typeof item === "string" ? item : undefined));
}

/** The response is JSON, but not what the page requested. */
export function unexpectedAnswer(): ApiError {
  const what =
    "This page does not understand the gateway's response. Check that both have the same version.";
  return new ApiError("unexpected", what, 200);
}

/** Returns a member of a JSON object if it is text, else null. */
export function textOf(value: unknown, name: string): string | null {
  const member = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return typeof member === "string" ? member : null;
}

/** Returns a member of a JSON object if it is a number, else null. */
export function numberOf(value: unknown, name: string): number | null {
  const member = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return typeof member === "number" ? member : null;
}
