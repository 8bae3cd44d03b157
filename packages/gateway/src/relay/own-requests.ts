import { randomBytes } from "node:crypto";
import type { JsonRange } from "@touchstone/core/advanced";
import {
  batchItems,
  type CutMessage,
  type Edit,
  type Frame,
  mayBeRequestItem,
  readableId,
  readCutMessage,
  readFrame,
  requestFrame,
  spliceFrame,
} from "@touchstone/protocol/advanced";
import { ASK_TIMEOUT_MS, type SendOwnRequest } from "../contracts/own-request.ts";
import { MAX_BATCH } from "../pipeline/batch.ts";

interface Waiting {
  readonly resolve: (frame: Uint8Array) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

const TOO_LONG = `the server's response is in a batch of more than ${MAX_BATCH} messages`;
const UNREADABLE = "the server's response is in broken JSON";

/** Returns the key of the id that a frame responds to, as far as a broken frame shows it. */
function answeredKey(frame: Frame): string | undefined {
  const { idKey, kind } = frame;
  if (kind === "response" || kind === "error") return idKey;
  const broken = kind === "invalid" && frame.range("/method") === undefined;
  return broken ? readableId(frame)?.key : undefined;
}

/**
 * The gateway's own requests on a link that it shares with a client. Their ids carry a random mark, so that they
 * never clash with the client's, and their responses are never forwarded.
 */
export class OwnRequests {
  readonly #send: (frame: Uint8Array) => Promise<void>;
  readonly #timeoutMs: number;
  readonly #mark = `touchstone-${randomBytes(12).toString("hex")}-`;
  readonly #waiting: Map<string, Waiting> = new Map();
  #count = 0;
  #over: string | undefined;

  constructor(send: (frame: Uint8Array) => Promise<void>, timeoutMs: number = ASK_TIMEOUT_MS) {
    this.#send = send;
    this.#timeoutMs = timeoutMs;
  }

