import {
  ERROR_CODES,
  type Frame,
  LATEST_LEGACY,
  type ParamHeader,
  readFrame,
  requestHeaders,
} from "@touchstone/protocol";
import { openEra } from "../open-era.ts";
import { CLIENT_INFO, type Era, MODERN, withMeta } from "./era.ts";
import type { Post, Posted, Posting } from "./loopback.ts";
import { speaksLatest } from "./speaks-latest.ts";
import { resultOf, UpstreamError } from "./upstream-error.ts";

const SESSION_HEADER = "mcp-session-id";
const VERSION_HEADER = "mcp-protocol-version";
/** How long the server may take to say who it is, and to answer what is not a call. */
const ASK_TIMEOUT_MS = 30_000;

export interface RequestOptions {
  /** Ends the request; a server of the session era is told. Without one it ends after 30 s. */
  readonly signal?: AbortSignal;
  /** The headers that the called tool's schema declares. */
  readonly params?: readonly ParamHeader[];
}

export interface ClientParts {
  readonly post: Post;
  /** Largest answer, in bytes. */
  readonly maxBytes: number;
  /** Told when the server says that its tools are others. */
  readonly onToolsChanged: () => void;
}

/**
 * A client of one server behind the gateway, through the gateway's own endpoint. It offers no
 * capabilities, speaks the latest revision where the server does, and opens a session where not.
 */
export class OwnClient {
  readonly #parts: ClientParts;
  #era: Promise<Era> | undefined;
  /** Whether the era that was found out last was that of sessions. */
  #isLegacy = false;
  #ids = 0;

  constructor(parts: ClientParts) {
    this.#parts = parts;
  }

  /**
   * Sends a request.
   * @param params source text of a JSON object, passed on as it is
   * @returns the frame of the result
   * @throws UpstreamError where the server answers with an error, or not at all
   */
  async request(method: string, params: string, options: RequestOptions = {}): Promise<Frame> {
    const { signal = AbortSignal.timeout(ASK_TIMEOUT_MS) } = options;
    const connected = this.#connect();
    const era = await connected;
    let posted = await this.#send(era, method, params, { ...options, signal });
    const over = posted.status === 404 || posted.sessionOver === true;
    if (over && era.kind === "legacy" && SESSION_HEADER in era.headers) {
      // The session is over, and so nothing was done: another one is opened, once for all that were under way.
      if (this.#era === connected) this.#era = undefined;
      posted = await this.#send(await this.#connect(), method, params, { ...options, signal });
    }
    return resultOf(method, posted);
  }

  /** The era, found out once; a failure is not kept. */
  #connect(): Promise<Era> {
    this.#era ??= this.#open().catch((error: unknown) => {
      this.#era = undefined;
      throw error;
    });
    return this.#era;
  }

  async #open(): Promise<Era> {
    const signal = AbortSignal.timeout(ASK_TIMEOUT_MS);
    const initialize = (until: AbortSignal): Promise<Era> => this.#initialize(until);
    const discover = async (until: AbortSignal): Promise<Era | undefined> => {
      const posted = await this.#send(MODERN, "server/discover", "{}", { signal: until });
      return speaksLatest(posted) ? MODERN : undefined;
    };
    const find = (): Promise<Era> => openEra({ discover, initialize }, signal);
    // What a server of the session era may never answer is not waited for twice.
    const era = await (this.#isLegacy ? initialize(signal).catch(find) : find());
    this.#isLegacy = era.kind === "legacy";
    return era;
  }

  async #initialize(signal: AbortSignal): Promise<Era> {
    const begun: Era = { kind: "legacy", headers: {} };
    const params = JSON.stringify({
      protocolVersion: LATEST_LEGACY.version,
      capabilities: {},
      clientInfo: CLIENT_INFO,
    });
    const posted = await this.#send(begun, "initialize", params, { signal });
    const { initializeVersion = LATEST_LEGACY.version } = resultOf("initialize", posted);
    const session = posted.headers[SESSION_HEADER];
    const headers: Record<string, string> = { [VERSION_HEADER]: initializeVersion };
    if (typeof session === "string") headers[SESSION_HEADER] = session;
    await this.#post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, headers, signal);
    return { kind: "legacy", headers };
  }

  async #send(
    era: Era,
    method: string,
    params: string,
    { signal, params: declared }: RequestOptions & { readonly signal: AbortSignal },
  ): Promise<Posted> {
    this.#ids += 1;
    const id = this.#ids;
    const text = era.kind === "modern" ? withMeta(params) : params;
    const body = `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${text}}`;
    const headers =
      era.kind === "modern" ? requestHeaders(readFrame(Buffer.from(body)), declared) : era.headers;
    try {
      return await this.#post(body, headers, signal);
    } catch (error) {
      // A server without sessions sees that the connection is closed.
      if (signal.aborted && era.kind === "legacy" && method !== "initialize") {
        this.#tell(`"method":"notifications/cancelled","params":{"requestId":${id}}`, headers);
      }
      const reason = signal.aborted ? "there was no answer in time" : messageOf(error);
      throw new UpstreamError(`${method} failed: ${reason}`, { cause: error });
    }
  }

  #post(body: string, headers: Posting["headers"], signal: AbortSignal): Promise<Posted> {
    const { post, maxBytes } = this.#parts;
    const onMessage = (frame: Frame): void => this.#take(frame, headers);
    return post({ body, headers, signal, maxBytes, onMessage });
  }

  #take({ kind, method, id }: Frame, headers: Posting["headers"]): void {
    if (method === "notifications/tools/list_changed") this.#parts.onToolsChanged();
    if (kind !== "request" || id === undefined) return;
    // A request without an answer would keep the call waiting.
    const unknown = { code: ERROR_CODES.methodNotFound, message: "this client has no such method" };
    const answer = method === "ping" ? `"result":{}` : `"error":${JSON.stringify(unknown)}`;
    this.#tell(`"id":${id},${answer}`, headers);
  }

  /** Sends what has no answer. Where that fails, the session has ended, or will by itself. */
  #tell(members: string, headers: Posting["headers"]): void {
    const signal = AbortSignal.timeout(ASK_TIMEOUT_MS);
    this.#post(`{"jsonrpc":"2.0",${members}}`, headers, signal).catch(() => {});
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
