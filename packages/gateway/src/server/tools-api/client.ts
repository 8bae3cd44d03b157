import { messageOf, parseJson } from "@touchstone/core/advanced";
import {
  ERROR_CODES,
  type Frame,
  idKey,
  LATEST,
  LATEST_LEGACY,
  type ParamHeader,
  readFrame,
} from "@touchstone/protocol/advanced";
import { timeoutSignal } from "@touchstone/util";
import { openEra } from "../../eras/open-era.ts";
import {
  CLIENT_INFO,
  type Connection,
  handshakeConnection,
  SESSIONLESS_CONNECTION,
} from "./connection.ts";
import type { EndpointPost, EndpointResponse, PostToEndpoint } from "./endpoint-poster.ts";
import { resultOf, ServerCallError } from "./upstream-error.ts";

/** How long the server may take to introduce itself, and to respond to anything but a call. */
const ASK_TIMEOUT_MS = 30_000;
/** How long to wait for the end of a session, in milliseconds. */
const LEAVE_MS = 10_000;

export interface RequestOptions {
  /** Aborts the request, and notifies a server of the legacy era. Without a signal, a request ends after 30 s. */
  readonly signal?: AbortSignal;
  /** The headers that the called tool's schema declares. */
  readonly params?: readonly ParamHeader[];
  /** Asks the server to report progress, and gets the frames of its notifications. */
  readonly onProgress?: ((frame: Frame) => void) | undefined;
  /** Facts about a call for the gateway that are not part of the message. */
  readonly own?: EndpointPost["own"];
}

export interface ClientParts {
  readonly post: PostToEndpoint;
  /** Largest response, in bytes. */
  readonly maxBytes: number;
  /** Called when the server reports that its tools have changed. */
  readonly onToolsChanged: () => void;
  /**
   * Called before the client opens a session, because the server does not speak the latest revision: the session may
   * take over the process that requests without a session share.
   */
  readonly spare?: () => void;
  /** Ends the opening of connections, and requests that have no signal of their own. */
  readonly stopping?: AbortSignal | undefined;
}

/** Options of a request besides its message. */
interface Beside extends Pick<EndpointPost, "own"> {
  /** Gets the messages that come before the response. */
  readonly onNotification?: (frame: Frame) => void;
}

/**
 * A client of one server, through the gateway's endpoint. It offers no capabilities, uses the latest revision if
 * the server does, and opens a session if not.
 */
export class OwnClient {
  readonly #parts: ClientParts;
  #connection: Promise<Connection> | undefined;
  /** Whether the last connection began with a handshake. */
  #shookHands = false;
  #ids = 0;

  constructor(parts: ClientParts) {
    this.#parts = parts;
  }

  /**
   * Sends a request.
   * @param params source text of a JSON object, passed on unchanged
   * @returns the frame of the result
   * @throws ServerCallError if the server responds with an error, or not at all
   */
  async request(method: string, params: string, options: RequestOptions = {}): Promise<Frame> {
    const { signal = this.#until(ASK_TIMEOUT_MS) } = options;
    const connected = this.#connect();
    const connection = await connected;
    let posted = await this.#send(connection, method, params, { ...options, signal });
    const over = posted.status === 404 || posted.sessionOver === true;
    if (over && connection.session !== undefined) {
      // The session is over, so the request was not handled: another session is opened, once for all open requests.
      if (this.#connection === connected) this.#connection = undefined;
      posted = await this.#send(await this.#connect(), method, params, { ...options, signal });
    }
    return resultOf(method, posted);
  }

  /** Returns the revision of the open connection; undefined if none is open. */
  async revision(): Promise<string | undefined> {
    return (await this.#connection?.catch(() => undefined))?.revision;
  }

  /** The connection, opened once; a failure is not cached. */
  #connect(): Promise<Connection> {
    this.#connection ??= this.#open().catch((error: unknown) => {
      this.#connection = undefined;
      throw error;
    });
    return this.#connection;
  }

  /** Returns whether the server uses the latest revision, which has no sessions. Opens none. */
  async needsNoSession(): Promise<boolean> {
    const found = await this.#discover(this.#until(ASK_TIMEOUT_MS));
    if (found === undefined) return false;
    // Later requests need not repeat the check.
    this.#connection ??= Promise.resolve(found);
    return true;
  }

