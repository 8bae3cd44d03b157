import {
  batchItems,
  type CutMessage,
  ERROR_CODES,
  errorFrame,
  type Frame,
  idKey,
  isAttempt,
  legibleId,
  notificationFrame,
  readCut,
  readFrame,
  requestFrame,
  spliceFrame,
} from "@touchstone/protocol";
import { ASK_TIMEOUT_MS, type Ask } from "../contracts/ask.ts";
import type { Logger } from "../log.ts";
import { type Backlog, Backlogs } from "./backlog.ts";
import { Backoff } from "./backoff.ts";
import { ChildLink, type ChildOptions } from "./child.ts";
import { type ClientIds, clientIds, withClientIds, withId } from "./own-ids.ts";

/**
 * Where the messages about one request go; the ids in them are the client's own again. What these
 * give resolves when the message is handed on: the server is not read while too much waits.
 */
export interface RequestSink {
  /** A message that comes before the answer: progress, or an event of a subscription. */
  message(frame: Uint8Array): Promise<void>;
  /** The answer, or why there will be none. The last call. */
  answer(frame: Uint8Array): Promise<void>;
  /** The answer was too large to be kept. The last call. */
  oversize(answer: CutMessage): Promise<void>;
  /** The server is gone. The last call. */
  lost(reason: string): Promise<void>;
  /** The client has not read for so long that it is given up, since all others wait for it. */
  stalled(): void;
}

interface Route {
  readonly ids: ClientIds;
  readonly sink: RequestSink;
  readonly backlog: Backlog;
}

/**
 * One child process that serves any number of clients under 2026-07-28, where requests stand for
 * themselves. Ids, and what refers to them, are replaced on the way in and put back on the way out;
 * all other bytes stay as they are. A child that crashed is started again by the next request,
 * later after each crash.
 */
