import { isNumberText, type Outcome } from "@touchstone/core";
import { idKey } from "@touchstone/protocol";
import type { ToolContract } from "../contracts/contract.ts";
import type { SchemaGap } from "../contracts/source.ts";
import type { Decision, Direction, Mode, ValidationSettings } from "../policy/settings.ts";
import { ById } from "../util/by-id.ts";
import type { Operation } from "./tap.ts";

/** What was decided about a call so far; the heaviest decision stands. */
export interface CallVerdict {
  readonly decision: Decision;
  readonly outcome: Outcome;
  readonly direction?: Direction;
  readonly mode?: Mode;
  readonly reason?: string;
}

/** A `tools/call` on its way, with all that its response is checked by. */
export interface ToolCall {
  /** Undefined if the call names none by a string; a server may find one anyway. */
  readonly tool: string | undefined;
  /** The contract that was in force when the call came; undefined when none is known. */
  readonly contract: ToolContract | undefined;
  /** Why there is no contract, or why it is that of an earlier list; undefined if it is the current one. */
  readonly gap?: SchemaGap | undefined;
  readonly settings: ValidationSettings;
  readonly requestId: string;
  /** Milliseconds on the context's clock. */
  readonly startedAt: number;
  readonly bytesIn: number | undefined;
  /** The arguments as they came, where records hold them: until there is one, since they keep the whole frame. */
  arguments?: Uint8Array | undefined;
  /** The client asked for the call to run as a task. */
  readonly wantsTask: boolean;
  verdict: CallVerdict;
  /** How its arguments were repaired, whatever a later stage decides. */
  repairs?: string | undefined;
  /** What was changed of its arguments and result so that client and server understand each other (`adapt`). */
  adapt?: string | undefined;
  /** The call's record is written: it was cancelled, timed out, or its task was announced. */
  recorded: boolean;
  /** It runs as a task, and what became of that was told to the client. */
  fetched?: boolean;
  /** Its result was withheld because too many checks waited. */
  unchecked?: boolean;
  /** The call went on to the server. */
  sent: boolean;
  /** The gateway answers it itself: it is of the validation tool that it has added. */
  own?: boolean;
  /** The error for the client, once the response has not come in time. */
  expired?: Promise<Uint8Array>;
}

/** Stands for one request, whatever else changes of what is known of it. */
export interface RequestMark {
  /** The message before it that took no response, if no request had been answered since. */
  readonly after: object | undefined;
}

/** A request of the client's that has no response yet. */
export interface PendingRequest {
  readonly id: string;
  readonly method: string;
  /** MCP revision that the request was made under. */
  readonly revision: string | undefined;
  /** For `tools/list`: the page that it asked for; absent for the list's beginning. */
  readonly cursor?: string | undefined;
  /** For `tools/list`: `name/version` of the client, as it introduced itself then. */
  readonly client?: string | undefined;
  /** For `tools/call`, and for requests about the task that a call made. */
  readonly call?: ToolCall | undefined;
  /** What a tap follows of it. */
  readonly operation?: Operation | undefined;
  /** How long the response may take. */
  readonly deadline?: Deadline | undefined;
  /** The batch that it was sent in, the same object for all of its requests. */
  readonly batch?: object | undefined;
  /** The client has cancelled it, and ignores a response that comes later (MCP, Cancellation). */
  readonly cancelled?: true;
  /** The client got an error instead of its response, and takes no other. */
  readonly settled?: boolean;
  /** It was answered under an id that only some clients take for its own. */
  readonly loosely?: boolean;
  /** The key of its id, once other gateways know of it. */
  announced?: string;
  /** Stands for it among the requests that unmatched responses can be about. */
  readonly mark?: RequestMark;
}

/** When a request is given up. */
export interface Deadline {
  readonly milliseconds: number;
  /** Called once, where the request still waits then; it is no longer pending. */
  readonly passed: (request: PendingRequest) => void;
}

/** The tool calls under way at one server, over all conversations with it. */
export interface CallSlots {
  readonly limit: number;
  taken: number;
}

/**
 * The requests that wait for a response, by id. Where a client uses an id again before its response
 * came, the responses are taken in the order of the requests.
 */
export class Inflight {
  readonly #pending: ById<PendingRequest> = new ById();
  readonly #timers: Map<PendingRequest, NodeJS.Timeout> = new Map();
  readonly #slots: CallSlots | undefined;

  /** @param slots counts the tool calls that are in here */
  constructor(slots?: CallSlots) {
    this.#slots = slots;
  }

  get size(): number {
    return this.#pending.size;
  }

  has(idKey: string): boolean {
    return this.#pending.has(idKey);
  }

  /** The oldest request with this id. */
  get(idKey: string): PendingRequest | undefined {
    return this.#pending.first(idKey);
  }

  add(idKey: string, request: PendingRequest): void {
    this.#pending.add(idKey, request);
    this.#count(request, 1);
    this.#watch(idKey, request);
  }

