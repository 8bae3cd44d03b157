import {
  ERROR_CODES,
  errorFrame,
  type Frame,
  notificationFrame,
  readFrame,
  requestFrame,
} from "@touchstone/protocol/advanced";
import { type LogFields, type Logger, PacedLog } from "@touchstone/util";
import { ASK_TIMEOUT_MS, type SendOwnRequest } from "../../contracts/own-request.ts";
import { dropStrayOutput } from "../../pipeline/broken.ts";
import { describeUnmatchedResponse } from "../../pipeline/unmatched.ts";
import {
  ChildLink,
  type ChildOptions,
  MAX_UNREAD_BYTES,
  UNREAD_INPUT_TEXT,
} from "../../transport/stdio/child.ts";
import { Backoff, IDLE_MS, SWEEP_MS } from "../../transport/stdio/child-limits.ts";
import { RequestRoutes, type RequestSink } from "./request-routes.ts";
import { ServerLines } from "./server-lines.ts";

/** The ids of the gateway's own requests here; the server knows them by other ids. */
const OWN_ID = '"touchstone"';
/** Of a message of this size or more, only the outline is read here; its pipeline reads the rest in steps. */
const LONG_BYTES = 1_048_576;

function readArrived(bytes: Uint8Array): Frame {
  return readFrame(bytes, { outline: bytes.length >= LONG_BYTES });
}

/**
 * One child process for any number of clients under 2026-07-28, whose requests are independent. Ids, and references
 * to them, are replaced on the way in and restored on the way out; all other bytes stay. The next request restarts a
 * child that crashed, later after each crash. A child that is idle for half an hour is ended; the next request starts
 * another one.
 */
export class SharedChild {
  readonly #name: string;
  readonly #options: ChildOptions;
  readonly #log: Logger;
  readonly #paced: PacedLog;
  readonly #routes: RequestRoutes;
  #child: ChildLink | undefined;
  /** The child whose server turned out not to speak 2026-07-28. */
  #spare: ChildLink | undefined;
  /** A child that got more than requests for `server/discover` which it has answered. */
  #used: ChildLink | undefined;
  readonly #backoff: Backoff = new Backoff();
  /** Children that are ending. */
  readonly #leaving: Set<Promise<void>> = new Set();
  readonly #sweeper: NodeJS.Timeout;
  #usedAt = 0;
  #closed = false;