export class SharedChild {
  readonly #name: string;
  readonly #options: ChildOptions;
  readonly #log: Logger;
  readonly #routes: Map<string, Route> = new Map();
  readonly #backlogs: Backlogs = new Backlogs(
    () => this.#child?.pause(),
    () => this.#child?.resume(),
  );
  #child: ChildLink | undefined;
  #nextId = 0;
  readonly #backoff: Backoff = new Backoff();
  #closed = false;

  constructor(name: string, options: ChildOptions, log: Logger) {
    this.#name = name;
    this.#options = options;
    this.#log = log;
  }

  /** Sends a client's request. Gives a function that cancels it. */
  request(frame: Frame, sink: RequestSink): () => void {
    const child = this.#running(sink);
    if (child === undefined) return () => {};
    this.#nextId += 1;
    const own = String(this.#nextId);
    const key = idKey(own);
    this.#routes.set(key, {
      ids: clientIds(frame),
      sink,
      backlog: this.#backlogs.reader(() => sink.stalled()),
    });
    void child.send(withId(frame, own));
    return () => {
      if (!this.#routes.delete(key)) return;
      void child.send(notificationFrame("notifications/cancelled", `{"requestId":${own}}`));
    };
  }

  /** Sends a client's notification. */
  notify(frame: Frame): void {
    const child = this.#child;
    if (child !== undefined) void child.send(frame.bytes);
  }

  /** Sends a request of the gateway's own. */
  readonly ask: Ask = (method, params) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        cancel();
        reject(new Error(`the server did not answer ${method} within ${ASK_TIMEOUT_MS} ms`));
      }, ASK_TIMEOUT_MS);
      const settle = (end: () => void): void => {
        clearTimeout(timer);
        end();
      };
      const cancel = this.request(readFrame(requestFrame("0", method, params)), {
        message: async () => {},
        answer: async (frame) => settle(() => resolve(frame)),
        oversize: async ({ size }) => settle(() => reject(new Error(this.#tooLarge(size)))),
        lost: async (reason) => settle(() => reject(new Error(reason))),
        stalled: () => {},
      });
    });

  async close(): Promise<void> {
    this.#closed = true;
    await this.#child?.close();
  }

  /** The child, started where it is not running; undefined where it may not be started yet. */
  #running(sink: RequestSink): ChildLink | undefined {
    if (this.#child) return this.#child;
    const wait = this.#backoff.seconds;
    if (this.#closed || wait > 0) {
      const reason = this.#closed
        ? "the gateway is stopping"
        : `the server crashed and is started again in ${wait} s at the earliest`;
      void sink.lost(reason);
      return undefined;
    }
    this.#backoff.started();
    const child = new ChildLink(this.#options, {
      frame: (bytes) => this.#onFrame(readFrame(bytes)),
      oversize: (cut) => this.#onOversize(cut),
    });
    this.#child = child;
    void child.ended.then((end) => {
      this.#child = undefined;
      this.#backoff.ended();
      const reason = end.failedToStart ? end.reason : `the server ${end.reason}`;
      if (!this.#closed) this.#log.warn(`${this.#name}: ${reason}`);
      const routes = [...this.#routes.values()];
      this.#routes.clear();
      for (const route of routes) void route.sink.lost(reason);
    });
    return child;
  }

  #onFrame(frame: Frame): void {
    if (frame.kind === "batch") {
      for (const { start, end } of batchItems(frame)) {
        this.#onFrame(readFrame(frame.bytes.subarray(start, end)));
      }
      return;
    }
    if (frame.kind === "request") {
      // A server may not send requests under 2026-07-28; it must not wait for an answer either.
      this.#refuseServerRequest(frame);
      return;
    }
    if (frame.kind === "notification") {
      const key = frame.progressTokenKey ?? frame.subscriptionIdKey;
      const route = key === undefined ? undefined : this.#routes.get(key);
      if (route) {
        const restored = withClientIds(frame, route.ids, undefined);
        route.backlog.add(restored.length, route.sink.message(restored));
      } else this.#leaveOut(frame);
      return;
    }
    const id = legibleId(frame);
    const route = this.#take(frame, id?.key);
    if (route) {
      const restored = withClientIds(frame, route.ids, id?.range);
      route.backlog.add(restored.length, route.sink.answer(restored));
    } else this.#leaveOut(frame);
  }

  /** Removes and gives the request that a frame answers, as well as a broken frame tells. */
  #take(frame: Frame, idKey: string | undefined): Route | undefined {
    // What has a method is no answer, and its id is the server's own.
    if (frame.range("/method") !== undefined) return undefined;
    const broken = frame.scan.error !== undefined && idKey === undefined;
    const only = broken && isAttempt(frame) && this.#routes.size === 1;
    const key = only ? this.#routes.keys().next().value : idKey;
    const route = key === undefined ? undefined : this.#routes.get(key);
    if (key !== undefined) this.#routes.delete(key);
    return route;
  }

  #leaveOut({ kind, method, bytes }: Frame): void {
    this.#log.warn(`${this.#name}: a message of the server belongs to no request and is left out`, {
      kind,
      method,
      bytes: bytes.length,
    });
  }

  #refuseServerRequest(frame: Frame): void {
    const text = "a server sends no requests under 2026-07-28 (return input_required instead)";
    this.#log.warn(`${this.#name}: ${text}`, { method: frame.method });
    if (frame.id === undefined) return;
    void this.#child?.send(errorFrame(frame.id, ERROR_CODES.methodNotFound, text));
  }

  #onOversize(cut: CutMessage): void {
    const { frame, id } = readCut(cut);
    const route = this.#take(frame, id?.key);
    if (route === undefined) {
      this.#log.warn(`${this.#name}: ${this.#tooLarge(cut.size)}`);
      return;
    }
    // Only ends with an id find a route, or the one that is left where the head is broken.
    const own = id && spliceFrame(cut[id.in], [{ range: id.range, text: route.ids.id }]);
    void route.sink.oversize(id && own ? { ...cut, [id.in]: own } : cut);
  }

  #tooLarge(size: number): string {
    return `server message of ${size} bytes is over the limit of ${this.#options.maxFrameBytes} bytes`;
  }
}
