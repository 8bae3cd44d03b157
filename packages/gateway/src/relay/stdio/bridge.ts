import { randomBytes } from "node:crypto";
import { batchItems, errorFrame, type Frame, readFrame } from "@touchstone/protocol/advanced";
import { ASK_TIMEOUT_MS } from "../../contracts/own-request.ts";
import {
  BridgedClient,
  type Crossing,
  refusesInitialize,
  type Shown,
} from "../../eras/bridge/bridged-client.ts";
import type { Bridging } from "../../eras/bridge/bridging.ts";
import {
  BUSY,
  DISCOVER_LAST_MS,
  INITIALIZE_MS,
  unansweredError,
} from "../../eras/bridge/messages.ts";
import { MAX_BATCH } from "../../pipeline/batch.ts";
import { endsRequest } from "../../transport/http/messages.ts";

export interface StdioBridgeParts {
  /** The server's name, for one that does not name itself. */
  readonly name: string;
  /** Called when a client is bridged. @param pair its revision and the server's */
  readonly bridged: (pair: string) => void;
  readonly read: (bytes: Uint8Array) => Frame;
  /**
   * Sends a message through the pipeline to the server.
   * @param length of what came from the client
   * @param bridged the bridge, if it has to do with the message
   */
  readonly take: (frame: Frame, length: number, bridged: Bridging | undefined) => void;
  /** The server has accepted `initialize`: there is nothing to do for the bridge. */
  readonly over: () => void;
  /** Writes a message of the bridge to the client. */
  readonly write: (bytes: Uint8Array) => void;
}

/** How many messages of the client may wait until it is known whether the server can be reached. */
const MAX_WAITING = 64;
const DISCOVER = `touchstone-bridge-${randomBytes(12).toString("hex")}`;

/** A client message, and the length of what came. */
interface Came {
  readonly frame: Frame;
  readonly length: number;
}

/**
 * The bridge of one client on stdio. The client's `initialize` goes to the server as it came. If the server refuses it
 * and responds to `server/discover` with a revision that the bridge knows, all later messages cross in that revision.
 * If not, `initialize` is sent once more, and the server's response is the client's. A server that leaves `initialize`
 * without a response is asked, too: whichever it answers first counts, and if it answers neither, the client gets an
 * error.
 */
export class StdioBridge {
  readonly #parts: StdioBridgeParts;
  #state: "open" | "tried" | "asked" | "bridged" | "off" | "unanswered" = "open";
  #client: BridgedClient | undefined;
  #initialize: Came | undefined;
  #timer: NodeJS.Timeout | undefined;
  #hasAsked = false;
  /** Whether the response to `initialize` may still come. */
  #isOwed = false;
  #waiting: Came[] = [];

  constructor(parts: StdioBridgeParts) {
    this.#parts = parts;
  }

