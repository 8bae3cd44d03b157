import { type Frame, requestHeaders as messageHeaders } from "@touchstone/protocol";
import type { ToolContract } from "../../contracts/contract.ts";
import { isModern } from "../../pipeline/era.ts";
import { requestHeaders } from "./forwarding.ts";
import { paramHeadersOf } from "./param-headers.ts";
import type { UpstreamResponse } from "./upstream-call.ts";
import type { UpstreamHeaders } from "./upstream-request.ts";

const SESSION_HEADER = "mcp-session-id";

/** What a client of Streamable HTTP knows of its session, and the headers that follow from it. */
export class ClientSession {
  /** The id that the server gave; none from 2026-07-28 on. */
  id: string | undefined;
  /** The revision that was agreed on, or that the last message named. */
  revision: string | undefined;
  readonly #configured: Readonly<Record<string, string>>;
  readonly #contractOf: (call: Frame) => ToolContract | undefined;

  /** @param configured headers of every request */
  constructor(
    configured: Readonly<Record<string, string>>,
    contractOf: (call: Frame) => ToolContract | undefined,
  ) {
    this.#configured = configured;
    this.#contractOf = contractOf;
  }

  /** Takes note of the answer to `initialize`. */
  begin({ headers }: UpstreamResponse): void {
    const id = headers[SESSION_HEADER];
    if (typeof id === "string") this.id = id;
  }

  /** Why a tool may not be called over HTTP: its headers cannot be written (MCP 2026-07-28, Tools). */
  refusal(call: Frame): string | undefined {
    if (call.toolName === undefined || !isModern(call.protocolVersion)) return undefined;
    const contract = this.#contractOf(call);
    const declared = contract && paramHeadersOf(contract);
    return declared?.valid === false ? declared.reason : undefined;
  }

  /** The headers of a POST. */
  postHeaders(frame: Frame): UpstreamHeaders {
    if (isModern(frame.protocolVersion)) this.revision = frame.protocolVersion;
    // What a client had tried before it falls back to a handshake, that is not agreed on.
    else if (frame.method === "initialize") this.revision = undefined;
    const modern = isModern(frame.protocolVersion ?? this.revision);
    const contract = modern ? this.#contractOf(frame) : undefined;
    const declared = contract && paramHeadersOf(contract);
    return this.headers({
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      ...(modern ? messageHeaders(frame, declared?.valid ? declared.headers : []) : {}),
    });
  }

  /** The headers of a GET that opens a stream, or goes on with one. */
  getHeaders(lastEventId: string | undefined): UpstreamHeaders {
    return this.headers({
      accept: "text/event-stream",
      ...(lastEventId === undefined ? {} : { "last-event-id": inUtf8(lastEventId) }),
    });
  }

  /** The headers of any request. */
  headers(own: Record<string, string> = {}): UpstreamHeaders {
    const headers = {
      ...own,
      ...(this.revision === undefined ? {} : { "mcp-protocol-version": this.revision }),
      ...(this.id === undefined ? {} : { [SESSION_HEADER]: this.id }),
    };
    return requestHeaders(headers, this.#configured);
  }
}

/** A header's text by whose bytes, one for each of its characters, UTF-8 goes out (HTML Standard, 9.2.6). */
function inUtf8(text: string): string {
  return Buffer.from(text).toString("latin1");
}
