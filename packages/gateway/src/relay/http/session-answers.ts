import { ERROR_CODES, errorFrame, type Frame, readFrame } from "@touchstone/protocol/advanced";
import { ChurnMap, RequestsById } from "@touchstone/util";
import { lookalikeIds } from "../../pipeline/in-flight.ts";
import type { MessageOutput } from "../../pipeline/pipeline.ts";
import type { EventStream } from "../../transport/http/event-stream.ts";
import { endsRequest, messagesOf } from "../../transport/http/messages.ts";
import type { Reply } from "../../transport/http/reply.ts";

/** Notifications about the session, not about the pending request. */
const ABOUT_SESSION = /^notifications\/(\w+\/list_changed|resources\/updated)$/;

export interface SessionAnswersOptions {
  readonly sessionHeader: string;
  /** Sends a message to the server. */
  readonly tell: (frame: Uint8Array) => Promise<void>;
  /** The server refused the session. */
  readonly refused: () => void;
}

/** The way back of one session: chooses the stream for each message of a stdio server. */
export class SessionAnswers {
  readonly #options: SessionAnswersOptions;
  readonly #replies: PendingReplies = new PendingReplies();
  /** For messages that the server starts. */
  readonly ownStream: ListeningStream = new ListeningStream();
  /** The reply to `initialize`, until the session has begun. */
  #beginning: Reply | undefined;
  #begun = false;

  constructor(options: SessionAnswersOptions) {
    this.#options = options;
  }

  /** Whether no request is pending. */
  get idle(): boolean {
    return this.#replies.empty && !this.ownStream.open;
  }

  /** Whether the server has agreed to the session. */
  get begun(): boolean {
    return this.#begun;
  }

  /** Sets the reply with which the session begins. */
  begin(reply: Reply): void {
    this.#beginning = reply;
  }

  /** Notes where the responses to requests go, before the server can send one. */
  expect(requests: readonly Frame[], reply: Reply): void {
    this.#replies.add(requests, reply);
  }

  /**
   * Ends the reply to a canceled request, which the server need not answer anymore (MCP 2025-11-25, Cancellation).
   * An `initialize` cannot be canceled.
   */
  withdraw({ method, requestIdKey }: Frame): void {
    if (method !== "notifications/cancelled" || requestIdKey === undefined) return;
    if (this.#beginning !== undefined) return;
    this.#replies.take(requestIdKey)?.withdraw(1);
  }

  /** Sends a server message on the stream that it belongs to. */
  async route(frame: Frame, { onward, back = [], beside = [] }: MessageOutput): Promise<void> {
    for (const answer of back) await this.#options.tell(answer);
    for (const error of beside.map((bytes) => readFrame(bytes))) {
      const reply = this.take(error);
      if (reply !== undefined) await this.answer(error, reply, 1);
    }
    if (onward === undefined) return;
    const sent = onward === frame.bytes ? frame : readFrame(onward, { outline: true });
    const messages = messagesOf(sent);
    const replies = messages.map((message) => this.take(message));
    const [first] = replies;
    if (first && replies.every((reply) => reply === first)) {
      await this.answer(sent, first, replies.length);
      return;
    }
    for (const [i, message] of messages.entries()) {
      const reply = replies[i];
      if (reply) await this.answer(message, reply, 1);
      // A response that nobody waits for has no stream.
      else if (!endsRequest(message)) await this.#message(message);
    }
  }

  /** Returns the reply that waits for a response, and removes it. */
  take(message: Frame): Reply | undefined {
    const { idKey } = message;
    if (!endsRequest(message) || idKey === undefined) return undefined;
    const reply = this.#replies.take(idKey);
    if (reply !== undefined) return reply;
    // The client of that stream may treat it as its own, and has no other stream to find it on.
    for (const other of lookalikeIds(idKey)) {
      const taken = this.#replies.take(other);
      if (taken !== undefined) return taken;
    }
    return undefined;
  }

  /**
   * Sends a response to the client.
   * @param count how many requests the frame answers
   */
  async answer(frame: Frame, reply: Reply, count: number): Promise<void> {
    const begins = reply === this.#beginning;
    const refused = begins && frame.kind === "error";
    if (begins) this.#beginning = undefined;
    if (begins && !refused) this.#begun = true;
    // A session that the server refuses does not begin, and its process ends.
    if (refused) reply.header(this.#options.sessionHeader, undefined);
    await reply.answer(frame.bytes, { count });
    if (refused) this.#options.refused();
  }

  /** A stdio server does not say which request a message is about; the newest is the most likely. */
  async #message({ bytes, method = "", progressTokenKey }: Frame): Promise<void> {
    const token = method === "notifications/progress" ? progressTokenKey : undefined;
    const reply = token === undefined ? this.#replies.newest() : this.#ofToken(token);
    const onReply = !(this.ownStream.open && ABOUT_SESSION.test(method));
    if (reply?.open && onReply) await reply.message(bytes);
    else await this.#refuseDropped(await this.ownStream.send(bytes));
  }

  /** Some servers write a number as a string, and clients treat it as the number. */
  #ofToken(token: string): Reply | undefined {
    const reply = this.#replies.ofToken(token);
    if (reply !== undefined) return reply;
    const like = lookalikeIds(token).find((other) => this.#replies.ofToken(other) !== undefined);
    return like === undefined ? undefined : this.#replies.ofToken(like);
  }

  /** A server request that no stream can carry must not leave the server waiting. */
  async #refuseDropped(dropped: readonly Uint8Array[]): Promise<void> {
    for (const { kind, id } of dropped.map((message) => readFrame(message))) {
      if (kind !== "request" || id === undefined) continue;
      const text = "touchstone: the client has no open stream for the request";
      await this.#options.tell(errorFrame(id, ERROR_CODES.internalError, text));
    }
  }
}

