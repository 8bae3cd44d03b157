import {
  batchItems,
  type CutMessage,
  type Frame,
  idKey,
  looksLikeMessage,
  mayBeRequestItem,
  readableId,
  readCutMessage,
  readFrame,
  spliceFrame,
} from "@touchstone/protocol/advanced";
import { ChurnMap } from "@touchstone/util";
import type { LineFault } from "../../pipeline/faults.ts";
import { lookalikeIds } from "../../pipeline/in-flight.ts";
import { lacksId } from "../../pipeline/stages/correlate.ts";
import { BACKLOG_BYTES, BACKLOG_MESSAGES } from "../ordered-release.ts";
import { type ClientIds, clientIds, withClientIds, withId } from "../own-requests.ts";

/**
 * Where messages about one request go; their ids are the client's own again. The returned promise resolves when the
 * message is passed on: the server is not read while too much waits.
 */
export interface RequestSink {
  /** A message before the response: progress, or an event of a subscription. */
  message(frame: Uint8Array, line?: LineFault): Promise<void>;
  /**
   * The response, or why there will be none. The last call.
   * @param line what is wrong with the line that it was on
   */
  answer(frame: Uint8Array, line?: LineFault): Promise<void>;
  /** The response was too large to keep. The last call. */
  oversize(answer: CutMessage): Promise<void>;
  /** The server is gone. The last call. */
  lost(reason: string): Promise<void>;
  /** A limit keeps the request from the server. The last call. */
  refused(reason: string): Promise<void>;
  /** The client has not read for so long that it is dropped, because all others wait for it. */
  stalled(): void;
}

interface Route {
  readonly ids: ClientIds;
  readonly sink: RequestSink;
  readonly backlog: ReaderBacklog;
}

/**
 * How many messages of one batch to report one by one. A batch has room for millions, and each report is a line of
 * the log.
 */
export const MAX_REPORTED_ITEMS = 1_000;

/** Server messages that are about no client request. */
export interface UnrelatedMessages {
  /** A request that the server starts. */
  request(frame: Frame): void;
  /** Anything else. */
  other(frame: Frame): void;
  /** How many further messages a batch has. */
  more(count: number): void;
  oversize(cut: CutMessage): void;
}

/**
 * The requests of any number of clients on one link: gives each its own id, and returns the server's messages about
 * it to its client, under the client's id.
 */
export class RequestRoutes {
  readonly #routes: ChurnMap<string, Route> = new ChurnMap();
  readonly #backlogs: ReaderBacklogs;
  readonly #strays: UnrelatedMessages;
  #nextId = 0;

  /**
   * @param pause stops the server while too much waits for one client
   * @param resume lets it continue
   */
  constructor(strays: UnrelatedMessages, pause: () => void, resume: () => void) {
    this.#strays = strays;
    this.#backlogs = new ReaderBacklogs(pause, resume);
  }

  /** How many requests are pending. */
  get size(): number {
    return this.#routes.size;
  }

