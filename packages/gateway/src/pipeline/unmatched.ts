import type { Frame } from "@touchstone/protocol/advanced";
import { visible } from "@touchstone/util";
import type { SendOwnRequest } from "../contracts/own-request.ts";
import { lookalikeIds, type RequestIdentity } from "./in-flight.ts";

/** How many ids of answered requests to keep, at least. */
const MIN_KEPT = 1_000;
/** Longer ids are not kept. */
const MAX_KEY = 256;
/** If more requests are pending, they are not distinguished. */
const MAX_OPEN = 1_000;
const NONE: ReadonlySet<RequestIdentity> = new Set();
const SHOWN_IDS = 5;
const SHOWN_CHARACTERS = 64;
const METHOD_NOT_FOUND = -32601;
const EMPTY = /^(?:null|\{\s*\})$/;
const EMPTY_BYTES = 64;

/** A response with an unknown id arrived and may answer one of the gateway's own requests. */
class Mangled extends Error {
  override name = "Mangled";
}

/** A message that was sent to the server and expects no response, and after which no request was answered yet. */
interface Notice {
  /** The method of a notification; undefined if it is not a valid message. */
  readonly method: string | undefined;
}

interface OwnRequest extends RequestIdentity {
  readonly method: string;
  readonly fail: (why: string) => void;
}

/**
 * The facts about responses that match no request: the requests that they may be about, the ids of answered requests,
 * the gateway's own pending requests, and the message that a server may have treated as a request.
 */
export class UnmatchedResponses {
  readonly #ask: SendOwnRequest;
  readonly #own: Set<OwnRequest> = new Set();
  /** Requests that unmatched responses can be about, and how many of these responses arrived. */
  readonly #open: Set<RequestIdentity> = new Set();
  #count = 0;
  #answered: Set<string> = new Set();
  #answeredBefore: Set<string> = new Set();
  /** The last message that expects no response, until a later request is answered. */
  notice: Notice | undefined;

  /** @param ask sends the gateway's own requests */
  constructor(ask: SendOwnRequest) {
    this.#ask = ask;
  }

  /**
   * Sends a request of the gateway's own. If a response to it seems to arrive under another id, sends the request
   * once more; if that happens again, the request fails.
   */
  readonly ask: SendOwnRequest = async (method, params) => {
    try {
      return await this.#once(method, params);
    } catch (error) {
      if (!(error instanceof Mangled)) throw error;
      return await this.#once(method, params);
    }
  };

  /** The gateway's own pending requests. */
  get own(): readonly OwnRequest[] {
    return [...this.#own];
  }

  /** Fails the gateway's own requests that a response may belong to. */
  failOwn(own: readonly OwnRequest[], response: Frame): void {
    const id = shownId(response);
    const what = id === undefined ? "a response without an id" : `a response with the id ${id}`;
    for (const request of own) {
      this.#own.delete(request);
      request.fail(
        `the server sent ${what} while the gateway waited for the response to ${request.method}`,
      );
    }
  }

  /**
   * Counts a response that matches no request. A server answers each request once. When as many such responses have
   * arrived as there are requests that they can be about, all of these were answered.
   * @param requests all requests that the response may be about
   * @returns the answered requests, some of which may have ended by now; none while that is unclear
   */
  count(requests: readonly RequestIdentity[]): ReadonlySet<RequestIdentity> {
    for (const request of requests) this.#open.add(request);
    this.#count += 1;
    if (this.#open.size <= MAX_OPEN) return this.#answeredAll();
    this.#forget();
    return NONE;
  }

  /**
   * Notes that a request has its response.
   * @returns the requests that earlier unmatched responses must have been about, because they were not about this one
   */
  answered(idKey: string, request: RequestIdentity): ReadonlySet<RequestIdentity> {
    this.#past(request);
    if (idKey.length <= MAX_KEY) this.#answered.add(idKey);
    if (this.#answered.size >= MIN_KEPT) {
      this.#answeredBefore = this.#answered;
      this.#answered = new Set();
    }
    // Most conversations have no unmatched responses.
    if (this.#count === 0) return NONE;
    this.#open.delete(request);
    return this.#answeredAll();
  }

  /**
   * Returns whether a request with this id, or with one that some clients treat as the same, was answered before.
   */
  wasAnswered(idKey: string): boolean {
    const has = (key: string): boolean => this.#answered.has(key) || this.#answeredBefore.has(key);
    return has(idKey) || lookalikeIds(idKey).some(has);
  }

  /**
   * Returns the message that expects no response, but that a response may be about. If a server treats a notification
   * as a request, its response lacks an id, and reports an unknown method or returns nothing. A server that cannot
   * read a message responds with an error without an id (JSON-RPC 2.0, section 5).
   */
  noticeFor({ id, kind, errorCode, ranges, bytes }: Frame): string | undefined {
    if (this.notice === undefined || (id !== undefined && id !== "null")) return undefined;
    const { method } = this.notice;
    if (method === undefined) return kind === "error" ? "a message that is not valid" : undefined;
    const about = `${visible(method, SHOWN_CHARACTERS)}, which takes no response`;
    if (kind === "error") return errorCode === METHOD_NOT_FOUND ? about : undefined;
    const { result } = ranges;
    if (result === undefined || result.end - result.start > EMPTY_BYTES) return undefined;
    const text = Buffer.from(bytes.subarray(result.start, result.end)).toString();
    return EMPTY.test(text) ? about : undefined;
  }

  #answeredAll(): ReadonlySet<RequestIdentity> {
    if (this.#open.size > this.#count) return NONE;
    const all = new Set(this.#open);
    this.#forget();
    return all;
  }

  #forget(): void {
    this.#open.clear();
    this.#count = 0;
  }

  #past({ after }: RequestIdentity): void {
    if (after === this.notice) this.notice = undefined;
  }

  #once(method: string, params: string): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const fail = (why: string): void => reject(new Mangled(why));
      const request = { method, fail, after: this.notice };
      this.#own.add(request);
      this.#ask(method, params)
        .then((answer) => {
          this.#past(request);
          this.#open.delete(request);
          resolve(answer);
        }, reject)
        .finally(() => this.#own.delete(request));
    });
  }
}

/** Returns the id of a response in a printable form; undefined if it has none, or `null`. */
function shownId({ id }: Frame): string | undefined {
  return id === undefined || id === "null" ? undefined : visible(id, SHOWN_CHARACTERS);
}

/**
 * Returns what is wrong with a response that matches no request.
 * @param about the requests that the response is, or may be, about
 */
export function describeUnmatchedResponse(response: Frame, about: string | undefined): string {
  const id = shownId(response);
  const what = response.kind === "error" ? "the error" : "the response";
  const head =
    id === undefined ? `${what} has no id` : `no request with the id ${id} waits for a response`;
  return about === undefined ? head : `${head}; ${about}`;
}

/** Returns the ids of pending requests, as many as fit on a line. */
export function listIds(ids: readonly string[]): string {
  const shown = ids.slice(0, SHOWN_IDS).map((id) => visible(id, SHOWN_CHARACTERS));
  const rest = ids.length - shown.length;
  return rest > 0 ? `${shown.join(", ")} and ${rest} more` : shown.join(", ");
}