/** How many messages of the server, and bytes, to keep until the client opens a stream for them. */
const MAX_BACKLOG = 100;
const MAX_BACKLOG_BYTES: number = 4 * 1024 * 1024;
const NONE: readonly Uint8Array[] = [];

/**
 * The stream of a session for messages that its server starts (MCP 2025-11-25, Transports, Listening for Messages
 * from the Server): the newest one that the client opened, and the messages that wait for it.
 */
export class ListeningStream {
  readonly #backlog: Uint8Array[] = [];
  #backlogBytes = 0;
  #stream: EventStream | undefined;
  /** While kept messages are being sent: resolves when that is done. */
  #caughtUp: Promise<void> | undefined;

  get open(): boolean {
    return this.#stream?.open === true;
  }

  /** Replaces the stream before. Resolves when the kept messages have been sent. */
  async begin(stream: EventStream): Promise<void> {
    this.#stream?.leave();
    this.#stream = stream;
    const caughtUp = this.#catchUp(stream);
    this.#caughtUp = caughtUp;
    await caughtUp;
    if (this.#caughtUp === caughtUp) this.#caughtUp = undefined;
  }

  /** Sends a message, or keeps it for later. Returns the oldest ones if too many, or too many bytes, are kept. */
  async send(message: Uint8Array): Promise<readonly Uint8Array[]> {
    // Another stream may open meanwhile and continue with the kept messages.
    while (this.#caughtUp !== undefined) await this.#caughtUp;
    if (this.#stream?.open) {
      await this.#stream.send(message);
      return NONE;
    }
    this.#backlog.push(message);
    this.#backlogBytes += message.length;
    const dropped: Uint8Array[] = [];
    while (this.#backlog.length > MAX_BACKLOG || this.#backlogBytes > MAX_BACKLOG_BYTES) {
      dropped.push(this.#takeOldest() ?? message);
    }
    return dropped;
  }

  end(): void {
    this.#stream?.end();
  }

  /** Messages that do not reach the client on this stream stay for the next one. */
  async #catchUp(stream: EventStream): Promise<void> {
    while (this.#stream === stream && stream.open) {
      const message = this.#takeOldest();
      if (message === undefined) return;
      await stream.send(message);
    }
  }

  #takeOldest(): Uint8Array | undefined {
    const oldest = this.#backlog.shift();
    this.#backlogBytes -= oldest?.length ?? 0;
    return oldest;
  }
}

interface Pending {
  readonly reply: Reply;
  readonly token: string | undefined;
}

/**
 * Where the responses of a session go: the reply to each pending request. If a client reuses an id before the response
 * arrived, responses match the requests in their order.
 */
class PendingReplies {
  readonly #byId: RequestsById<Pending> = new RequestsById();
  readonly #byToken: ChurnMap<string, Reply> = new ChurnMap();

  get empty(): boolean {
    return this.#byId.size === 0;
  }

  add(requests: readonly Frame[], reply: Reply): void {
    for (const { idKey, progressTokenKey: token } of requests) {
      if (idKey === undefined) continue;
      this.#byId.add(idKey, { reply, token });
      if (token !== undefined) this.#byToken.set(token, reply);
    }
  }

  /** Removes the oldest request with this id and returns where its response goes. */
  take(idKey: string): Reply | undefined {
    const pending = this.#byId.take(idKey);
    if (pending === undefined) return undefined;
    const { reply, token } = pending;
    if (token !== undefined && this.#byToken.get(token) === reply) this.#byToken.delete(token);
    return reply;
  }

  /** Returns where progress with this token goes. */
  ofToken(token: string): Reply | undefined {
    return this.#byToken.get(token);
  }

  /** Returns the newest reply that is still open. */
  newest(): Reply | undefined {
    return [...this.#byId.values()].findLast(({ reply }) => reply.open)?.reply;
  }
}
