import type { Frame } from "@touchstone/protocol";
import type { Ask } from "../contracts/ask.ts";
import { visible } from "../util/log.ts";
import { lookalikes, type RequestMark } from "./in-flight.ts";

/** How many ids of answered requests are kept at least. */
const MIN_KEPT = 1_000;
/** Longer ids are not kept. */
const MAX_KEY = 256;
/** More requests that wait are not kept apart. */
const MAX_OPEN = 1_000;
const NONE: ReadonlySet<RequestMark> = new Set();
const SHOWN_IDS = 5;
const SHOWN_CHARACTERS = 64;
const METHOD_NOT_FOUND = -32601;
const EMPTY = /^(?:null|\{\s*\})$/;
const EMPTY_BYTES = 64;

/** A response came under an id that no request has, and may be the one to a request of the gateway's own. */
class Mangled extends Error {
  override name = "Mangled";
}

/** A message that went to the server and takes no response, and that no request has followed yet that has its own. */
interface Notice {
  /** Of a notification; undefined if it is not a valid message. */
  readonly method: string | undefined;
}

interface OwnRequest extends RequestMark {
  readonly method: string;
  readonly fail: (why: string) => void;
}

/**
 * What is known of responses that match no request: which requests they can be about, the ids of requests that were
 * answered already, the gateway's own requests that wait, and the message that a server may have treated as a request.
 */
export class UnmatchedResponses {
  readonly #ask: Ask;
  readonly #own: Set<OwnRequest> = new Set();
  /** Requests without a response of their own that unmatched responses can be about, and how many of these there are. */
  readonly #open: Set<RequestMark> = new Set();
  #count = 0;
  #answered: Set<string> = new Set();
  #answeredBefore: Set<string> = new Set();
  /** The last message that took no response, as long as no request that followed it was answered. */
  notice: Notice | undefined;

  /** @param ask sends the gateway's own requests */
  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /**
   * Sends a request of the gateway's own. If a response comes that may be the one to it under another id, the request
   * is sent once more, and fails if that happens again.
   */
  readonly ask: Ask = async (method, params) => {
    try {
      return await this.#once(method, params);
    } catch (error) {
      if (!(error instanceof Mangled)) throw error;
      return await this.#once(method, params);
    }
  };

  /** The gateway's own requests that wait. */
  get own(): readonly OwnRequest[] {
    return [...this.#own];
  }

  /** Fails requests of the gateway's own, to one of which a response may be the one. */
  failOwn(own: readonly OwnRequest[], response: Frame): void {
    const id = shownId(response);
    const what = id === undefined ? "a response without an id" : `a response with the id ${id}`;
    for (const request of own) {
      this.#own.delete(request);
      request.fail(
        `the server sent ${what} while the gateway waited for that to ${request.method}`,
      );
    }
  }

  /**
   * Counts a response that matches no request. A server answers each request once, so if as many such responses came as
   * there are requests that they can be about, all of these were answered.
   * @param requests all that it can be about
   * @returns those that were answered, maybe ended meanwhile; none as long as that is not clear
   */
  count(requests: readonly RequestMark[]): ReadonlySet<RequestMark> {
    for (const request of requests) this.#open.add(request);
    this.#count += 1;
    if (this.#open.size <= MAX_OPEN) return this.#answeredAll();
    this.#forget();
    return NONE;
  }

  /**
   * Notes that a request has its response.
   * @returns requests that, since it was not this one, unmatched responses must have been about
   */
  answered(idKey: string, request: RequestMark): ReadonlySet<RequestMark> {
    this.#past(request);
    if (idKey.length <= MAX_KEY) this.#answered.add(idKey);
    if (this.#answered.size >= MIN_KEPT) {
      this.#answeredBefore = this.#answered;
      this.#answered = new Set();
    }
    // Most conversations have no such response.
    if (this.#count === 0) return NONE;
    this.#open.delete(request);
    return this.#answeredAll();
  }

  /** Whether a request with this id, or one that some clients take for it, was answered: it is answered once more. */
  wasAnswered(idKey: string): boolean {
    const has = (key: string): boolean => this.#answered.has(key) || this.#answeredBefore.has(key);
    return has(idKey) || lookalikes(idKey).some(has);
  }

  /**
   * The message without a response of its own that a response can be about. A server that takes a notification for a
   * request has no id to answer under, says that there is no such method, or has nothing to say; what it cannot read, it
   * answers with an error without an id (JSON-RPC 2.0, section 5).
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

  #answeredAll(): ReadonlySet<RequestMark> {
    if (this.#open.size > this.#count) return NONE;
    const all = new Set(this.#open);
    this.#forget();
    return all;
  }

  #forget(): void {
    this.#open.clear();
    this.#count = 0;
  }

  #past({ after }: RequestMark): void {
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

/** Returns the id of a response as it can be shown; undefined if it has none, or `null`. */
function shownId({ id }: Frame): string | undefined {
  return id === undefined || id === "null" ? undefined : visible(id, SHOWN_CHARACTERS);
}

/**
 * Returns what is wrong with a response that matches no request.
 * @param about what it is taken to be about, or what it may be about
 */
export function describeUnmatched(response: Frame, about: string | undefined): string {
  const id = shownId(response);
  const what = response.kind === "error" ? "the error" : "the response";
  const head =
    id === undefined ? `${what} has no id` : `no request with the id ${id} waits for a response`;
  return about === undefined ? head : `${head}; ${about}`;
}

/** Returns the ids of requests that wait, as many as a line holds. */
export function listIds(ids: readonly string[]): string {
  const shown = ids.slice(0, SHOWN_IDS).map((id) => visible(id, SHOWN_CHARACTERS));
  const rest = ids.length - shown.length;
  return rest > 0 ? `${shown.join(", ")} and ${rest} more` : shown.join(", ");
}
