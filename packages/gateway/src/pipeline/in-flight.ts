import { isNumberText, type Outcome } from "@touchstone/core/advanced";
import { idKey } from "@touchstone/protocol/advanced";
import { FAILED_ARGUMENTS_READ_BYTES } from "@touchstone/records/plain";
import type { ActivityStatus } from "@touchstone/records/record";
import { RequestsById } from "@touchstone/util";
import type { ToolContract } from "../contracts/contract.ts";
import type { UnknownSchemaReason } from "../contracts/contract-source.ts";
import type { Bridging } from "../eras/bridge/bridging.ts";
import type { Decision, Direction, Mode, ValidationSettings } from "../settings/validation.ts";
import type { TapOperation } from "./tap.ts";

/** The decision about a call so far: the heaviest one. */
export interface HeaviestDecision {
  readonly decision: Decision;
  readonly outcome: Outcome;
  readonly direction?: Direction;
  readonly mode?: Mode;
  readonly reason?: string;
}

/** A `tools/call` in flight, with what is needed to check its response. */
export interface ToolCall {
  /** Undefined if the call has no name that is a string; a server may still find a tool. */
  readonly tool: string | undefined;
  /** The contract in force when the call arrived; undefined if it was unknown. */
  readonly contract: ToolContract | undefined;
  /** Why there is no contract, or why it comes from an earlier list; undefined if it is the current one. */
  readonly gap?: UnknownSchemaReason | undefined;
  readonly settings: ValidationSettings;
  readonly requestId: string;
  /** Milliseconds on the context's clock. */
  readonly startedAt: number;
  readonly bytesIn: number | undefined;
  /**
   * The received arguments, if its record may contain them: as part of the frame, or the copy of a beginning
   * ({@link HeldArguments}). Dropped once the record exists.
   */
  arguments?: Uint8Array | undefined;
  /** Whether a check found a violation in its arguments or its result, or blocked it. */
  failedCheck?: boolean;
  /** Whether the client requested a task. */
  readonly wantsTask: boolean;
  verdict: HeaviestDecision;
  /** The mode and outcome of the check of each direction, for its record; undefined if it was not checked. */
  inputCheck?: string | undefined;
  outputCheck?: string | undefined;
  protocolCheck?: string | undefined;
  /** Why a check forwarded the call with a warning; undefined if none did. */
  warned?: string | undefined;
  /** How its arguments were repaired, whatever a later stage decides. */
  repairs?: string | undefined;
  /** What `adapt` changed in its arguments and result, so that client and server understand each other. */
  adapt?: string | undefined;
  /** The bridge between client and server, if there is one. */
  readonly bridged?: Bridging | undefined;
  /** Its status in its record; undefined until it ends. */
  status?: ActivityStatus | undefined;
  /** Whether its record is written: it was canceled, timed out, or its task was announced. */
  recorded: boolean;
  /** Whether the call runs as a task whose end was reported to the client. */
  fetched?: boolean;
  /**
   * Why its result was withheld, if not because of its content: too many checks were waiting, or it was over its
   * limit.
   */
  withheld?: "rejected" | "limited" | undefined;
  /** Whether it was sent to the server. */
  sent: boolean;
  /** Whether the gateway answers it: it calls the validation tool that the gateway added. */
  own?: boolean;
  /** The error for the client, after a timeout. */
  expired?: Promise<Uint8Array>;
}

/**
 * Returns the status of a call that nothing blocked, and whose server did not fail. Another gateway may have
 * forwarded it with a warning.
 */
export function forwardedStatus({ verdict, warned }: ToolCall): "success" | "warning" {
  return warned === undefined && verdict.decision !== "warning" ? "success" : "warning";
}

/** Identifies one request while facts about it change. */
export interface RequestIdentity {
  /** Identifies the last message before it that does not expect a response, if no request was answered since then. */
  readonly after: object | undefined;
}

/** A request of the client without a response so far. */
export interface PendingRequest {
  readonly id: string;
  readonly method: string;
  /** MCP revision of the request. */
  readonly revision: string | undefined;
  /** For `tools/list`: the cursor of the requested page; absent for the first page. */
  readonly cursor?: string | undefined;
  /** For `tools/list`: `name/version` of the client at that time. */
  readonly client?: string | undefined;
  /** For `tools/call`, and for requests about the task of a call. */
  readonly call?: ToolCall | undefined;
  /** The operation that a tap reports for it. */
  readonly operation?: TapOperation | undefined;
  /** The revisions that a bridge is about to connect by this request. */
  readonly bridges?: string | undefined;
  /** How long the response may take. */
  readonly deadline?: Deadline | undefined;
  /** The batch that it arrived in; the same object for all requests of the batch. */
  readonly batch?: object | undefined;
  /** Whether the client canceled it and ignores a late response (MCP, Cancellation). */
  readonly cancelled?: true;
  /** Whether the client got an error instead of its response and accepts no other response. */
  readonly settled?: boolean;
  /** Whether a response had an id that only some clients match with it. */
  readonly loosely?: boolean;
  /** Whether it is a subscription to changes of the server's list of tools. */
  hearsOfTools?: boolean;
  /** Set to the key of its id once other gateways know it. */
  announced?: string;
  /** Identifies it among the requests that an unmatched response may be about. */
  readonly mark?: RequestIdentity;
}

/** When a request times out. */
export interface Deadline {
  readonly milliseconds: number;
  /** Called once if the request is still pending at that time; the request is removed first. */
  readonly passed: (request: PendingRequest) => void;
}

/** Most bytes of the arguments that {@link HeldArguments} holds for one server. */
const MAX_HELD_ARGUMENTS = 8 * 1024 * 1024;

