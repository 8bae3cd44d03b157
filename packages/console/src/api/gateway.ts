import type {
  BodyOf,
  OperationId,
  OperationIdBy,
  ParametersOf,
  ResponseOf,
} from "@touchstone/gateway/api";
import { ApiError, errorOf, type Fetch } from "./client.ts";
import { pathSegment } from "./url.ts";

/**
 * The gateway's own API by `operationId`; its table of operations describes parameters and responses. Every function
 * rejects with {@link ApiError}, or because it was aborted. A response that does not match the operation's schema is
 * an error, so no page receives it.
 */
export interface GatewayApi {
  /** Sends `GET`; returns the JSON of the response. */
  get<Id extends OperationIdBy<"get">>(
    id: Id,
    parameters: ParametersOf<Id>,
    signal?: AbortSignal,
  ): Promise<ResponseOf<Id>>;
  /** Sends a change with a JSON body; returns the JSON of the response. */
  send<Id extends OperationIdBy<"patch" | "post">>(
    id: Id,
    parameters: ParametersOf<Id>,
    body: BodyOf<Id>,
  ): Promise<ResponseOf<Id>>;
  /** Sends `DELETE`; returns the JSON of the response. */
  remove<Id extends OperationIdBy<"delete">>(
    id: Id,
    parameters: ParametersOf<Id>,
  ): Promise<ResponseOf<Id>>;
  /** Sends `GET` for something to be saved unchanged. */
  download<Id extends OperationIdBy<"get">>(id: Id, parameters: ParametersOf<Id>): Promise<Blob>;
  /** Sends `GET` for an event stream that continues after the event `lastId`. */
  events<Id extends OperationIdBy<"get">>(
    id: Id,
    parameters: ParametersOf<Id>,
    lastId: string | undefined,
    signal: AbortSignal,
  ): Promise<Response>;
  /** Reads JSON that is the response of an operation; rejects like `get`. */
  read<Id extends OperationId>(id: Id, text: string): Promise<ResponseOf<Id>>;
  /** Makes the gateway request a server's tools. */
  listTools(server: string, signal?: AbortSignal): Promise<unknown>;
  /** Returns the text of a tool's description from its server's tool API; numbers in it are exact. */
  describeTool(server: string, tool: string, signal?: AbortSignal): Promise<string>;
  /** Returns the absolute URL of a path, or of a fragment of the page, below the gateway's root. */
  address(path: string): string;
}

function refusal(status: number, text: string): ApiError {
  const error = errorOf(text);
  if (error === undefined) {
    const what = `The server responded with ${status} and something that is not part of the gateway's API. Check the address.`;
    return new ApiError("unexpected", what, status);
  }
  return new ApiError("refused", error, status);
}

/**
 * Returns where the console sends requests of a tool API: the same API below `/api/v1`, where the session counts.
 * @param gateway its URL, with a trailing slash
 * @param tools URL of the tool API for programs, below the gateway's
 */
export function toolsMount(gateway: string, tools: string): string {
  return `${gateway}api/v1/tools-api/${tools.slice(gateway.length)}`;
}

/** Loads the table of operations and the engine that validates responses against it. */
const loadOperations = () =>
  import("./operations.ts").catch((): never => {
    const what =
      "A part of the page could not be loaded. Check that the gateway runs; if it was updated in the meantime, reload the page.";
    throw new ApiError("unreachable", what);
  });

async function parsed(text: string, status: number): Promise<unknown> {
  try {
    return JSON.parse(text);
  } catch {
    throw refusal(status, text);
  }
}

/**
 * Creates the API of a gateway.
 * @param root URL of the gateway, absolute, with a trailing slash
 */
export function createGatewayApi(root: string, fetch: Fetch): GatewayApi {
  const send = async (url: string, init: RequestInit): Promise<Response> => {
    let response: Response;
    try {
      response = await fetch(url, init);
    } catch (thrown) {
      if (thrown instanceof Error && thrown.name === "AbortError") throw thrown;
      const what = "The gateway cannot be reached. Check that it runs, then try again.";
      throw new ApiError("unreachable", what);
    }
    if (response.ok) return response;
    throw refusal(response.status, await response.text());
  };
  /** Sends an operation. */
  const operate = async (
    id: OperationId,
    parameters: Readonly<Record<string, string | undefined>>,
    init: RequestInit,
  ): Promise<Response> => {
    const { methodOf, operationUrl } = await loadOperations();
    return send(operationUrl(root, id, parameters), { ...init, method: methodOf(id) });
  };
  const read = async <Id extends OperationId>(
    id: Id,
    text: string,
    status = 200,
  ): Promise<ResponseOf<Id>> => {
    const value = await parsed(text, status);
    const { responseProblem } = await loadOperations();
    const problem = responseProblem(id, value);
    if (problem === undefined) return value as ResponseOf<Id>;
    const what = `This page does not understand the gateway's response: ${problem}. Check that both have the same version, and reload the page.`;
    throw new ApiError("unexpected", what, status);
  };
  const answered = async <Id extends OperationId>(
    id: Id,
    parameters: ParametersOf<Id>,
    init: RequestInit,
  ): Promise<ResponseOf<Id>> => {
    const response = await operate(id, parameters, init);
    return read(id, await response.text(), response.status);
  };
  return {
    get: (id, parameters, signal) => answered(id, parameters, { signal: signal ?? null }),
    send: (id, parameters, body) =>
      answered(id, parameters, {
        body: JSON.stringify(body),
        headers: { "content-type": "application/json" },
      }),
    remove: (id, parameters) => answered(id, parameters, {}),
    download: async (id, parameters) => (await operate(id, parameters, {})).blob(),
    events: (id, parameters, lastId, signal) =>
      operate(id, parameters, {
        signal,
        headers: {
          accept: "text/event-stream",
          ...(lastId === undefined ? {} : { "last-event-id": lastId }),
        },
      }),
    read: (id, text) => read(id, text),
    async listTools(server, signal) {
      const url = `${toolsMount(root, root)}servers/${pathSegment(server)}/tools`;
      const response = await send(url, { signal: signal ?? null });
      return parsed(await response.text(), response.status);
    },
    async describeTool(server, tool, signal) {
      const url = `${toolsMount(root, root)}servers/${pathSegment(server)}/tools/${pathSegment(tool)}`;
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
