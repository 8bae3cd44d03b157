import { type CutMessage, type Frame, readFrame, revisionOf } from "@touchstone/protocol/advanced";
import type { Logger, Sender } from "@touchstone/util";
import type { Caller } from "../../features/caller.ts";
import type { LineFault } from "../../pipeline/faults.ts";
import type { MessageOutput, Pipeline } from "../../pipeline/pipeline.ts";
import { EventStream, SessionStreams } from "../../transport/http/event-stream.ts";
import type { HttpRequest, HttpResponse } from "../../transport/http/http-message.ts";
import { requestsOf } from "../../transport/http/messages.ts";
import { Reply } from "../../transport/http/reply.ts";
import type { LinkEnd } from "../../transport/link.ts";
import { ChildLink, type ChildOptions } from "../../transport/stdio/child.ts";
import { Backpressure, OrderedRelease } from "../ordered-release.ts";
import { OwnRequests } from "../own-requests.ts";
import type { ServerRuntime } from "../server-runtime.ts";
import { ServerLines } from "../stdio/server-lines.ts";
import { type OwnClientOptions, refuseInvalid, refuseTooLarge } from "./endpoint.ts";
import type { Identity } from "./identity.ts";
import { PostedMessages } from "./posted-messages.ts";
import { SessionAnswers } from "./session-answers.ts";

const SESSION_HEADER = "mcp-session-id";
const STALLED =
  "a client did not read its stream for at least 30 s; it is closed, and can be resumed";
const LOST = "a client resumed after more events than are kept; it missed the oldest";

/**
 * One session of a revision up to 2025-11-25 (MCP, Transports, Session Management) in front of a stdio server: its
 * own child process, and the routes back for its messages.
 */
