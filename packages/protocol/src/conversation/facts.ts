import {
  isObject,
  type JsonObject,
  type JsonRange,
  locateJson,
  type MemberPlan,
} from "@touchstone/core";
import type { Frame } from "../frame.ts";
import type { Sender } from "../messages/message-table.ts";

/** What a peer has declared that it can do: the JSON object, or undefined if that was not seen. */
export type Capabilities = JsonObject | undefined;

/** What is known of a request that waits for its response. */
export interface RequestFacts {
  readonly method: string;
  /** The key of the token by which its progress is reported. */
  readonly token: string | undefined;
  /** It asked to run as a task (MCP 2025-11-25, Tasks). */
  readonly asksTask: boolean;
  /** What its client can do, if the request itself says so (2026-07-28). */
  readonly capabilities: Capabilities;
  /** It asked for log messages (2026-07-28). */
  readonly asksLogs: boolean;
  /** The task that it is about. */
  readonly taskId: string | undefined;
  /** The notifications that a `subscriptions/listen` asked for; undefined if that is not known. */
  readonly filter: JsonObject | undefined;
  /** The server has acknowledged the subscription. */
  acknowledged?: true;
  /** Its sender has cancelled it. */
  cancelled?: true;
}

/** What is known of a progress token. */
export interface TokenFacts {
  /** The progress that was reported last. */
  last: number | undefined;
  /** The request has its response, and does not go on as a task. */
  ended: boolean;
}

/** Larger capabilities are not read, and nothing is held against them. */
const MAX_CAPABILITIES = 65_536;
/** Requests and tokens that are kept; older ones are forgotten. */
const MAX_KEPT = 1_000;

/** Adds a value as the newest one; gives the oldest one if that was dropped for it. */
function keep<T>(map: Map<string, T>, key: string, value: T): T | undefined {
  map.delete(key);
  map.set(key, value);
  if (map.size <= MAX_KEPT) return undefined;
  const [oldest] = map;
  if (oldest === undefined) return undefined;
  map.delete(oldest[0]);
  return oldest[1];
}

/** Requests of one side, and the tokens in them. */
export class SideFacts {
  readonly requests: Map<string, RequestFacts> = new Map();
  readonly tokens: Map<string, TokenFacts> = new Map();
  /** The ids of requests that were answered. */
  readonly answered: Map<string, true> = new Map();
  /** A request was forgotten before its response came, so that one that is not known may be there. */
  forgotRequest = false;
  /** The id of an answered request was forgotten. */
  forgotAnswered = false;
  /** A token was forgotten before its request had its response. */
  forgotToken = false;

  /** Whether it has sent any request. */
  get asked(): boolean {
    return this.requests.size > 0 || this.answered.size > 0;
  }

  /** Whether it has sent a request with this id, which may be answered; undefined if that is not known any more. */
  sent(idKey: string): boolean | undefined {
    if (this.requests.has(idKey) || this.answered.has(idKey)) return true;
    return this.forgotRequest || this.forgotAnswered ? undefined : false;
  }

  /** Notes that a request was answered. */
  ends(idKey: string): void {
    this.requests.delete(idKey);
    if (keep(this.answered, idKey, true) !== undefined) this.forgotAnswered = true;
  }

  asks(idKey: string, request: RequestFacts): void {
    this.answered.delete(idKey);
    if (keep(this.requests, idKey, request) !== undefined) this.forgotRequest = true;
    if (request.token === undefined) return;
    const forgotten = keep(this.tokens, request.token, { last: undefined, ended: false });
    if (forgotten?.ended === false) this.forgotToken = true;
  }
}

/** What one connection has shown of itself: what rules between messages go by. Its size is bounded. */
export class Facts {
  readonly client: SideFacts = new SideFacts();
  readonly server: SideFacts = new SideFacts();
  /** The key of the id of `initialize`, once it was seen. */
  initialize: string | undefined;
  /** How far the handshake is (Base Protocol, Lifecycle); `unseen` if it was before this connection, or never. */
  handshake: "unseen" | "asked" | "answered" | "done" = "unseen";
  clientCapabilities: Capabilities;
  serverCapabilities: Capabilities;

  of(sender: Sender): SideFacts {
    return sender === "client" ? this.client : this.server;
  }

  /** The side that a message of the sender goes to. */
  beyond(sender: Sender): SideFacts {
    return sender === "client" ? this.server : this.client;
  }
}

/** Returns the object that a range of a frame holds; undefined if it is none, or large. */
export function objectAt(frame: Frame, range: JsonRange | undefined): JsonObject | undefined {
  if (range === undefined || range.end - range.start > MAX_CAPABILITIES) return undefined;
  try {
    const value: unknown = JSON.parse(frame.text(range));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Where members of `params` stand that are not located in every message. */
export function inParams<K extends string>(
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
    // Only a mode is read; of others it counts that they are there.
    const end = Math.min(range.end, range.start + 64);
    texts[name] = frame.text({ start: params.start + range.start, end: params.start + end });
  }
  return texts;
}

/** Returns the progress that a notification reports; undefined if it is none. */
export function progressOf(frame: Frame): number | undefined {
  const range = frame.range("/params/progress");
  const value = range === undefined ? Number.NaN : Number(frame.text(range));
  return Number.isFinite(value) ? value : undefined;
}

/** Returns whether capabilities have what a path of names leads to. */
export function declares(capabilities: Capabilities, ...path: readonly string[]): boolean {
  let value: unknown = capabilities;
  for (const name of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return false;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value !== undefined && value !== null && value !== false;
}
