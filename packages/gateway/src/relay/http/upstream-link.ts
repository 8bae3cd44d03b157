import {
  ERROR_CODES,
  errorFrame,
  type Frame,
  readFrame,
  singleLine,
} from "@touchstone/protocol/advanced";
import { type Logger, PacedLog, timeoutSignal, valueOrTimeout } from "@touchstone/util";
import type { HttpUpstream } from "../../config/config.ts";
import type { ToolContract } from "../../contracts/contract.ts";
import { ASK_TIMEOUT_MS } from "../../contracts/own-request.ts";
import { eraOf } from "../../eras/eras.ts";
import { lookalikeIds } from "../../pipeline/in-flight.ts";
import { lacksId } from "../../pipeline/stages/correlate.ts";
import { requestsOf, responsesIn } from "../../transport/http/messages.ts";
import { OpenPost, OpenPosts } from "../../transport/http/open-posts.ts";
import {
  failureOf,
  UpstreamCall,
  type UpstreamResponse,
} from "../../transport/http/upstream-call.ts";
import type { LinkEnd, LinkEvents, ServerLink } from "../../transport/link.ts";
import {
  acknowledgementFault,
  type BufferedResponse,
  describeWithHint,
  isHttpError,
  missingResponseReason,
  nameOneWayMessages,
  refusalWithId,
} from "./client-answers.ts";
import { ClientSession, SessionPosts } from "./client-session.ts";
import { Gate, ResumableStream, ResumedServerStream } from "./resumable-stream.ts";
import { UpstreamClient } from "./upstream.ts";

export { fetchFor } from "../../transport/http/proxy.ts";
export { loginUnsupportedText } from "./login.ts";

export interface HttpLinkOptions {
  readonly upstream: HttpUpstream;
  /** Largest body or event from the server, in bytes. */
  readonly maxFrameBytes: number;
  /** Variables that may name a proxy. Default: none. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Returns what is known of the tool that a call names. */
  readonly contractOf: (call: Frame) => ToolContract | undefined;
  readonly log: Logger;
}

const CLOSE_MS = 2_000;
const HURRY_MS = 700;
/** How many ids of responses without a request to keep for messages. */
const MAX_OTHERS = 100;
const RENEWED =
  "the server had ended the session; a new one was begun. What the client had set or subscribed to in the old one is lost";

/**
 * A Streamable HTTP server as a link: each frame is a POST, and each message that comes back, on any stream, is a
 * frame (MCP 2025-11-25 and 2026-07-28, Transports). Every request gets a response on its id: an error of the link if
 * the server sends none.
 */
export class HttpLink implements ServerLink {
  readonly ended: Promise<LinkEnd>;
  readonly #options: HttpLinkOptions;
  readonly #paced: PacedLog;
  readonly #events: LinkEvents;
  readonly #client: UpstreamClient;
  readonly #gate: Gate = new Gate();
  readonly #posts: OpenPosts = new OpenPosts();
  readonly #closing: AbortController = new AbortController();
  #end: (end: LinkEnd) => void = () => {};
  readonly #session: ClientSession;
  readonly #inSession: SessionPosts;
  readonly #ownStream: ResumedServerStream;