export class LegacySession {
  readonly id: string;
  /** The name of the caller that owns the session. */
  readonly owner: string | undefined;
  /** Resolves when the server is gone and every request of the session is answered. */
  readonly ended: Promise<LinkEnd>;
  /** When the session was last used, in milliseconds on the process's clock. */
  usedAt: number = performance.now();
  readonly #child: ChildLink;
  readonly #pipeline: Pipeline;
  readonly #own: OwnRequests;
  readonly #posts: PostedMessages;
  readonly #fromServer: OrderedRelease<readonly [Frame, MessageOutput]>;
  readonly #highWater: Backpressure;
  readonly #answers: SessionAnswers = new SessionAnswers({
    sessionHeader: SESSION_HEADER,
    tell: (frame) => this.#child.send(frame),
    refused: () => void this.close(),
  });
  readonly #streams: SessionStreams;
  readonly #log: Logger;
  readonly #name: string;
  /** Sends the server an error instead of a response that it waits for. */
  readonly #tell = (error: Uint8Array): void => void this.#child.send(error);
  readonly #read = (bytes: Uint8Array): Frame => this.#pipeline.read(bytes);
  #closing = false;
  /** The client has ended the session. */
  #left = false;
  /** The server has ended by itself. */
  #crashed = false;

  /** @param by who began it */
  constructor(
    id: string,
    runtime: ServerRuntime,
    child: ChildOptions,
    {
      running,
      ...by
    }: {
      readonly sender: Sender;
      readonly caller: Caller | undefined;
      /** A child to take over. By default another one is started. */
      readonly running?: ChildLink | undefined;
    },
  ) {
    this.id = id;
    this.owner = by.caller?.name;
    this.#log = runtime.log;
    this.#name = runtime.name;
    this.#own = new OwnRequests((frame) => this.#child.send(frame));
    this.#pipeline = runtime.pipeline(
      { ...runtime.ownConversation(id), whole: true, ...by },
      this.#own.ask,
    );
    const { conversation } = this.#pipeline;
    this.#streams = new SessionStreams(
      () => conversation.revision,
      () => this.#log.warn(`${this.#name}: ${STALLED}`),
    );
    this.#posts = new PostedMessages({
      pipeline: this.#pipeline,
      answers: this.#answers,
      send: (bytes) => this.#child.send(bytes),
    });
    this.#fromServer = new OrderedRelease(([frame, passage]) =>
      this.#answers.route(frame, passage),
    );
    this.#highWater = new Backpressure(this.#fromServer, {
      pause: () => this.#child.pause(),
      resume: () => this.#child.resume(),
    });
    const lines = new ServerLines({
      read: this.#read,
      take: (frame, line) => this.#onFrame(frame, line),
      oversize: (cut) => {
        if (this.#own.acceptCut(cut, child.maxFrameBytes)) return;
        const passage = this.#pipeline.oversize("server", cut, child.maxFrameBytes);
        void this.#fromServer.add(passage.then((ready) => [readFrame(cut.head), ready] as const));
      },
      held: (bytes, released) => this.#highWater.added(bytes, released),
      maxBytes: child.maxFrameBytes,
    });
    const events = {
      frame: (bytes: Uint8Array) => lines.line(bytes),
      oversize: (cut: CutMessage) => lines.oversize(cut),
    };
    running?.report(events);
    this.#child = running ?? new ChildLink(child, events);
    this.ended = this.#child.ended.then(async (end) => {
      lines.end();
      this.#crashed = !this.#closing;
      unwatch();
      await lines.settled();
      await this.#finish(end);
      return end;
    });
    const unwatch = runtime.watchHeld(() => this.#announce());
  }

  /** Says that the list of tools is another, as the server does itself if it is. */
  #announce(): void {
    if (this.#closing) return;
    for (const onward of this.#pipeline.toolsChanged()) {
      void this.#fromServer.add(
        Promise.resolve([readFrame(onward, { outline: true }), { onward }] as const),
      );
    }
  }

  /** The revision that the server has agreed to; undefined before that. */
  get revision(): string | undefined {
    return this.#pipeline.conversation.revision;
  }

  /**
   * Returns whether a request of this session may use a revision: the agreed one, or another known one (MCP
   * 2025-11-25, Transports, Protocol Version Header: 400 for what is invalid or unsupported).
   */
  speaks(version: string): boolean {
    return revisionOf(version) !== undefined || version === this.revision;
  }

  get idle(): boolean {
    return this.#answers.idle;
  }

  /** Whether the gateway is ending the session. */
  get closing(): boolean {
    return this.#closing;
  }

  /** Whether the server has ended by itself. */
  get crashed(): boolean {
    return this.#crashed;
  }

  /** Whether the server has agreed to the session. */
  get begun(): boolean {
    return this.#answers.begun;
  }

  /** Takes the messages of the POST that opens the session. */
  async begin(frame: Frame, response: HttpResponse, by?: OwnClientOptions): Promise<void> {
    await this.#post(frame, response, { begins: true, by });
  }

  /**
   * Takes the messages of one POST.
   * @param by its owner: with another key or token it may have other rights now
   */
  async post(
    frame: Frame,
    response: HttpResponse,
    { caller, ...by }: OwnClientOptions & Pick<Identity, "caller">,
  ): Promise<void> {
    this.#pipeline.conversation.caller = caller;
    await this.#post(frame, response, { by });
  }

  /** Refuses a body that is not JSON. */
  async refuse(_: HttpRequest, response: HttpResponse, frame: Frame): Promise<void> {
    await refuseInvalid(response, frame, this.#pipeline, this.#tell);
  }

  /** Refuses a body over the limit. */
  async refuseTooLarge(
    _: HttpRequest,
    response: HttpResponse,
    cut: CutMessage,
    limit: number,
  ): Promise<void> {
    await refuseTooLarge(response, cut, limit, this.#pipeline, this.#tell);
  }

  /**
   * Opens the stream for messages that the server starts; the newest one counts. Or resumes the stream of
   * `lastEventId`. Returns false if no event has that id.
   */
  async listen(response: HttpResponse, lastEventId?: string): Promise<boolean> {
    this.usedAt = performance.now();
    const replay = lastEventId === undefined ? undefined : this.#streams.replay(lastEventId);
    if (lastEventId !== undefined && replay === undefined) return false;
    const headers = { [SESSION_HEADER]: this.id };
    if (replay?.incomplete) this.#log.warn(`${this.#name}: ${LOST}`);
    if (replay !== undefined && replay.stream !== this.#streams.own.stream) {
      this.#streams.resume(replay, response, headers);
      return true;
    }
    const stream = new EventStream(response, headers, this.#streams.own, replay?.events);
    await this.#answers.ownStream.begin(stream);
    return true;
  }

  /**
   * Ends the session for its client. Open replies end without a response, as servers end them, because some clients
   * (Python's SDK v1) fail on one that comes later.
   */
  async leave(): Promise<void> {
    this.#left = true;
    await this.close();
  }

  async close(): Promise<void> {
    this.#closing = true;
    await this.#child.close();
    await this.ended;
  }

  async #post(
    frame: Frame,
    response: HttpResponse,
    {
      begins = false,
      by = {},
    }: { readonly by?: OwnClientOptions | undefined; readonly begins?: boolean },
  ): Promise<void> {
    this.usedAt = performance.now();
    const requests = requestsOf(frame).length;
    const reply: Reply = new Reply(response, requests, () => this.#streams.begin(reply));
    if (begins) {
      reply.header(SESSION_HEADER, this.id);
      this.#answers.begin(reply);
    }
    await this.#posts.post(frame, requests, reply, by);
  }

  /** @param line what is wrong with the line that it was on */
  #onFrame(given: Frame, line: LineFault | undefined): void {
    const frame = this.#own.takeFrom(given, this.#read);
    if (frame === undefined) return;
    const passage = this.#pipeline.fromServer(frame, line && { line });
    const routed = passage.then((ready): readonly [Frame, MessageOutput] => [frame, ready]);
    this.#highWater.added(given.bytes.length, this.#fromServer.add(routed));
  }

  async #finish(end: LinkEnd): Promise<void> {
    const reason = end.failedToStart ? end.reason : `the server ${end.reason}`;
    this.#own.end(reason);
    // Messages that come meanwhile would count as sent, and would be ended before their reply is known.
    this.#pipeline.over(reason);
    await this.#posts.settled();
    await this.#fromServer.settled();
    for (const answer of await this.#pipeline.end(reason)) {
      const frame = readFrame(answer);
      const reply = this.#answers.take(frame);
      if (reply && this.#left) reply.withdraw(1);
      else if (reply) await this.#answers.answer(frame, reply, 1);
    }
    this.#answers.ownStream.end();
  }
}
