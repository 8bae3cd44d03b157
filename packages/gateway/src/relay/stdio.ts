import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import type { CutMessage, Frame } from "@touchstone/protocol";
import type { Ask } from "../contracts/ask.ts";
import { orAfter } from "../or-after.ts";
import type { Awaitable } from "../pipeline/awaitable.ts";
import type { Flow, Passage, Pipeline } from "../pipeline.ts";
import { aborted } from "./aborted.ts";
import { BACKLOG_MESSAGES } from "./backlog.ts";
import { HighWater } from "./high-water.ts";
import { LineWriter, THERE_IS_ROOM } from "./line-writer.ts";
import { type Line, LineSplitter } from "./lines.ts";
import type { LinkEnd, LinkEvents, ServerLink } from "./link.ts";
import { OrderedRelease } from "./ordered.ts";
import { OwnRequests } from "./own-requests.ts";

export interface StdioRelayOptions {
  /** Starts the server, or takes over one that was started already. */
  readonly connect: (events: LinkEvents) => ServerLink;
  /** Largest frame that is taken from the server, in bytes. */
  readonly maxFrameBytes: number;
  readonly input: Readable;
  readonly output: Writable;
  /** Largest frame that is taken from the client, in bytes. */
  readonly maxRequestBytes: number;
  /** Makes the pipeline; `ask` sends the gateway's own requests to the child. */
  readonly pipeline: (ask: Ask) => Pipeline;
  /** Ends the relay in an orderly way. */
  readonly signal: AbortSignal;
}

/** How long a server may go on answering after its client closed the connection, in milliseconds. */
const ANSWER_GRACE_MS = 30_000;
/**
 * The same where it owes no answer. Clients of the official SDKs end a server 2 s after they closed its stdin, on
 * Windows without asking it first: by then its own server must be gone.
 */
const IDLE_GRACE_MS: number = process.platform === "win32" ? 1_000 : 2_000;
/** How long the first frame of a client is awaited when the server could not even start. */
const FIRST_FRAME_MS = 2_000;
/**
 * What may wait for a server that reads nothing before its client is not read either. That a client has left shows
 * only to who reads all that it has sent: it must be more than clients send to a server that does not answer.
 */
const WAITING_BYTES: number = 4 * 1024 * 1024;
/** What a frame that waits takes beside its bytes, about. */
const FRAME_BYTES = 1_024;
const NONE: readonly Uint8Array[] = [];

/** Relays between a client on two streams and one server. */
class StdioRelay {
  readonly #options: StdioRelayOptions;
  readonly #child: ServerLink;
  readonly #pipeline: Pipeline;
  readonly #own: OwnRequests;
  readonly #toServer: OrderedRelease<Passage>;
  readonly #toClient: OrderedRelease<Passage>;
  readonly #fromServer: HighWater;
  /** Calls that wait for the tool list, in their own order; other frames pass them. */
  readonly #held: OrderedRelease<Passage>;
  readonly #heldIds: Set<string | undefined> = new Set();
  /** Bytes of what waits in {@link #toServer}. */
  #waiting = 0;
  #sawFrame = false;
  /** The client has closed its side, and so ended the conversation as MCP has it over stdio. */
  #inputEnded = false;
  #clientGone: () => void = () => {};
  readonly #clientLeft: Promise<void>;
  readonly #output: LineWriter;