  constructor(name: string, options: ChildOptions, log: Logger) {
    this.#name = name;
    this.#options = options;
    this.#log = log;
    this.#paced = new PacedLog(log);
    this.#routes = new RequestRoutes(
      {
        // A server may not send requests under 2026-07-28; it must not wait for a response either.
        request: (frame) => this.#refuseServerRequest(frame),
        other: (frame) => this.#leaveOut(frame),
        more: (count) =>
          this.#warn("a large batch", `${count} more messages of a batch are dropped`),
        oversize: ({ size }) => this.#warn("a message over the limit", this.#tooLarge(size)),
      },
      () => this.#child?.pause(),
      () => this.#child?.resume(),
    );
    this.#sweeper = setInterval(() => this.#sweep(), SWEEP_MS);
    this.#sweeper.unref();
  }

  /** Sends a client request. Returns a function that cancels it. */
  request(frame: Frame, sink: RequestSink): () => void {
    const child = this.#running(sink);
    if (child === undefined) return () => {};
    this.#usedAt = performance.now();
    if (child.unread > MAX_UNREAD_BYTES) {
      void sink.refused(UNREAD_INPUT_TEXT);
      return () => {};
    }
    if (frame.method !== "server/discover") this.#used = child;
    const { bytes, id } = this.#routes.add(frame, sink);
    void child.send(bytes);
    return () => {
      if (!this.#routes.remove(id)) return;
      // Its response may still come.
      this.#used = child;
      void child.send(notificationFrame("notifications/cancelled", `{"requestId":${id}}`));
    };
  }

  /** Sends the bytes of a client's notification. */
  notify(bytes: Uint8Array): void {
    const child = this.#child;
    if (child === undefined) return;
    this.#usedAt = performance.now();
    this.#used = child;
    void child.send(bytes);
  }

  /** Sends a request of the gateway's own. */
  readonly ask: SendOwnRequest = (method, params) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        cancel();
        reject(new Error(`the server did not respond to ${method} within ${ASK_TIMEOUT_MS} ms`));
      }, ASK_TIMEOUT_MS);
      const settle = (end: () => void): void => {
        clearTimeout(timer);
        end();
      };
      const fail = (reason: string): void => settle(() => reject(new Error(reason)));
      const cancel = this.request(readFrame(requestFrame(OWN_ID, method, params)), {
        message: async () => {},
        answer: async (bytes) => {
          const frame = readFrame(bytes);
          if (frame.id === OWN_ID) settle(() => resolve(bytes));
          else
            fail(
              `the server's response to ${method}: ${describeUnmatchedResponse(frame, undefined)}`,
            );
        },
        oversize: async ({ size }) => fail(this.#tooLarge(size)),
        lost: async (reason) => fail(reason),
        refused: async (reason) => fail(reason),
        stalled: () => {},
      });
    });

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#sweeper);
    await Promise.all([this.#child?.close(), ...this.#leaving]);
  }

  /** Ends the child if no request is pending. Resolves when it is gone; the next request starts another one. */
  async rest(): Promise<void> {
    const child = this.#child;
    if (child === undefined || this.#closed || this.#routes.size > 0) return;
    // Later requests are for another child.
    this.#child = undefined;
    const left = child.close().finally(() => this.#leaving.delete(left));
    this.#leaving.add(left);
    await left;
  }

  /** The server does not speak 2026-07-28, so the child may serve the next session. */
  spare(): void {
    this.#spare = this.#child;
  }

  /** Whether the child may serve a session: nobody has used it, and it owes no response. */
  get hasSpare(): boolean {
    const child = this.#child;
    if (child === undefined || child === this.#used) return false;
    return child === this.#spare && this.#routes.size === 0;
  }

  /** Returns a child that may serve a session, which is not used anymore here; undefined if there is none. */
  takeSpare(): ChildLink | undefined {
    if (!this.hasSpare) return undefined;
    const child = this.#child;
    this.#child = undefined;
    return child;
  }

  #sweep(): void {
    const now = performance.now();
    // A pending request, such as a subscription, counts as use.
    if (this.#routes.size > 0) this.#usedAt = now;
    if (this.#child === undefined || this.#closed || now - this.#usedAt < IDLE_MS) return;
    this.#log.info(`${this.#name}: the server was ended after 30 idle minutes`);
    void this.rest();
  }

  /** Returns why no child can be started now. */
  #refusal(): string | undefined {
    if (this.#closed) return "the gateway is stopping";
    return this.#backoff.refusal;
  }

  /** Returns the child, started if necessary; undefined if it may not be started yet. */
  #running(sink: RequestSink): ChildLink | undefined {
    if (this.#child) return this.#child;
    const refusal = this.#refusal();
    if (refusal !== undefined) {
      void sink.lost(refusal);
      return undefined;
    }
    const full = this.#options.slots?.full;
    if (full !== undefined) {
      void sink.refused(full);
      return undefined;
    }
    this.#backoff.started();
    const lines = new ServerLines({
      read: readArrived,
      take: (frame, line) => this.#routes.take(frame, line),
      oversize: (cut) => this.#routes.takeOversize(cut),
      held: (bytes, released) => this.#routes.hold(bytes, released),
      maxBytes: this.#options.maxFrameBytes,
    });
    const child = new ChildLink(this.#options, {
      frame: (bytes) => lines.line(bytes),
      oversize: (cut) => lines.oversize(cut),
    });
    this.#child = child;
    void child.ended.then(async (end) => {
      lines.end();
      await lines.settled();
      if (this.#child !== child) return;
      this.#child = undefined;
      this.#backoff.ended();
      const reason = end.failedToStart ? end.reason : `the server ${end.reason}`;
      if (!this.#closed) this.#log.warn(`${this.#name}: ${reason}`);
      this.#routes.lose(reason);
    });
    return child;
  }

  #leaveOut(frame: Frame): void {
    const { kind, method, bytes, faults } = frame;
    if (kind === "invalid") {
      dropStrayOutput({ paced: this.#paced, server: this.#name }, frame, faults);
      return;
    }
    const text = "a message of the server belongs to no request and is dropped";
    this.#warn("a message for nobody", text, { kind, method, bytes: bytes.length });
  }

  #refuseServerRequest(frame: Frame): void {
    const text = "a server sends no requests under 2026-07-28 (return input_required instead)";
    this.#warn("a request of the server", text, { method: frame.method });
    if (frame.id === undefined) return;
    void this.#child?.send(errorFrame(frame.id, ERROR_CODES.methodNotFound, text));
  }

  #warn(kind: string, text: string, fields?: LogFields): void {
    this.#paced.warn(`${this.#name}: ${kind}`, `${this.#name}: ${text}`, fields);
  }

  #tooLarge(size: number): string {
    return `server message of ${size} bytes is over the limit of ${this.#options.maxFrameBytes} bytes`;
  }
}
