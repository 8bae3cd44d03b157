import type { Readable, Writable } from "node:stream";
import type { CutMessage, Frame } from "@touchstone/protocol/advanced";
import { untilAborted, valueOrTimeout } from "@touchstone/util";
import type { SendOwnRequest } from "../../contracts/own-request.ts";
import type { Bridging } from "../../eras/bridge/bridging.ts";
import type { FromServer } from "../../pipeline/exchange.ts";
import type { MessageOutput, OnCallTimeout, Pipeline } from "../../pipeline/pipeline.ts";
import type { LinkEnd, LinkEvents, ServerLink } from "../../transport/link.ts";
import { ClientInput } from "../../transport/stdio/client-input.ts";
import { type Line, LineWriter } from "../../transport/stdio/lines.ts";
import { Backpressure, ClientFrameQueue, OrderedRelease } from "../ordered-release.ts";
import { OwnRequests } from "../own-requests.ts";
import { StdioBridge, type StdioBridgeParts } from "./bridge.ts";
import { ServerLines } from "./server-lines.ts";

export interface StdioRelayOptions {
  /** Starts the server, or takes over one that was started already. */
  readonly connect: (events: LinkEvents) => ServerLink;
  /** Largest frame from the server, in bytes. */
  readonly maxFrameBytes: number;
  readonly input: Readable;
  readonly output: Writable;
  /** Largest frame from the client, in bytes. */
  readonly maxRequestBytes: number;
  /** Makes the pipeline; `ask` sends the gateway's own requests to the child. */
  readonly pipeline: (ask: SendOwnRequest) => Pipeline;
  /** Lets clients reach a server of a later revision; absent if they do not. */
  readonly bridge?: Pick<StdioBridgeParts, "name" | "bridged"> | undefined;
  /** Calls back whenever the list of tools that the client gets has changed. Returns what ends that. */
  readonly watch?: (changed: () => void) => () => void;
  /** Ends the relay gracefully. */
  readonly signal: AbortSignal;
}

/** How long a server may go on responding after its client closed the connection, in milliseconds. */
const ANSWER_GRACE_MS = 30_000;
/**
 * The same if it owes no response. Clients of the official SDKs end a server 2 s after they closed its stdin, on
 * Windows without asking it first: by then the wrapped server must be gone.
 */
const IDLE_GRACE_MS: number = process.platform === "win32" ? 1_000 : 2_000;
/** How long to wait for a client's first frame if the server could not even start. */
const FIRST_FRAME_MS = 2_000;
const NAMELESS = "the server's response has no id";
const NONE: readonly Uint8Array[] = [];

/** Relays between a client on two streams and one server. */
class StdioRelay {
  readonly #options: StdioRelayOptions;
  readonly #child: ServerLink;
  readonly #pipeline: Pipeline;
  readonly #own: OwnRequests;
  readonly #input: ClientInput;
  readonly #lines: ServerLines;
  #bridge: StdioBridge | undefined;
  readonly #toServer: ClientFrameQueue;
  readonly #toClient: OrderedRelease<MessageOutput>;
  readonly #fromServer: Backpressure;
  #sawFrame = false;
  #closed: Promise<void> | undefined;
  #clientGone: () => void = () => {};
  readonly #clientLeft: Promise<void>;
  readonly #output: LineWriter;
  readonly #read = (bytes: Uint8Array): Frame => this.#pipeline.read(bytes);