  constructor(options: StdioRelayOptions) {
    this.#options = options;
    this.#clientLeft = new Promise((resolve) => {
      this.#clientGone = resolve;
    });
    this.#output = new LineWriter(options.output, this.#clientLeft);
    this.#toServer = new OrderedRelease((passage) => this.#fromClientTo(passage));
    this.#held = new OrderedRelease((passage) => this.#fromClientTo(passage));
    this.#toClient = new OrderedRelease((passage) => this.#fromServerTo(passage));
    this.#fromServer = new HighWater(this.#toClient, {
      pause: () => this.#child.pause(),
      resume: () => this.#child.resume(),
    });
    // Behind what the client sent before: a server takes no request before `initialize`.
    this.#own = new OwnRequests((frame) => this.#toServer.add({ onward: frame }));
    this.#pipeline = options.pipeline(this.#own.ask);
    this.#child = options.connect({
      frame: (bytes) => this.#onServerFrame(bytes),
      oversize: (cut, answers) => {
        const limit = options.maxFrameBytes;
        if (this.#isOwnCut(cut, limit, answers)) return;
        this.#queueToClient(this.#pipeline.oversize("server", cut, limit, answers));
      },
      unreadable: (reason, answers) => {
        if (this.#own.acceptFault(answers, reason)) return;
        this.#queueToClient(this.#pipeline.unreadable(reason, answers));
      },
    });
  }

  async run(): Promise<LinkEnd> {
    const { input, output, signal } = this.#options;
    const splitter = new LineSplitter(this.#options.maxRequestBytes);
    input.on("data", (chunk: Buffer) => {
      for (const line of splitter.push(chunk)) this.#onClientLine(line);
    });
    const left = (): void => {
      const rest = splitter.flush();
      if (rest) this.#onClientLine(rest);
      this.#inputEnded = true;
      this.#clientGone();
    };
    input.once("end", left);
    input.once("error", () => this.#clientGone());
    input.once("close", () => this.#clientGone());
    output.on("error", () => this.#clientGone());
    const stop = (): void => {
      this.#own.end("the gateway was told to stop");
      this.#clientGone();
    };
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();

    await Promise.race([this.#clientLeft, this.#child.ended]);
    const first = await Promise.race([this.#child.ended, this.#closeChild()]);
    const end = first ?? (await this.#child.ended);
    await this.#answerTheRest(end);
    signal.removeEventListener("abort", stop);
    return end;
  }

  /** Lets the child finish when the client has left; at once where the child is gone already. */
  async #closeChild(): Promise<undefined> {
    const { output, signal } = this.#options;
    await this.#clientLeft;
    // A server that reads nothing any more takes nothing of what waits for it either.
    const sent = this.#drained().then(() => true);
    const reads = await Promise.race([
      orAfter(ANSWER_GRACE_MS, sent, () => false),
      aborted(signal),
    ]);
    const busy = reads !== false && this.#pipeline.pending > 0 && output.writable;
    await this.#child.close(busy ? ANSWER_GRACE_MS : IDLE_GRACE_MS, signal);
    return undefined;
  }

  async #drained(): Promise<void> {
    await this.#held.settled();
    await this.#toServer.settled();
  }

  /** The server is gone: requests that still come go the same way as those that wait. */
  async #answerTheRest(end: LinkEnd): Promise<void> {
    const reason = end.failedToStart ? end.reason : `the server ${end.reason}`;
    this.#own.end(reason);
    if (!this.#sawFrame) await this.#firstFrame();
    do {
      await this.#drained();
      await this.#toClient.settled();
      const answers = await this.#pipeline.end(reason);
      if (!this.#expectsNoMore(end)) for (const answer of answers) await this.#write(answer);
    } while (this.#pipeline.pending > 0 || this.#held.length > 0 || this.#toServer.length > 0);
    this.#output.flush();
    this.#options.input.pause();
  }

  /**
   * A client that closed its side may have given up calls that wait. Some (Python's SDK v1) fail when
   * anything comes after that, and a server that ends then, as it should, says nothing of them either.
   */
  #expectsNoMore(end: LinkEnd): boolean {
    if (!this.#inputEnded) return false;
    return this.#options.signal.aborted || end.stopped === true || end.exitCode === 0;
  }

  /** A client that has only just started is told why there is no server. */
  async #firstFrame(): Promise<void> {
    const { input } = this.#options;
    const timeout = AbortSignal.timeout(FIRST_FRAME_MS);
    const seen = once(input, "data", { signal: timeout }).catch(() => {});
    await Promise.race([seen, this.#clientLeft]);
  }

  #onClientLine(line: Line): void {
    this.#sawFrame = true;
    if (line.kind === "oversize") {
      const limit = this.#options.maxRequestBytes;
      void this.#toServer.add(this.#pipeline.oversize("client", line, limit));
      return;
    }
    const frame = this.#pipeline.read(line.bytes);
    this.#queueToServer(
      this.#pipeline.fromClient(frame, (answer, cancellation) => {
        // The error does not wait for a server that reads nothing any more.
        void this.#write(answer);
        void this.#toServer.add({ onward: cancellation });
      }),
      line.bytes.length + FRAME_BYTES,
    );
  }

  /** @param bytes what it takes while it waits */
  #queueToServer({ ordered, frame, passage }: Flow, bytes: number): void {
    if (!ordered || this.#followsHeld(frame)) {
      this.#heldIds.add(frame.idKey);
      void this.#held.add(passage).then(() => {
        if (this.#held.length === 0) this.#heldIds.clear();
      });
      return;
    }
    const released = this.#toServer.add(passage);
    const { length } = this.#toServer;
    if (length === 0) return;
    this.#waiting += bytes;
    const beyond = length > BACKLOG_MESSAGES && this.#waiting > WAITING_BYTES;
    const { input } = this.#options;
    if (beyond) input.pause();
    void released.then(() => {
      this.#waiting -= bytes;
      if (beyond) input.resume();
    });
  }

  /** A call does not pass the calls before it, nor a cancellation what it cancels. */
  #followsHeld(frame: Frame): boolean {
    if (this.#held.length === 0) return false;
    if (frame.method === "tools/call") return true;
    return frame.requestIdKey !== undefined && this.#heldIds.has(frame.requestIdKey);
  }

  #onServerFrame(bytes: Uint8Array): void {
    const frame = this.#pipeline.read(bytes);
    if (this.#own.accept(frame)) return;
    this.#queueToClient(this.#pipeline.fromServer(frame), bytes.length);
  }

  #isOwnCut(cut: CutMessage, limit: number, answers: readonly string[] | undefined): boolean {
    if (answers === undefined) return this.#own.acceptCut(cut, limit);
    return this.#own.acceptFault(answers, `the answer is over the limit of ${limit} bytes`);
  }

  /** @param bytes what is kept of it while it waits */
  #queueToClient(passage: Awaitable<Passage>, bytes = 0): void {
    this.#fromServer.added(bytes, this.#toClient.add(passage));
  }

  #fromClientTo({ onward, back = NONE }: Passage): Promise<void> | undefined {
    const room = onward && this.#child.send(onward);
    if (back.length > 0) return this.#sendAll(room, back, (frame) => this.#write(frame));
    return room === THERE_IS_ROOM ? undefined : room;
  }

  #fromServerTo({ onward, back = NONE }: Passage): Promise<void> | undefined {
    const room = onward && this.#write(onward);
    if (back.length > 0) return this.#sendAll(room, back, (frame) => this.#child.send(frame));
    return room === THERE_IS_ROOM ? undefined : room;
  }

  async #sendAll(
    room: Promise<void> | undefined,
    frames: readonly Uint8Array[],
    send: (frame: Uint8Array) => Promise<void>,
  ): Promise<void> {
    await room;
    for (const frame of frames) await send(frame);
  }

  #write(frame: Uint8Array): Promise<void> {
    return this.#output.write(frame);
  }
}

/**
 * Relays between a server and a client on two streams until one of them leaves. Every
 * request of the client's is answered before this resolves, with an error where the server did not;
 * but not where the client left and the server then ended in order.
 */
export function relayStdio(options: StdioRelayOptions): Promise<LinkEnd> {
  return new StdioRelay(options).run();
}
