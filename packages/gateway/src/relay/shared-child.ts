import type { JsonRange } from "@touchstone/core";
import {
  batchItems,
  type CutMessage,
  type Edit,
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
import { ChildLink, type ChildOptions } from "./child.ts";

/** Where the messages about one request go; the ids in them are the client's own again. */
export interface RequestSink {
  /** A message that comes before the answer: progress, or an event of a subscription. */
  message(frame: Uint8Array): void;
  /** The answer, or why there will be none. The last call. */
  answer(frame: Uint8Array): void;
  /** The answer was too large to be kept. The last call. */
  oversize(answer: CutMessage): void;
  /** The server is gone. The last call. */
  lost(reason: string): void;
}

interface Route {
  /** Source texts of the client's own id and progress token. */
  readonly id: string;
  readonly progressToken: string | undefined;
  readonly sink: RequestSink;
}

const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 30_000;
/** A server that ran for this long has recovered. */
const STABLE_MS = 60_000;

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
  #child: ChildLink | undefined;
  #nextId = 0;
  #backoffMs = 0;
  #notBefore = 0;
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
    const { id, progressToken } = frame.ranges;
    const edits: Edit[] = [];
    if (id) edits.push({ range: id, text: own });
    if (progressToken) edits.push({ range: progressToken, text: own });
    this.#routes.set(key, {
      id: frame.id ?? "null",
      progressToken: progressToken && frame.text(progressToken),
      sink,
    });
    void child.send(spliceFrame(frame.bytes, edits));
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
        message: () => {},
        answer: (frame) => settle(() => resolve(frame)),
        oversize: ({ size }) => settle(() => reject(new Error(this.#tooLarge(size)))),
        lost: (reason) => settle(() => reject(new Error(reason))),
      });
    });

  async close(): Promise<void> {
    this.#closed = true;
    await this.#child?.close();
  }

  /** The child, started where it is not running; undefined where it may not be started yet. */
  #running(sink: RequestSink): ChildLink | undefined {
    if (this.#child) return this.#child;
    const wait = Math.ceil((this.#notBefore - performance.now()) / 1000);
    if (this.#closed || wait > 0) {
      const reason = this.#closed
        ? "the gateway is stopping"
        : `the server crashed and is started again in ${wait} s at the earliest`;
      sink.lost(reason);
      return undefined;
    }
    const startedAt = performance.now();
    const child = new ChildLink(this.#options, {
      frame: (bytes) => this.#onFrame(readFrame(bytes)),
      oversize: (cut) => this.#onOversize(cut),
    });
    this.#child = child;
    void child.ended.then((end) => {
      this.#child = undefined;
      const stable = performance.now() - startedAt > STABLE_MS;
      this.#backoffMs = stable
        ? FIRST_BACKOFF_MS
        : Math.min(MAX_BACKOFF_MS, this.#backoffMs * 2 || FIRST_BACKOFF_MS);
      this.#notBefore = performance.now() + this.#backoffMs;
      const reason = end.failedToStart ? end.reason : `the server ${end.reason}`;
      if (!this.#closed) this.#log.warn(`${this.#name}: ${reason}`);
      const routes = [...this.#routes.values()];
      this.#routes.clear();
      for (const route of routes) route.sink.lost(reason);
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
      if (route) route.sink.message(this.#restored(frame, route, undefined));
      else this.#leaveOut(frame);
      return;
    }
    const id = legibleId(frame);
    const route = this.#take(frame, id?.key);
    if (route) route.sink.answer(this.#restored(frame, route, id?.range));
    else this.#leaveOut(frame);
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

  /** The frame with the client's own id and token in the place of ours. */
  #restored(frame: Frame, route: Route, id: JsonRange | undefined): Uint8Array {
    const { progressToken, subscriptionId } = frame.ranges;
    const edits: Edit[] = [];
    if (id) edits.push({ range: id, text: route.id });
    if (progressToken) edits.push({ range: progressToken, text: route.progressToken ?? route.id });
    if (subscriptionId) edits.push({ range: subscriptionId, text: route.id });
    return spliceFrame(frame.bytes, edits);
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
    const own = id && spliceFrame(cut[id.in], [{ range: id.range, text: route.id }]);
    route.sink.oversize(id && own ? { ...cut, [id.in]: own } : cut);
  }

  #tooLarge(size: number): string {
    return `server message of ${size} bytes is over the limit of ${this.#options.maxFrameBytes} bytes`;
  }
}
