import { type CutMessage, ERROR_CODES, type Frame } from "@touchstone/protocol/advanced";
import type { Sender } from "@touchstone/util";
import type { FromClient } from "../../pipeline/exchange.ts";
import type { Pipeline } from "../../pipeline/pipeline.ts";
import {
  type HttpRequest,
  type HttpResponse,
  headerOf,
} from "../../transport/http/http-message.ts";
import { joinAnswers } from "../../transport/http/messages.ts";
import { sendError, sendJson } from "../../transport/http/responses.ts";
import { hashSecret, type ServerRuntime } from "../server-runtime.ts";
import { ownerName } from "./identity.ts";

/** What only the gateway's own client can say about a call. */
export type OwnClientOptions = Pick<FromClient, "repair" | "isCounted" | "bridged" | "onRefusal">;

/** The request of a POST. */
export interface PostRequest extends HttpRequest {
  /** Absent in Node's. */
  readonly own?: OwnClientOptions | undefined;
}

/** One upstream as it is served over Streamable HTTP. */
export interface Endpoint {
  /** How many sessions are open. */
  readonly sessions: number;
  /** Whether a session is open that only this gateway knows. */
  has(session: string): boolean;
  /** Answers a POST. `body` is the whole body. */
  post(request: PostRequest, response: HttpResponse, body: Uint8Array): Promise<void>;
  /** Answers a POST whose body is over the limit, from the ends of the body. */
  refuse(
    request: HttpRequest,
    response: HttpResponse,
    cut: CutMessage,
    limit: number,
  ): Promise<void>;
  /** Answers a GET: the stream for messages that the server starts. */
  get(request: HttpRequest, response: HttpResponse): Promise<void>;
  /** Answers a DELETE: the end of a session. */
  delete(request: HttpRequest, response: HttpResponse): Promise<void>;
  /** The server does not speak 2026-07-28: the next session may take over the process that such requests share. */
  spare(): void;
  /**
   * Ends the process that requests without a session share, if no request is pending in it. The next request starts
   * another one.
   */
  rest(): Promise<void>;
  /** Ends every session and the upstream. */
  close(): Promise<void>;
}

/** One upstream's service for clients of one era. */
export interface EraEndpoint {
  /** Takes the message of one POST. */
  post(request: PostRequest, response: HttpResponse, frame: Frame): Promise<void>;
  get(request: HttpRequest, response: HttpResponse): Promise<void>;
  delete(request: HttpRequest, response: HttpResponse): Promise<void>;
  close(): Promise<void>;
}

/**
 * Identifies the sender of a request: by its address, and by its caller, a hash of its credentials, or its session.
 * Credentials and sessions cost a client little; an address may belong to a proxy that many share.
 */
export function senderOf(request: HttpRequest, session?: string): Sender {
  const { authorization } = request.headers;
  const caller = ownerName(request);
  const address = `address ${request.socket.remoteAddress ?? ""}`;
  if (caller !== undefined) return [address, `caller ${caller}`];
  if (authorization !== undefined) return [address, hashSecret(authorization)];
  return session === undefined ? [address] : [address, `session ${session}`];
}

/** From this size on, a body waits for its sender's turn before it is read. */
const WAITING_BYTES = 16_384;

/** Resolves when it is the sender's turn to have the body of a POST read. */
export async function waitForTurn(
  request: HttpRequest,
  { length }: Uint8Array,
  runtime: ServerRuntime,
): Promise<void> {
  if (length < WAITING_BYTES) return;
  await runtime.turnOf(senderOf(request, headerOf(request, "mcp-session-id")));
}

/** The response to a request that names no session of its caller. */
export const SESSION_NOT_FOUND =
  "Session not found: it has ended or never existed. Begin a new one with initialize";

/**
 * Refuses and records a body that is not JSON: it could not be forwarded as one frame.
 * @param tell sends the server an error instead of a response that it waits for
 */
export async function refuseInvalid(
  response: HttpResponse,
  frame: Frame,
  pipeline: Pipeline,
  tell: (error: Uint8Array) => void,
): Promise<void> {
  const { passage } = await pipeline.fromClient(frame);
  const { onward, back = [] } = await passage;
  if (onward !== undefined) tell(onward);
  if (back.length > 0) {
    sendJson(response, 400, joinAnswers(back, false));
    return;
  }
  const { code, message, path } = frame.scan.error ?? {};
  const isLong = code === "size";
  const text = isLong
    ? `the body is not read: ${path}: ${message}`
    : `the body is not JSON: ${message}`;
  const { invalidRequest, parseError } = ERROR_CODES;
  sendError(response, 400, text, { code: isLong ? invalidRequest : parseError });
}

/**
 * Refuses and records a body over the limit.
 * @param tell sends the server an error instead of a response that it waits for
 */
export async function refuseTooLarge(
  response: HttpResponse,
  cut: CutMessage,
  limit: number,
  pipeline: Pipeline,
  tell: (error: Uint8Array) => void,
): Promise<void> {
  const { onward, back = [] } = await pipeline.oversize("client", cut, limit);
  if (onward !== undefined) tell(onward);
  if (back.length > 0) sendJson(response, 413, joinAnswers(back, false));
  else sendError(response, 413, `the body is larger than the limit of ${limit} bytes`);
}