  /** Sends a request and returns the frame of its response. */
  readonly ask: SendOwnRequest = (method, params) =>
    new Promise((resolve, reject) => {
      if (this.#over !== undefined) {
        reject(new Error(this.#over));
        return;
      }
      this.#count += 1;
      const id = `${this.#mark}${this.#count}`;
      const fail = (error: Error): void => {
        clearTimeout(timer);
        this.#waiting.delete(id);
        reject(error);
      };
      const timer = setTimeout(() => {
        fail(new Error(`the server did not respond to ${method} within ${this.#timeoutMs} ms`));
      }, this.#timeoutMs);
      this.#waiting.set(id, { resolve, reject, timer });
      this.#send(requestFrame(JSON.stringify(id), method, params)).catch(fail);
    });

  /**
   * Takes a frame that answers one of these requests, including late ones and frames of which only the id is
   * readable. Returns false for any other frame.
   */
  accept(frame: Frame): boolean {
    const key = answeredKey(frame);
    if (!this.#isOwn(key)) return false;
    this.#taken(key)?.resolve(frame.bytes);
    return true;
  }

  /**
   * Removes the responses to these requests from a frame, as {@link accept} knows them. Returns the rest for the
   * client: the same frame if there are none, undefined if nothing is left. All other messages of a batch stay as
   * they are.
   * @param read makes a frame of the rest
   */
  takeFrom(frame: Frame, read: (bytes: Uint8Array) => Frame): Frame | undefined {
    if (frame.kind !== "batch") {
      if (this.accept(frame)) return undefined;
      if (frame.scan.error !== undefined) this.#failNamed([frame.bytes], UNREADABLE);
      return frame;
    }
    // Without open requests there is nothing to search for.
    return this.#count === 0 ? frame : this.#takeFromBatch(frame, read);
  }

  #takeFromBatch(batch: Frame, read: (bytes: Uint8Array) => Frame): Frame | undefined {
    const { bytes } = batch;
    const items: JsonRange[] = [];
    for (const item of batchItems(batch)) {
      // A longer batch is refused as a whole.
      if (items.length === MAX_BATCH) {
        this.#failNamed([bytes], TOO_LONG);
        return batch;
      }
      items.push(item);
    }
    const edits: Edit[] = [];
    for (const [i, item] of items.entries()) {
      const { start, end } = item;
      if (!mayBeRequestItem(bytes, item) || !this.accept(readFrame(bytes.subarray(start, end))))
        continue;
      // With the comma before it, or after it if nothing before it is left.
      const first = edits.length === i;
      const range = first
        ? { start, end: items[i + 1]?.start ?? end }
        : { start: items[i - 1]?.end ?? start, end };
      edits.push({ range, text: "" });
    }
    if (edits.length === 0) return batch;
    return edits.length === items.length ? undefined : read(spliceFrame(bytes, edits));
  }

  /** Does the same for a response that is too large. @param limit in bytes */
  acceptCut(cut: CutMessage, limit: number): boolean {
    const { frame, id } = readCutMessage(cut);
    const reason = `server message of ${cut.size} bytes is over the limit of ${limit} bytes`;
    if (id !== undefined && frame.range("/method") === undefined) {
      if (this.acceptFault([id.key], reason)) return true;
    }
    this.#failNamed([cut.head, cut.tail], reason);
    return false;
  }

  /**
   * Does the same for an unreadable response.
   * @param answers the ids, by key, of the requests that it answered: these requests are sent one by one
   */
  acceptFault([key]: readonly string[], reason: string): boolean {
    if (!this.#isOwn(key)) return false;
    this.#taken(key)?.reject(new Error(reason));
    return true;
  }

  /** Fails all open and later requests, because the peer is gone. */
  end(reason: string): void {
    this.#over = reason;
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(new Error(reason));
    }
    this.#waiting.clear();
  }

  /** Fails the requests whose ids are in an unread frame: it may be a batch with a response to them. */
  #failNamed(parts: readonly Uint8Array[], reason: string): void {
    const texts = parts.map(({ buffer, byteOffset, length }) =>
      Buffer.from(buffer, byteOffset, length),
    );
    for (const [id, { reject }] of this.#waiting) {
      if (!texts.some((text) => text.includes(`"${id}"`))) continue;
      this.#taken(`s${id}`);
      reject(new Error(reason));
    }
  }

  /** Compared by value: a server may write an id with other escapes. */
  #isOwn(key: string | undefined): key is string {
    return key?.startsWith(`s${this.#mark}`) === true;
  }

  #taken(key: string): Waiting | undefined {
    const id = key.slice(1);
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    clearTimeout(waiting?.timer);
    return waiting;
  }
}

/** Source texts of a client's own id and progress token. */
export interface ClientIds {
  readonly id: string;
  readonly progressToken: string | undefined;
}

/** Returns the ids in a request. */
export function clientIds(frame: Frame): ClientIds {
  const { progressToken } = frame.ranges;
  return { id: frame.id ?? "null", progressToken: progressToken && frame.text(progressToken) };
}

/** Returns a request with another id, and with the same value as its progress token if it has one. */
export function withId(frame: Frame, own: string): Uint8Array {
  const { id, progressToken } = frame.ranges;
  const edits: Edit[] = [];
  if (id) edits.push({ range: id, text: own });
  if (progressToken) edits.push({ range: progressToken, text: own });
  return spliceFrame(frame.bytes, edits);
}

/**
 * Returns a message about such a request with the client's own id and token restored.
 * @param id where the message's id is
 * @param asString whether the server wrote the number as a string, and so would write this one
 */
export function withClientIds(
  frame: Frame,
  ids: ClientIds,
  id: JsonRange | undefined,
  asString = false,
): Uint8Array {
  const { progressToken, subscriptionId } = frame.ranges;
  const edits: Edit[] = [];
  const restore = (range: JsonRange | undefined, own: string): void => {
    const text = asString && !own.startsWith('"') ? `"${own}"` : own;
    if (range) edits.push({ range, text });
  };
  restore(id, ids.id);
  restore(progressToken, ids.progressToken ?? ids.id);
  restore(subscriptionId, ids.id);
  return spliceFrame(frame.bytes, edits);
}