  /** Removes the oldest request with this id and gives it. */
  take(idKey: string): PendingRequest | undefined {
    const oldest = this.get(idKey);
    if (oldest) this.remove(idKey, oldest);
    return oldest;
  }

  /** Removes one request. False if it is no longer here. */
  remove(idKey: string, request: PendingRequest): boolean {
    if (!this.#pending.remove(idKey, request)) return false;
    this.#count(request, -1);
    if (request.deadline !== undefined) {
      clearTimeout(this.#timers.get(request));
      this.#timers.delete(request);
    }
    return true;
  }

  /** All requests, by age of the ids; no more than a number of them. */
  some(max: number): PendingRequest[] {
    const found: PendingRequest[] = [];
    for (const request of this.#pending.values()) {
      if (found.length === max) break;
      found.push(request);
    }
    return found;
  }

  /** Gives the only pending request, if there is exactly one. */
  takeOnly(): PendingRequest | undefined {
    if (this.size !== 1) return undefined;
    return this.takeWhich(() => true)[0];
  }

  /** The batch that all pending requests from batches were sent in, where it is only one. */
  onlyBatch(): object | undefined {
    const batches = new Set([...this.#pending.values()].flatMap(({ batch }) => batch ?? []));
    const [only] = batches;
    return batches.size === 1 ? only : undefined;
  }

  /** Removes and gives the requests of one batch. */
  takeBatch(batch: object): PendingRequest[] {
    return this.takeWhich((request) => request.batch === batch);
  }

  /** Removes and gives the requests for which a test holds. */
  takeWhich(test: (request: PendingRequest) => boolean): PendingRequest[] {
    const taken: PendingRequest[] = [];
    for (const [key, request] of [...this.#pending.entries()]) {
      if (test(request) && this.remove(key, request)) taken.push(request);
    }
    return taken;
  }

  /** Removes and gives them all. */
  takeAll(): PendingRequest[] {
    return this.takeWhich(() => true);
  }

  #count({ method }: PendingRequest, by: 1 | -1): void {
    if (this.#slots !== undefined && method === "tools/call") this.#slots.taken += by;
  }

  #watch(idKey: string, request: PendingRequest): void {
    const { deadline } = request;
    if (deadline === undefined) return;
    const timer = setTimeout(() => {
      if (this.remove(idKey, request)) deadline.passed(request);
    }, deadline.milliseconds);
    timer.unref();
    this.#timers.set(request, timer);
  }
}

/**
 * Requests that are over for the gateway, and may be answered anyway. Of several with one id the
 * newest one is found first. Beyond a number of requests those of the oldest ids are forgotten.
 */
export class LateRequests {
  readonly #requests: ById<PendingRequest> = new ById();
  readonly #max: number;

  /** @param max how many are kept */
  constructor(max: number) {
    this.#max = max;
  }

  add(idKey: string, request: PendingRequest): void {
    // A client that uses an id again would else see its newest request forgotten first.
    this.#requests.renew(idKey, request);
    if (this.#requests.size <= this.#max) return;
    for (const [oldest, request] of this.#requests.entries()) {
      this.remove(oldest, request);
      return;
    }
  }

  /** The newest one with this id. */
  get(idKey: string): PendingRequest | undefined {
    return this.#requests.last(idKey);
  }

  /** Removes the newest one with this id and gives it. */
  take(idKey: string): PendingRequest | undefined {
    const newest = this.get(idKey);
    if (newest) this.remove(idKey, newest);
    return newest;
  }

  /** Removes one. False if it is no longer here. */
  remove(idKey: string, request: PendingRequest): boolean {
    return this.#requests.remove(idKey, request);
  }

  /** Puts another instead of one that is still here. */
  replace(idKey: string, request: PendingRequest, by: PendingRequest): void {
    this.#requests.replace(idKey, request, by);
  }

  /** Those whose clients may still wait, since what answered them came under an id that only looks like theirs. */
  get awaited(): PendingRequest[] {
    return [...this.#requests.values()].filter(({ loosely, settled }) => loosely && !settled);
  }
}

/**
 * Returns the keys of the ids that some clients take for this one. A response under it would reach them
 * unchecked: the official SDKs for TypeScript look up `Number(response.id)`, for which `"1"`, `" 01"`,
 * `"0x1"` and `1.00000000000000000001` are all 1.
 */
export function lookalikes(key: string): readonly string[] {
  const text = key.startsWith("n") ? key.slice(1).replace(/e0$/, "") : key.slice(1);
  const number = key.startsWith("x") ? Number.NaN : Number(text);
  if (!Number.isFinite(number)) return [];
  const keys = new Set<string>();
  for (const like of [String(number), text]) {
    if (isNumberText(like)) keys.add(idKey(like));
    keys.add(`s${like}`);
  }
  keys.delete(key);
  return [...keys];
}