  constructor(options: StdioRelayOptions) {
    this.#options = options;
    this.#clientLeft = new Promise((resolve) => {
      this.#clientGone = resolve;
    });
    this.#output = new LineWriter(options.output, this.#clientLeft);
    this.#input = new ClientInput(options.input, options.maxRequestBytes, {
      line: (line) => this.#onClientLine(line),
      left: () => this.#clientGone(),
    });
    this.#toServer = new ClientFrameQueue((passage) => this.#fromClientTo(passage), this.#input);
    this.#toClient = new OrderedRelease((passage) => this.#fromServerTo(passage));
    this.#fromServer = new Backpressure(this.#toClient, {
      pause: () => this.#child.pause(),
      resume: () => this.#child.resume(),
    });
    // After what the client sent earlier: a server takes no request before `initialize`.
    this.#own = new OwnRequests((frame) =>
      this.#toServer.addOther(Promise.resolve({ onward: frame })),
    );
    this.#pipeline = options.pipeline(this.#own.ask);
    this.#bridge =
      options.bridge &&
      new StdioBridge({
        ...options.bridge,
        read: this.#read,
        take: (frame, length, bridged) => this.#take(frame, length, bridged),
        over: () => {
          this.#bridge = undefined;
        },
        write: (bytes) => void this.#output.write(bytes),
      });
    this.#lines = new ServerLines({
      read: this.#read,
      take: (frame, line) => this.#onServerFrame(frame, line && { line }),
      oversize: (cut) => this.#onOversize(cut),
      held: (bytes, released) => this.#fromServer.added(bytes, released),
      maxBytes: options.maxFrameBytes,
    });
    this.#child = options.connect({
      frame: (bytes, answers) => {
        if (answers !== undefined && this.#own.acceptFault(answers, NAMELESS)) return;
        this.#onServerFrame(this.#read(bytes), answers && { answers });
      },
      line: (bytes) => this.#lines.line(bytes),
      oversize: (cut, answers) => {
        if (answers === undefined) this.#lines.oversize(cut);
        else this.#onOversize(cut, answers);
      },
      acknowledgement: (reason) => {
        void this.#pipeline.acknowledgement(reason);
      },
      unreadable: (reason, answers) => {
        if (this.#own.acceptFault(answers, reason)) return;
        this.#queueToClient(this.#pipeline.unreadable(reason, answers));
      },
    });
  }

  async run(): Promise<LinkEnd> {
    const { output, signal } = this.#options;
    output.on("error", () => this.#clientGone());
    const stop = (): void => {
      this.#own.end("the gateway received a signal to stop");
      this.#clientGone();
    };
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();

    const unwatch = this.#options.watch?.(() => {
      for (const onward of this.#pipeline.toolsChanged()) {
        this.#queueToClient(Promise.resolve({ onward }));
      }
    });
    void this.#child.ended.then(() => {
      unwatch?.();
      this.#lines.end();
    });
    await Promise.race([this.#clientLeft, this.#child.ended]);
    const first = await Promise.race([this.#child.ended, this.#closeChild()]);
    const end = first ?? (await this.#child.ended);
    // What the server has left running ends as well; requests that come meanwhile are answered.
    const closed = this.#close(0);
    // A client that has just started learns why there is no server.
    if (!this.#sawFrame) {
      await Promise.race([this.#input.something(FIRST_FRAME_MS), this.#clientLeft]);
    }
    await this.#answerTheRest(end);
    await closed;
    await this.#answerTheRest(end);
    this.#output.flush();
    this.#input.stop();
    signal.removeEventListener("abort", stop);
    return end;
  }

  /** Lets the child finish after the client has left; returns at once if the child is gone. */
  async #closeChild(): Promise<undefined> {
    const { output, signal } = this.#options;
    await this.#clientLeft;
    this.#bridge?.left();
    // A server that has stopped reading takes none of the waiting frames either.
    const sent = this.#toServer.settled().then(() => true);
    const reads = await Promise.race([
      valueOrTimeout(ANSWER_GRACE_MS, sent, () => false),
      untilAborted(signal),
    ]);
    const busy = reads !== false && this.#pipeline.pending > 0 && output.writable;
    await this.#close(busy ? ANSWER_GRACE_MS : IDLE_GRACE_MS);
    return undefined;
  }

  /** Ends the server and what it has started, once. */
  #close(graceMs: number): Promise<void> {
    this.#closed ??= this.#child.close(graceMs, this.#options.signal);
    return this.#closed;
  }

  /** The server is gone: later requests go the same way as waiting ones. */
  async #answerTheRest(end: LinkEnd): Promise<void> {
    const reason = end.failedToStart ? end.reason : `the server ${end.reason}`;
    this.#own.end(reason);
    do {
      await this.#lines.settled();
      await this.#toServer.settled();
      await this.#toClient.settled();
      const answers = await this.#pipeline.end(reason);
      if (!this.#expectsNoMore(end)) for (const answer of answers) await this.#write(answer);
    } while (this.#pipeline.pending > 0 || this.#toServer.length > 0);
  }

  /**
   * A client that closed its side may have given up pending calls. Some clients (Python's SDK v1) fail on anything
   * that comes after that, and a server that ends then, as it should, does not answer them either.
   */
  #expectsNoMore(end: LinkEnd): boolean {
    if (!this.#input.ended) return false;
    return this.#options.signal.aborted || end.stopped === true || end.exitCode === 0;
  }

  #onClientLine(line: Line): void {
    this.#sawFrame = true;
    if (line.kind === "oversize") {
      const limit = this.#options.maxRequestBytes;
      void this.#toServer.addOther(this.#pipeline.oversize("client", line, limit));
      return;
    }
    const frame = this.#read(line.bytes);
    if (this.#bridge === undefined) this.#take(frame, line.bytes.length);
    else this.#bridge.fromClient(frame, line.bytes.length);
  }

  /** @param bridged the bridge that has to do with the message */
  #take(frame: Frame, length: number, bridged?: Bridging): void {
    const timedOut: OnCallTimeout = (answer, cancellation) => {
      // The error does not wait for a server that has stopped reading.
      void this.#write(answer);
      void this.#toServer.addOther(Promise.resolve({ onward: cancellation }));
    };
    const flow = this.#pipeline.fromClient(frame, { timedOut, bridged });
    this.#toServer.add(flow, length);
  }

  #onServerFrame(given: Frame, place?: Omit<FromServer, "inBatch">): void {
    const frame = this.#own.takeFrom(given, this.#read);
    if (frame === undefined) return;
    const passage = this.#pipeline.fromServer(frame, place);
    this.#queueToClient(passage, given.bytes.length);
  }

  #onOversize(cut: CutMessage, answers?: readonly string[]): void {
    const limit = this.#options.maxFrameBytes;
    if (this.#isOwnCut(cut, limit, answers)) return;
    this.#queueToClient(this.#pipeline.oversize("server", cut, limit, answers));
  }

  #isOwnCut(cut: CutMessage, limit: number, answers: readonly string[] | undefined): boolean {
    if (answers === undefined) return this.#own.acceptCut(cut, limit);
    return this.#own.acceptFault(answers, `the response is over the limit of ${limit} bytes`);
  }

  /** @param bytes what is kept of it while it waits */
  #queueToClient(passage: Promise<MessageOutput>, bytes = 0): void {
    this.#fromServer.added(bytes, this.#toClient.add(passage));
  }

  async #fromClientTo({ onward, back = NONE }: MessageOutput): Promise<void> {
    if (onward !== undefined) await this.#child.send(onward);
    for (const frame of back) await this.#write(frame);
  }

  async #fromServerTo({ onward, back = NONE, beside = NONE }: MessageOutput): Promise<void> {
    const room = onward && this.#write(onward);
    for (const error of beside) void this.#write(error);
    await room;
    for (const frame of back) await this.#child.send(frame);
  }

  #write(frame: Uint8Array): Promise<void> {
    if (this.#bridge === undefined) return this.#output.write(frame);
    const shown = this.#bridge.toClient(frame);
    return shown instanceof Promise
      ? shown.then((messages) => this.#writeAll(messages))
      : this.#writeAll(shown);
  }

  async #writeAll(messages: readonly Uint8Array[]): Promise<void> {
    await Promise.all(messages.map((bytes) => this.#output.write(bytes)));
  }
}

/**
 * Relays between a server and a client on two streams until one of them leaves. Every client request is answered
 * before this resolves, with an error if the server did not respond; unless the client left and the server then ended
 * in order.
 */
export function relayStdio(options: StdioRelayOptions): Promise<LinkEnd> {
  return new StdioRelay(options).run();
}