/**
 * Copies of the arguments of calls in flight at one server: whether a record contains them is only decided with the
 * response. Beyond a limit, the oldest calls lose their copies.
 */
export class HeldArguments {
  readonly #calls: Set<ToolCall> = new Set();
  #bytes = 0;

  /** Copies what a record may need of a call's arguments. Holding the frame would take more memory. */
  hold(call: ToolCall, bytes: Uint8Array, start: number, end: number): void {
    call.arguments = new Uint8Array(
      bytes.subarray(start, Math.min(end, start + FAILED_ARGUMENTS_READ_BYTES)),
    );
    this.#calls.add(call);
    this.#bytes += call.arguments.length;
    for (const oldest of this.#calls) {
      if (this.#bytes <= MAX_HELD_ARGUMENTS) return;
      this.release(oldest);
      oldest.arguments = undefined;
    }
  }

  /** How many bytes are held. */
  get bytes(): number {
    return this.#bytes;
  }

  has(call: ToolCall): boolean {
    return this.#calls.has(call);
  }

  /** Stops counting a call, when its arguments go into its record or are dropped. */
  release(call: ToolCall): void {
    if (this.#calls.delete(call)) this.#bytes -= call.arguments?.length ?? 0;
  }
}

/** The concurrent tool calls at one server, over all conversations. */
export interface CallSlots {
  readonly limit: number;
  taken: number;
}

/**
 * Pending requests by id. If a client reuses an id before the response arrived, responses match the requests in their
 * order.
 */
export class Inflight {
  readonly #pending: RequestsById<PendingRequest> = new RequestsById();
  readonly #timers: Map<PendingRequest, NodeJS.Timeout> = new Map();
  readonly #slots: CallSlots | undefined;

  /** @param slots counts the tool calls among them */
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

  /** The request that has been pending longest, or one with its id. */
  get oldest(): PendingRequest | undefined {
    return this.#pending.values().next().value;
  }

  add(idKey: string, request: PendingRequest): void {
    this.#pending.add(idKey, request);
    this.#count(request, 1);
    this.#watch(idKey, request);
  }

  /** Removes and returns the oldest request with this id. */
  take(idKey: string): PendingRequest | undefined {
    const oldest = this.get(idKey);
    if (oldest) this.remove(idKey, oldest);
    return oldest;
  }

  /** Removes one request. Returns false if it is gone already. */
  remove(idKey: string, request: PendingRequest): boolean {
    if (!this.#pending.remove(idKey, request)) return false;
    this.#count(request, -1);
    if (request.deadline !== undefined) {
      clearTimeout(this.#timers.get(request));
      this.#timers.delete(request);
    }
    return true;
  }

  /** Requests in the order of their ids' age, at most a given number. */
  some(max: number): PendingRequest[] {
    const found: PendingRequest[] = [];
    for (const request of this.#pending.values()) {
      if (found.length === max) break;
      found.push(request);
    }
    return found;
  }

  /** Returns the requests for which a test returns true. */
  which(test: (request: PendingRequest) => boolean): PendingRequest[] {
    return [...this.#pending.values()].filter(test);
  }

  /** Returns the only pending request, if there is exactly one. */
  takeOnly(): PendingRequest | undefined {
    if (this.size !== 1) return undefined;
    return this.takeWhich(() => true)[0];
  }

  /** The batch of all pending requests from batches, if there is exactly one. */
  onlyBatch(): object | undefined {
    const batches = new Set([...this.#pending.values()].flatMap(({ batch }) => batch ?? []));
    const [only] = batches;
    return batches.size === 1 ? only : undefined;
  }

  /** Removes and returns the requests of one batch. */
  takeBatch(batch: object): PendingRequest[] {
    return this.takeWhich((request) => request.batch === batch);
  }

  /** Removes and returns the requests for which a test returns true. */
  takeWhich(test: (request: PendingRequest) => boolean): PendingRequest[] {
    const taken: PendingRequest[] = [];
    for (const [key, request] of [...this.#pending.entries()]) {
      if (test(request) && this.remove(key, request)) taken.push(request);
    }
    return taken;
  }

  /** Removes and returns all requests. */
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
 * Requests that the gateway has ended but that may still get a response. Of several with one id the newest is found
 * first. Beyond a limit, the requests with the oldest ids are dropped.
 */
export class LateRequests {
  readonly #requests: RequestsById<PendingRequest> = new RequestsById();
  readonly #max: number;

  /** @param max how many to keep */
  constructor(max: number) {
    this.#max = max;
  }

  add(idKey: string, request: PendingRequest): void {
    // Otherwise a client that reuses an id would lose its newest request first.
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

  /** Removes and returns the newest request with this id. */
  take(idKey: string): PendingRequest | undefined {
    const newest = this.get(idKey);
    if (newest) this.remove(idKey, newest);
    return newest;
  }

  /** Removes one. Returns false if it is gone already. */
  remove(idKey: string, request: PendingRequest): boolean {
    return this.#requests.remove(idKey, request);
  }

  /** Replaces one that is still here. */
  replace(idKey: string, request: PendingRequest, by: PendingRequest): void {
    this.#requests.replace(idKey, request, by);
  }

  /** Requests whose clients may still wait, because the response had an id that only looks like theirs. */
  get awaited(): PendingRequest[] {
    return [...this.#requests.values()].filter(({ loosely, settled }) => loosely && !settled);
  }
}

/**
 * Returns the keys of ids that some clients treat as this one. A response under such an id would reach them
 * unchecked: the official TypeScript SDKs look up `Number(response.id)`, which is 1 for `"1"`, `" 01"`, `"0x1"` and
 * `1.00000000000000000001`.
 */
export function lookalikeIds(key: string): readonly string[] {
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