  /** Assigns a request its own id. Returns the frame to send, and the id's text. */
  add(frame: Frame, sink: RequestSink): { readonly bytes: Uint8Array; readonly id: string } {
    this.#nextId += 1;
    const id = String(this.#nextId);
    this.#routes.set(idKey(id), {
      ids: clientIds(frame),
      sink,
      backlog: this.#backlogs.reader(() => sink.stalled()),
    });
    return { bytes: withId(frame, id), id };
  }

  /** Forgets a request, by its own id. Returns false if it has been answered. */
  remove(id: string): boolean {
    return this.#routes.delete(idKey(id));
  }

  /** Ends every request. */
  lose(reason: string): void {
    const routes = [...this.#routes.values()];
    this.#routes.clear();
    for (const { sink } of routes) void sink.lost(reason);
  }

  /**
   * Takes a server message.
   * @param line what is wrong with the line that it was on
   */
  take(frame: Frame, line?: LineFault): void {
    if (frame.kind === "batch") this.#takeBatch(frame, line);
    // Other parts of a batch may be the response to the only pending request.
    else if (!this.#takeMangled(frame, line)) this.#takeItem(frame, line);
  }

  #takeItem(frame: Frame, line: LineFault | undefined): void {
    if (frame.kind === "request") {
      this.#strays.request(frame);
      return;
    }
    if (frame.kind === "notification") {
      const told = frame.progressTokenKey ?? frame.subscriptionIdKey;
      const key = ownKey(told);
      const route = key === undefined ? undefined : this.#routes.get(key);
      if (route) {
        const restored = withClientIds(frame, route.ids, undefined, told?.startsWith("s"));
        route.backlog.add(restored.length, route.sink.message(restored, line));
      } else this.#strays.other(frame);
      return;
    }
    if (!this.#takeAnswer(frame, line)) this.#strays.other(frame);
  }

  /**
   * Takes a response under an id that was never assigned. If exactly one request is pending, it can be about no
   * other, and is returned to it as it is.
   */
  #takeMangled(frame: Frame, line: LineFault | undefined): boolean {
    const { idKey: key, kind } = frame;
    const isResponse = kind === "response" || kind === "error";
    if (!isResponse || this.#routes.size !== 1 || line?.amongText === true) return false;
    if (lacksId(frame) || key === undefined || this.#wasGiven(key)) return false;
    const [[only, route] = []] = this.#routes;
    if (only === undefined || route === undefined) return false;
    this.#routes.delete(only);
    route.backlog.add(frame.bytes.length, route.sink.answer(frame.bytes, line));
    return true;
  }

  #wasGiven(key: string): boolean {
    return [key, ...lookalikeIds(key)].some((like) => {
      const number = like.startsWith("n") ? Number(like.slice(1)) : Number.NaN;
      return Number.isInteger(number) && number >= 1 && number <= this.#nextId;
    });
  }

  /** Of a batch that is too long only responses are returned, at most one for each request. */
  #takeBatch(batch: Frame, line: LineFault | undefined): void {
    const { bytes } = batch;
    let items = 0;
    let more = 0;
    for (const range of batchItems(batch)) {
      items += 1;
      const read = (): Frame => readFrame(bytes.subarray(range.start, range.end));
      if (items <= MAX_REPORTED_ITEMS) this.#takeItem(read(), line);
      else if (!mayBeRequestItem(bytes, range) || !this.#takeAnswer(read(), line)) more += 1;
    }
    if (more > 0) this.#strays.more(more);
  }

  /** Returns a message to the request that it answers. Returns whether there is one. */
  #takeAnswer(frame: Frame, line: LineFault | undefined): boolean {
    const id = lacksId(frame) ? undefined : readableId(frame);
    const route = this.#answered(frame, id?.key);
    if (route === undefined) return false;
    const restored = withClientIds(frame, route.ids, id?.range, id?.key.startsWith("s"));
    route.backlog.add(restored.length, route.sink.answer(restored, line));
    return true;
  }

  /**
   * Counts a part of the server's output that is being read, like a message that waits for a reader.
   * @param released resolves when it has been read
   */
  hold(bytes: number, released: Promise<void>): void {
    this.#backlogs.reader(() => {}).add(bytes, released);
  }

  /** Takes the kept part of a message that was too large. */
  takeOversize(cut: CutMessage): void {
    const { frame, id } = readCutMessage(cut);
    const route = this.#answered(frame, id?.key);
    if (route === undefined) {
      this.#strays.oversize(cut);
      return;
    }
    // Only a message with an id finds a route; if the head is broken, the only pending request does.
    const own = id && spliceFrame(cut[id.in], [{ range: id.range, text: route.ids.id }]);
    void route.sink.oversize(id && own ? { ...cut, [id.in]: own } : cut);
  }

  /** Removes and returns the request that a frame answers, as far as a broken frame shows it. */
  #answered(frame: Frame, idKey: string | undefined): Route | undefined {
    // A message with a method is not a response; its id is the server's own.
    if (frame.range("/method") !== undefined) return undefined;
    const broken = frame.scan.error !== undefined && idKey === undefined && looksLikeMessage(frame);
    const only = (broken || lacksId(frame)) && this.#routes.size === 1;
    const key = only ? this.#routes.keys().next().value : ownKey(idKey);
    const route = key === undefined ? undefined : this.#routes.get(key);
    if (key !== undefined) this.#routes.delete(key);
    return route;
  }
}

/**
 * Returns the key of an assigned id, always that of a number: some servers write every id, or token, as a string.
 */
function ownKey(idKey: string | undefined): string | undefined {
  return idKey?.startsWith("s") ? `n${idKey.slice(1)}` : idKey;
}

/** How long all others wait for a client that does not read, in milliseconds. */
const STALL_MS = 30_000;

/** Pauses a source that several readers share, while too much waits for one of them. */
export class ReaderBacklogs {
  readonly #pause: () => void;
  readonly #resume: () => void;
  #full = 0;

  constructor(pause: () => void, resume: () => void) {
    this.#pause = pause;
    this.#resume = resume;
  }

  /** @param stalled called when a reader was behind for 30 seconds: it holds up all others */
  reader(stalled: () => void): ReaderBacklog {
    return new ReaderBacklog((full) => this.#count(full), stalled);
  }

  #count(full: boolean): void {
    this.#full += full ? 1 : -1;
    if (full && this.#full === 1) this.#pause();
    if (!full && this.#full === 0) this.#resume();
  }
}

/** The queue of one reader. */
export class ReaderBacklog {
  readonly #tell: (full: boolean) => void;
  readonly #stalled: () => void;
  #messages = 0;
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(tell: (full: boolean) => void, stalled: () => void) {
    this.#tell = tell;
    this.#stalled = stalled;
  }

  /**
   * Counts a message until it is passed on.
   * @param released may reject: it is gone then, too
   */
  add(bytes: number, released: Promise<unknown>): void {
    this.#change(1, bytes);
    const gone = (): void => this.#change(-1, -bytes);
    released.then(gone, gone);
  }

  #change(messages: number, bytes: number): void {
    this.#messages += messages;
    this.#bytes += bytes;
    const full = this.#messages > BACKLOG_MESSAGES || this.#bytes > BACKLOG_BYTES;
    if (full === (this.#timer !== undefined)) return;
    clearTimeout(this.#timer);
    this.#timer = full ? setTimeout(this.#stalled, STALL_MS).unref() : undefined;
    this.#tell(full);
  }
}