  async #discover(signal: AbortSignal): Promise<Connection | undefined> {
    const posted = await this.#send(SESSIONLESS_CONNECTION, "server/discover", "{}", { signal });
    return speaksLatest(posted) ? SESSIONLESS_CONNECTION : undefined;
  }

  /** Ends the session, if there is one. The next request opens another one. Never rejects. */
  async leave(): Promise<void> {
    const connected = this.#connection;
    this.#connection = undefined;
    const headers = (await connected?.catch(() => undefined))?.session;
    if (headers === undefined) return;
    const { post, maxBytes } = this.#parts;
    const ending = { method: "DELETE", body: "", headers, signal: this.#until(LEAVE_MS) } as const;
    await post({ ...ending, maxBytes, onMessage: () => {} }).catch(() => undefined);
  }

  #until(milliseconds: number): AbortSignal {
    return timeoutSignal(milliseconds, this.#parts.stopping);
  }

  async #open(): Promise<Connection> {
    const signal = this.#until(ASK_TIMEOUT_MS);
    const initialize = async (until: AbortSignal): Promise<Connection> => {
      this.#parts.spare?.();
      return this.#initialize(until);
    };
    const discover = (until: AbortSignal) => this.#discover(until);
    const find = (): Promise<Connection> => openEra({ discover, initialize }, signal);
    // A legacy server may never respond to this method, so it is not sent again after a handshake.
    const opened = await (this.#shookHands ? initialize(signal).catch(find) : find());
    this.#shookHands = opened.era.hasHandshake;
    return opened;
  }

  async #initialize(signal: AbortSignal): Promise<Connection> {
    const params = JSON.stringify({
      protocolVersion: LATEST_LEGACY.version,
      capabilities: {},
      clientInfo: CLIENT_INFO,
    });
    const posted = await this.#send(handshakeConnection(), "initialize", params, { signal });
    const { initializeVersion = LATEST_LEGACY.version } = resultOf("initialize", posted);
    const connection = handshakeConnection(initializeVersion, posted.headers["mcp-session-id"]);
    const initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`;
    const headers = connection.headers(readFrame(Buffer.from(initialized)));
    await this.#post(initialized, headers, signal);
    return connection;
  }

  async #send(
    connection: Connection,
    method: string,
    params: string,
    {
      signal,
      params: declared,
      onProgress,
      own,
    }: RequestOptions & { readonly signal: AbortSignal },
  ): Promise<EndpointResponse> {
    this.#ids += 1;
    const id = this.#ids;
    const text = connection.params(params, onProgress === undefined ? undefined : id);
    const body = `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${text}}`;
    const headers = connection.headers(readFrame(Buffer.from(body)), declared);
    try {
      const onNotification = (frame: Frame): void => {
        if (isProgressOf(frame, id)) onProgress?.(frame);
      };
      return await this.#post(body, headers, signal, { onNotification, own });
    } catch (error) {
      if (signal.aborted && !connection.era.cancelsByClosing && method !== "initialize") {
        this.#tell(`"method":"notifications/cancelled","params":{"requestId":${id}}`, headers);
      }
      const reason = signal.aborted ? "there was no response in time" : messageOf(error);
      throw new ServerCallError(`${method} failed: ${reason}`, { cause: error });
    }
  }

  #post(
    body: string,
    headers: EndpointPost["headers"],
    signal: AbortSignal,
    { onNotification, own }: Beside = {},
  ): Promise<EndpointResponse> {
    const { post, maxBytes } = this.#parts;
    const onMessage = (frame: Frame): void => {
      this.#take(frame, headers);
      onNotification?.(frame);
    };
    return post({ body, headers, signal, maxBytes, onMessage, own });
  }

  #take({ kind, method, id }: Frame, headers: EndpointPost["headers"]): void {
    if (method === "notifications/tools/list_changed") this.#parts.onToolsChanged();
    if (kind !== "request" || id === undefined) return;
    // The server's request gets an error, because the server might wait for a response before it answers the call.
    const unknown = { code: ERROR_CODES.methodNotFound, message: "this client has no such method" };
    const answer = method === "ping" ? `"result":{}` : `"error":${JSON.stringify(unknown)}`;
    this.#tell(`"id":${id},${answer}`, headers);
  }

  /** Sends a message that expects no response. If that fails, the session has ended, or will end by itself. */
  #tell(members: string, headers: EndpointPost["headers"]): void {
    const signal = AbortSignal.timeout(ASK_TIMEOUT_MS);
    this.#post(`{"jsonrpc":"2.0",${members}}`, headers, signal).catch(() => {});
  }
}

function isProgressOf({ method, progressTokenKey }: Frame, token: number): boolean {
  return method === "notifications/progress" && progressTokenKey === idKey(String(token));
}

/**
 * Returns whether a response to `server/discover` names the latest revision. Some earlier servers answer every
 * unknown method with an empty result.
 */
function speaksLatest({ answer }: EndpointResponse): boolean {
  const range = answer?.ranges.result;
  if (answer?.kind !== "response" || range === undefined) return false;
  const parsed = parseJson(answer.bytes.subarray(range.start, range.end));
  const result = parsed.ok ? parsed.value : undefined;
  const versions = (result as { readonly supportedVersions?: unknown } | null | undefined)
    ?.supportedVersions;
  return Array.isArray(versions) && versions.includes(LATEST.version);
}