  constructor(options: HttpLinkOptions, events: LinkEvents) {
    this.#options = options;
    this.#paced = new PacedLog(options.log);
    this.#events = events;
    const fresh = () => new ClientSession(options.upstream.headers, options.contractOf);
    this.#session = fresh();
    this.#client = new UpstreamClient(options.upstream, options.maxFrameBytes, {
      env: options.env,
    });
    this.#ownStream = new ResumedServerStream(
      (signal) => this.#stream(signal, (bytes) => this.#give(bytes)),
      (error) => this.#ownStreamEnded(error),
    );
    this.#inSession = new SessionPosts({
      client: this.#client,
      session: this.#session,
      fresh,
      begun: () => {
        options.log.warn(RENEWED);
        this.#ownStream.beginAnew();
      },
    });
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  /** Sends a frame. Waits until the server has what it needs before the next frame, but not for a response. */
  async send(bytes: Uint8Array): Promise<void> {
    if (this.#closing.signal.aborted) return;
    const frame = readFrame(bytes);
    if (frame.method === "notifications/cancelled" && this.#cancel(frame)) return;
    const refusal = this.#refusal(frame);
    if (refusal !== undefined) {
      this.#refuse(frame, refusal);
      return;
    }
    const requests = requestsOf(frame);
    // The session's id comes with the response to initialize; all later messages carry it.
    const begins = requests.some(({ method }) => method === "initialize");
    if (requests.length > 0 && !begins) {
      void this.#post(frame, new OpenPost(frame.method, requests));
      return;
    }
    // The server may keep this stream open as long as it likes.
    const taken = new Promise<void>((resolve) => {
      void this.#post(frame, new OpenPost(frame.method, requests, resolve)).then(resolve);
    });
    await (begins ? taken : valueOrTimeout(ASK_TIMEOUT_MS, taken, () => {}));
  }

  pause(): void {
    this.#gate.close();
  }

  resume(): void {
    this.#gate.open();
  }

  async close(graceMs: number = CLOSE_MS, hurry?: AbortSignal): Promise<void> {
    await this.#posts.idle(timeoutSignal(graceMs, hurry));
    this.#closing.abort();
    this.#ownStream.end();
    this.#posts.abortAll();
    this.#gate.open();
    if (this.#session.id !== undefined) await this.#leave();
    await this.#client.close();
    this.#end({ reason: "was left", exitCode: 0 });
  }

  /** Cancels a request by closing its stream. Returns whether its era cancels in this way. */
  #cancel(frame: Frame): boolean {
    if (!eraOf(frame.protocolVersion ?? this.#session.revision).cancelsByClosing) return false;
    if (frame.requestIdKey !== undefined) this.#posts.cancel(frame.requestIdKey);
    return true;
  }

  #refusal(frame: Frame): string | undefined {
    const reason = frame.id === undefined ? undefined : this.#session.refusal(frame);
    return reason && `this tool cannot be called over HTTP: ${reason}`;
  }

  #refuse({ id, idKey }: Frame, reason: string): void {
    if (id === undefined || idKey === undefined) return;
    if (this.#events.failed) this.#events.failed(new Error(reason), [idKey]);
    else {
      const text = `touchstone: ${reason}`;
      this.#events.frame(errorFrame(id, ERROR_CODES.invalidParams, text));
    }
  }

  async #post(frame: Frame, post: OpenPost): Promise<void> {
    this.#posts.add(post);
    try {
      const { signal } = post.abort;
      const response = await this.#inSession.post(frame, post.size > 0, signal);
      const begun = frame.method === "notifications/initialized";
      if (begun && eraOf(this.#session.revision).hasServerStream) this.#ownStream.begin();
      post.heard();
      await this.#receive(response, post, frame);
    } catch (error) {
      this.#failed(post, error);
    } finally {
      this.#posts.end(post);
    }
  }

  async #receive(response: UpstreamResponse, post: OpenPost, sent: Frame): Promise<void> {
    const others: string[] = [];
    const give = (bytes: Uint8Array): void => {
      // The pipeline decides whether it is valid.
      const frame = readFrame(bytes, { outline: true });
      if (frame.initializeVersion !== undefined && post.method === "initialize") {
        this.#session.revision = frame.initializeVersion;
      }
      const [meant] = lacksId(frame) && post.size === 1 ? post.keys : [];
      if (meant !== undefined) {
        post.answer(meant);
        this.#events.frame(singleLine(bytes), [meant]);
        post.heard();
        return;
      }
      for (const { id, idKey = "" } of responsesIn(frame)) {
        const answered =
          post.answer(idKey) || lookalikeIds(idKey).some((other) => post.answer(other));
        if (!answered && others.length < MAX_OTHERS) others.push(id ?? "(none)");
      }
      this.#give(bytes);
      post.heard();
    };
    const stream = this.#stream(post.abort.signal, give);
    const isAcknowledgement = post.size === 0;
    const answer = await stream.read(response);
    if (isAcknowledgement) this.#acknowledged(response, answer, sent);
    if (answer !== undefined) {
      const [only] = post.size === 1 ? post.ids : [];
      const error = only === undefined ? undefined : refusalWithId(answer, only);
      if (error !== undefined) give(error);
      else if (answer.message !== undefined && post.size > 0) give(answer.message);
    } else if (post.size > 0 && this.#session.id !== undefined) {
      await stream.resume(() => post.size === 0);
    }
    if (post.size > 0) this.#failed(post, missingResponseReason(answer, others, post.method));
    else if (answer !== undefined && isHttpError(answer)) {
      const what = describeWithHint(answer);
      this.#paced.warn("a message that the server refused", what, { method: post.method });
    }
  }

  /** Reports the response to a message that has none. @param answer undefined if it was a stream */
  #acknowledged(
    response: UpstreamResponse,
    answer: BufferedResponse | undefined,
    sent: Frame,
  ): void {
    const fault = acknowledgementFault(response, answer?.bytes, nameOneWayMessages(sent));
    if (fault !== undefined) this.#events.acknowledgement?.(fault);
  }

  #stream(signal: AbortSignal, give: (bytes: Uint8Array) => void): ResumableStream {
    return new ResumableStream({
      maxBytes: this.#options.maxFrameBytes,
      gate: this.#gate,
      signal,
      give,
      leftOut: (what, speaks) => {
        if (speaks) this.#paced.warn("an event that was dropped", what);
        else this.#options.log.debug(what);
      },
      get: (lastEventId) =>
        this.#client.send(
          { method: "GET", headers: this.#session.getHeaders(lastEventId) },
          UpstreamCall.until(signal),
        ),
    });
  }

  #ownStreamEnded(error: unknown): void {
    const { cut } = failureOf(error);
    if (cut !== undefined) this.#events.oversize(cut, []);
    this.#options.log.debug(`no stream of the server's own: ${error}`);
  }

  #give(bytes: Uint8Array): void {
    this.#events.frame(singleLine(bytes));
  }

  #failed(post: OpenPost, error: unknown): void {
    // The link's owner learns of the end and answers what the server still owes.
    if (this.#closing.signal.aborted) return;
    const { cut, reason, unreadable } = failureOf(error);
    const answers = post.keys;
    if (this.#events.failed && answers.length > 0) {
      this.#events.failed(new Error(reason, { cause: error }), answers);
    } else if (cut !== undefined) this.#events.oversize(cut, answers);
    else if (unreadable === true && answers.length > 0 && this.#events.unreadable) {
      this.#events.unreadable(reason, answers);
    } else {
      for (const id of post.ids) {
        this.#give(errorFrame(id, ERROR_CODES.internalError, `touchstone: ${reason}`));
      }
    }
    post.clear();
  }

  /** Tells the server that its session is over, without waiting long for the response. */
  async #leave(): Promise<void> {
    const call = UpstreamCall.until(AbortSignal.timeout(HURRY_MS));
    const headers = this.#session.headers();
    try {
      const { body } = await this.#client.send({ method: "DELETE", headers }, call);
      body.discard();
    } catch (error) {
      this.#options.log.debug(`the session could not be ended: ${error}`);
    }
  }
}
