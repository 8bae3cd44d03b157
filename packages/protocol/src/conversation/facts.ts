import {
  isObject,
  type JsonObject,
  type JsonRange,
  locateJson,
  type MemberPlan,
} from "@touchstone/core/advanced";
import type { Frame } from "../frame.ts";
import type { Sender } from "../messages/message-table.ts";

/** The capabilities that a peer has declared: the JSON object, or undefined if it was not seen. */
export type Capabilities = JsonObject | undefined;

/** What is known about a request that waits for its response. */
export interface RequestFacts {
  readonly method: string;
  /** The key of the token by which its progress is reported. */
  readonly token: string | undefined;
  /** Whether the request asked to run as a task (MCP 2025-11-25, Tasks). */
  readonly asksTask: boolean;
  /** The capabilities of its client, if the request itself declares them (2026-07-28). */
  readonly capabilities: Capabilities;
  /** Whether the request asked for log messages (2026-07-28). */
  readonly asksLogs: boolean;
  /** The task that it refers to. */
  readonly taskId: string | undefined;
  /** The notifications that a `subscriptions/listen` asked for; undefined if unknown. */
  readonly filter: JsonObject | undefined;
  /** Whether the server has acknowledged the subscription. */
  acknowledged?: true;
  /** Whether the request's sender has canceled it. */
  cancelled?: true;
}

/** What is known about a progress token. */
export interface TokenFacts {
  /** The last progress reported. */
  last: number | undefined;
  /** Whether the request has its response and does not continue as a task. */
  ended: boolean;
}

/** Larger capabilities are not read, and then no breach of them is reported. */
const MAX_CAPABILITIES = 65_536;
/** How many requests and tokens are kept; older ones are forgotten. */
const MAX_KEPT = 1_000;

/**
 * The newest values. Uses one iterator for all values that are dropped: each new iterator would first skip the entries
 * that were deleted before.
 */
class Newest<T> extends Map<string, T> {
  #oldest: IterableIterator<[string, T]> | undefined;

  /** Adds a value as the newest one. Returns the oldest one if it was dropped to make room. */
  keep(key: string, value: T): T | undefined {
    const before = this.size;
    this.set(key, value);
    if (this.size === before) {
      // `set` leaves an existing key at its old place in the order, so it is added again.
      this.delete(key);
      this.set(key, value);
    }
    if (this.size <= MAX_KEPT) return undefined;
    this.#oldest ??= this.entries();
    const [oldest, dropped] = this.#oldest.next().value as [string, T];
    this.delete(oldest);
    return dropped;
  }
}

/** The requests of one side, and the tokens in them. */
export class SideFacts {
  readonly requests: Newest<RequestFacts> = new Newest();
  readonly tokens: Newest<TokenFacts> = new Newest();
  /** The ids of requests that have their response. */
  readonly answered: Newest<true> = new Newest();
  /** Whether a request was forgotten before its response came, so that an unknown request may still be open. */
  forgotRequest = false;
  /** Whether the id of a request was forgotten after its response. */
  forgotAnswered = false;
  /** Whether a token was forgotten before its request got a response. */
  forgotToken = false;

  /** Whether this side has sent any request. */
  get asked(): boolean {
    return this.requests.size > 0 || this.answered.size > 0;
  }

  /**
   * Whether this side has sent a request with this id, even if its response has come; undefined if that is no longer
   * known.
   */
  sent(idKey: string): boolean | undefined {
    if (this.requests.has(idKey) || this.answered.has(idKey)) return true;
    return this.forgotRequest || this.forgotAnswered ? undefined : false;
  }

  /** Records that a request got its response. */
  ends(idKey: string): void {
    this.requests.delete(idKey);
    if (this.answered.keep(idKey, true) !== undefined) this.forgotAnswered = true;
  }

  asks(idKey: string, request: RequestFacts): void {
    this.answered.delete(idKey);
    if (this.requests.keep(idKey, request) !== undefined) this.forgotRequest = true;
    if (request.token === undefined) return;
    const forgotten = this.tokens.keep(request.token, { last: undefined, ended: false });
    if (forgotten?.ended === false) this.forgotToken = true;
  }
}

/** What is known so far about one connection: the basis for the rules between messages. Its size is bounded. */
export class ConversationFacts {
  readonly client: SideFacts = new SideFacts();
  readonly server: SideFacts = new SideFacts();
  /** The key of the id of `initialize`, once seen. */
  initialize: string | undefined;
  /**
   * How far the handshake has got (Base Protocol, Lifecycle); `unseen` if it took place before this connection, or
   * never.
   */
  handshake: "unseen" | "asked" | "answered" | "done" = "unseen";
  clientCapabilities: Capabilities;
  serverCapabilities: Capabilities;

  of(sender: Sender): SideFacts {
    return sender === "client" ? this.client : this.server;
  }

  /** Returns the side that receives the sender's messages. */
  beyond(sender: Sender): SideFacts {
    return sender === "client" ? this.server : this.client;
  }
}

/** Returns the object in a range of a frame; undefined if it is not an object, or too large. */
export function objectInFrame(frame: Frame, range: JsonRange | undefined): JsonObject | undefined {
  if (range === undefined || range.end - range.start > MAX_CAPABILITIES) return undefined;
  try {
    const value: unknown = JSON.parse(frame.text(range));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the source text of members of `params` that are not located in every message. */
export function paramMembers<K extends string>(
  frame: Frame,
  members: readonly K[],
): Readonly<Partial<Record<K, string>>> {
  const params = frame.range("/params");
  if (params === undefined) return {} as Readonly<Partial<Record<K, string>>>;
  const plan: MemberPlan = Object.fromEntries(members.map((name) => [name, true as const]));
  const found = locateJson(frame.bytes.subarray(params.start, params.end), { members: plan });
  const texts: Partial<Record<K, string>> = {};
  for (const name of members) {
    const range = found.members.get(`/${name}`);
    if (range === undefined) continue;
    // A few bytes suffice: of the values, only that of `mode` is used. The other members only need to be present.
    const end = Math.min(range.end, range.start + 64);
    texts[name] = frame.text({ start: params.start + range.start, end: params.start + end });
  }
  return texts;
}

/** How many characters of a number are read. */
const MAX_NUMBER = 1_024;

/** Returns the progress that a notification reports; undefined if it is not a number, or a very long one. */
export function progressOf(frame: Frame): number | undefined {
  const range = frame.range("/params/progress");
  const isShort = range !== undefined && range.end - range.start <= MAX_NUMBER;
  const value = isShort ? Number(frame.text(range)) : Number.NaN;
  return Number.isFinite(value) ? value : undefined;
}

/** Returns whether capabilities contain what a path of names leads to. */
export function declaresCapability(
  capabilities: Capabilities,
  ...path: readonly string[]
): boolean {
  let value: unknown = capabilities;
  for (const name of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return false;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value !== undefined && value !== null && value !== false;
}