  /** Takes a message of the client. */
  fromClient(frame: Frame, length: number): void {
    const { take } = this.#parts;
    if (this.#state === "bridged") this.#cross(frame, length);
    else if (this.#state === "asked") this.#hold({ frame, length });
    else if (this.#state === "open" && frame.method === "initialize") {
      this.#client = BridgedClient.of(frame);
      if (this.#client !== undefined) {
        this.#state = "tried";
        this.#isOwed = true;
        this.#initialize = { frame, length };
        this.#client.onExpired = (crossing) => this.#send(crossing, 0);
        this.#timer = setTimeout(() => this.#ask(DISCOVER_LAST_MS), INITIALIZE_MS).unref();
      }
      take(frame, length, this.#client);
    } else take(frame, length, undefined);
  }

  /** Returns what the client gets of a message: nothing of the responses to what the bridge has asked. */
  toClient(bytes: Uint8Array): readonly Uint8Array[] | Promise<readonly Uint8Array[]> {
    if (this.#state === "bridged" && !this.#isOwed) return this.#shown(bytes);
    if (!this.#isOwed && !this.#hasAsked) return [bytes];
    const frame = readFrame(bytes, { outline: true });
    if (endsRequest(frame)) {
      if (this.#isOwed && frame.idKey === this.#initialize?.frame.idKey) {
        this.#isOwed = false;
        return listOf(this.#answered(frame));
      }
      if (frame.id === JSON.stringify(DISCOVER)) return listOf(this.#discovered(frame));
    }
    return this.#state === "bridged" ? this.#shown(bytes) : [bytes];
  }

  #shown(bytes: Uint8Array): readonly Uint8Array[] | Promise<readonly Uint8Array[]> {
    const shown = this.#client?.shown(bytes) ?? { messages: [bytes] };
    return shown instanceof Promise ? shown.then((late) => this.#again(late)) : this.#again(shown);
  }

  #again({ messages, again }: Shown): readonly Uint8Array[] {
    const { read, take } = this.#parts;
    if (again !== undefined) take(read(again), 0, this.#client);
    return messages;
  }

  /** Returns what the client gets of the server's response to its `initialize`. */
  #answered(frame: Frame): Uint8Array | undefined {
    // It came too late: the client has a response.
    if (this.#state === "bridged" || this.#state === "unanswered") return undefined;
    if (!refusesInitialize(frame)) {
      this.#end("off");
      return frame.bytes;
    }
    if (this.#state === "tried") this.#ask(ASK_TIMEOUT_MS);
    return undefined;
  }

  #ask(patience: number): void {
    const { read, take } = this.#parts;
    this.#state = "asked";
    this.#hasAsked = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#giveUp(), patience).unref();
    const asked = this.#client?.discover(JSON.stringify(DISCOVER));
    if (asked !== undefined) take(read(asked), 0, this.#client);
  }

  #discovered(frame: Frame): Uint8Array | undefined {
    // It came too late.
    if (this.#state !== "asked") return undefined;
    const id = this.#initialize?.frame.id ?? "null";
    const response = this.#client?.initialized(id, frame, this.#parts.name);
    if (response === undefined) {
      this.#giveUp();
      return undefined;
    }
    this.#parts.bridged(this.#client?.pair ?? "");
    // After the response to initialize.
    queueMicrotask(() => this.#end("bridged"));
    this.#state = "bridged";
    return response;
  }

  /** Lets the server itself respond to the client, unless it has left `initialize` without a response. */
  #giveUp(): void {
    const { take, write } = this.#parts;
    const { frame, length } = this.#initialize ?? {};
    if (this.#isOwed && this.#state === "asked") {
      this.#end("unanswered");
      write(unansweredError(frame?.id ?? "null"));
      return;
    }
    if (frame !== undefined && length !== undefined) take(frame, length, undefined);
    this.#end("off");
  }

  #end(state: "bridged" | "off" | "unanswered"): void {
    this.#state = state;
    if (!this.#hasAsked) this.#parts.over();
    clearTimeout(this.#timer);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { frame, length } of waiting) this.fromClient(frame, length);
  }

  #hold(came: Came): void {
    const { id, kind } = came.frame;
    if (this.#waiting.length < MAX_WAITING) this.#waiting.push(came);
    else if (kind === "request" && id !== undefined) {
      this.#parts.write(errorFrame(id, BUSY.code, BUSY.text));
    }
  }

  #cross(frame: Frame, length: number): void {
    const { read } = this.#parts;
    if (frame.kind === "batch") {
      const items = [...batchItems(frame)];
      if (items.length > 0 && items.length <= MAX_BATCH) {
        for (const { start, end } of items) {
          this.#cross(read(frame.bytes.subarray(start, end)), end - start);
        }
        return;
      }
    }
    const crossing = this.#client?.fromClient(frame) ?? {};
    if (crossing.onward !== frame.bytes) this.#send(crossing, length);
    else this.#parts.take(frame, length, this.#client);
    if (crossing.listens) this.#listen();
  }

  #listen(): void {
    const { request, cancel } = this.#client?.listen() ?? {};
    // The other way round, changes between the two would be missed.
    for (const onward of [request, cancel]) if (onward !== undefined) this.#send({ onward }, 0);
  }

  /** The client has left: its server need not wait for anything. */
  left(): void {
    const onward = this.#client?.deafen();
    if (onward !== undefined) this.#send({ onward }, 0);
  }

  #send({ notices = [], back, onward }: Crossing, length: number): void {
    const { read, take, write } = this.#parts;
    for (const notice of notices) write(notice);
    if (back !== undefined) write(back);
    if (onward !== undefined) take(read(onward), length, this.#client);
  }
}

function listOf(message: Uint8Array | undefined): readonly Uint8Array[] {
  return message === undefined ? [] : [message];
}
