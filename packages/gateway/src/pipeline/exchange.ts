import type { RepairKind } from "@touchstone/core/advanced";
import { type Frame, type Revision, revisionOf } from "@touchstone/protocol/advanced";
import type { ActivityEntry } from "@touchstone/records/record";
import type { ContractSource, ToolLookup } from "../contracts/contract-source.ts";
import type { HttpListRefusedError } from "../contracts/own-request.ts";
import type { Bridging } from "../eras/bridge/bridging.ts";
import type { Era } from "../eras/era.ts";
import { eraOf } from "../eras/eras.ts";
import type { TransportFault } from "../features/call-step.ts";
import type { Caller } from "../features/caller.ts";
import type { PolicySettings } from "../features/policy/policy.ts";
import { policyFor } from "../features/tool-lists/decide.ts";
import type { ProtocolCheckSettings, ValidationSettings } from "../settings/validation.ts";
import { type LineFault, type MessageFaults, NO_FAULTS } from "./faults.ts";
import type { PendingRequest, ToolCall } from "./in-flight.ts";
import { type SettingsSnapshot, snapshotOf } from "./snapshot.ts";
import type { PipelineState } from "./state.ts";
import type { TapOperation } from "./tap.ts";

/** Returns a lookup whose gap also mentions that the server refused the revision of the handshake, if it did. */
function withRefusal(lookup: ToolLookup, { refusal }: PipelineState): ToolLookup {
  const { contract, gap } = lookup;
  if (refusal === undefined || gap?.code !== "unavailable" || gap.reason.includes(refusal)) {
    return lookup;
  }
  return { contract, gap: { ...gap, reason: `${gap.reason}; ${refusal}` } };
}

/** What a stage decides about a message. */
export type StageOutcome =
  | "continue"
  /** The message ends here, without a replacement. */
  | "drop"
  /**
   * The message ends here. These bytes go to the sender if it waits for a response, or to the receiver if the message
   * is the response that it waits for.
   */
  | {
      readonly respond: Uint8Array;
      readonly httpRefusal?: HttpListRefusedError | undefined;
      readonly refusal?: RefusalCause | undefined;
    };

/** Why a call is not sent, if the reason is not its tool's schema. */
export interface RefusalCause {
  /** Policy (or `pin`) forbids it, or it is over a limit. */
  readonly by: "policy" | "limit";
  /** Seconds until a call over a limit may be sent again. */
  readonly retryAfter?: number | undefined;
}

export const POLICY_REFUSAL: RefusalCause = { by: "policy" };
/** The gateway or the server is busy, and for how long is unknown. */
export const BUSY_REFUSAL: RefusalCause = { by: "limit", retryAfter: 1 };

/**
 * One stage of the pipeline that a message runs through. The exchange holds everything that is known of the message.
 */
export interface Stage<E> {
  readonly name: string;
  /**
   * Returns whether its feature is on. Without this function, the stage is always in the pipeline.
   * @param hasOwnRules whether the caller has a policy or limits of its own
   */
  isOn?(snapshot: SettingsSnapshot, hasOwnRules: boolean): boolean;
  /** Whether the stage ignores responses to tool calls. */
  readonly skipsCalls?: true;
  /**
   * Waits for what the stage needs. Returns undefined if nothing is missing; the stage then runs in the same turn.
   * Never rejects.
   */
  wait?(exchange: E): Promise<unknown> | undefined;
  /** Decides without waiting: see {@link runStages}. */
  run(exchange: E): StageOutcome;
}

/**
 * Runs a message through stages until one of them ends it. Between two waits, all stages run in one turn of the event
 * loop. This protects the state of the requests in flight: no other message can be handled between the check of a
 * message and its entry in that state, so a cancellation never overtakes its call, and every limit applies.
 */
export async function runStages<E extends { readonly answersCall: boolean }>(
  stages: readonly Stage<E>[],
  exchange: E,
): Promise<StageOutcome> {
  for (const stage of stages) {
    if (stage.skipsCalls === true && exchange.answersCall) continue;
    const waiting = stage.wait?.(exchange);
    // Do not await a resolved promise: other messages would run first.
    if (waiting !== undefined) await waiting;
    const outcome = stage.run(exchange);
    if (outcome !== "continue") return outcome;
  }
  return "continue";
}

/** One message and the records to write for it. */
abstract class Exchange {
  readonly state: PipelineState;
  readonly entries: ActivityEntry[] = [];
  /** Whether records are kept. */
  kept = true;

  constructor(state: PipelineState) {
    this.state = state;
  }

  /** Writes the records. */
  async write(): Promise<boolean> {
    this.kept = await this.state.append(this.entries.splice(0));
    return this.kept;
  }
}

/**
 * Receives what a transport must send if a forwarded call gets no response in time.
 * @param answer the error on the call's id, for the client
 * @param cancellation `notifications/cancelled` with the client's id, for a server that accepts it
 */
export type OnCallTimeout = (answer: Uint8Array, cancellation: Uint8Array) => void;

/** How a client message arrived. */
export interface FromClient {
  /** Receives what to send if a forwarded call gets no response in time. Without it, calls have no timeout. */
  readonly timedOut?: OnCallTimeout | undefined;
  /** What is wrong with the transport's part of the message, such as its headers. */
  readonly transport?: TransportFault | undefined;
  /** The kinds of repair that the sender requests, in addition to those in the settings. */
  readonly repair?: readonly RepairKind[] | undefined;
  /** Whether a call was counted for rate limits before. */
  readonly isCounted?: boolean | undefined;
  /** The bridge that has written its envelope. Of `initialize`: the one that begins if the server refuses it. */
  readonly bridged?: Bridging | undefined;
  /** Called if the message is a call that is refused, before its records are written. */
  readonly onRefusal?: ((refusal: RefusalCause) => void) | undefined;
}

const NAMELESS: ToolLookup = {
  contract: undefined,
  gap: { code: "unavailable", reason: "the call does not name its tool by a string" },
};

/** A client message on its way to the server. Its facts are read once, when it arrives. */
export class ClientExchange extends Exchange {
  /**
   * Differs from the received one if the client called a tool by its short name, or sent nulls that the listed schema
   * required.
   */
  frame: Frame;
  /** As the client sent it. */
  readonly asSent: Frame;
  readonly came: FromClient;
  /** The operation that a tap reports for the message. */
  readonly operation: TapOperation | undefined;
  /** The settings that apply to the message to its end. */
  readonly snapshot: SettingsSnapshot;
  /** Those for the called tool, or for messages that are not about a tool. */
  settings: ValidationSettings;
  /** The sender, and what it may use; undefined if the gateway identifies no callers. */
  readonly caller: Caller | undefined;
  /** Which tools the sender may use; undefined if no policy is configured. */
  policy: PolicySettings | undefined;
  /** The message's method. */
  readonly method: string | undefined;
  /** The called tool, by the server's own name once that is known; undefined if the message is not a call. */
  toolName: string | undefined;
  /** The MCP revision that the message itself names. */
  readonly named: string | undefined;
  /** The MCP revision to check the message by. */
  readonly revision: string | undefined;
  /** What is known of that revision; undefined if it does not exist. */
  readonly rules: Revision | undefined;
  readonly era: Era;
  #source: ContractSource | undefined;
  #lookup: ToolLookup | undefined;
  /** The tool call in the message; set by the stage `session`. */
  call: ToolCall | undefined;
  /** Whether it waits for the tool list, or for another message that does. */
  held = false;
  /** Set if it would have to wait for the tool list, but too many bytes wait already. */
  crowdedOut = false;
  /** The bytes for the server: those received, or others if the arguments were repaired. */
  onward: Uint8Array;
  /** The tool's own name, if the client used another. */
  renamed: string | undefined;
  /** What `adapt` changed in its arguments. */
  adapt: string | undefined;
  /** The error for the client, if the call timed out while its records were written. */
  expired: Uint8Array | undefined;
  /** Removes the note of the request. Returns false if the request has ended meanwhile. */
  undo: () => boolean = () => true;

  constructor(
    state: PipelineState,
    frame: Frame,
    came: FromClient = {},
    operation?: TapOperation | undefined,
  ) {
    super(state);
    this.frame = frame;
    this.asSent = frame;
    this.came = came;
    this.onward = frame.bytes;
    this.operation = operation;
    const { context, conversation } = state;
    const { method, toolName, protocolVersion } = frame;
    this.snapshot = snapshotOf(frame, context.snapshot);
    this.settings = this.snapshot.of(toolName);
    this.caller = conversation.caller;
    this.policy = this.#policyOf(this.settings);
    this.method = method;
    this.toolName = toolName;
    this.named = protocolVersion;
    this.revision = state.revisionFor(frame);
    this.rules = this.revision === undefined ? undefined : revisionOf(this.revision);
    this.era = eraOf(this.rules);
  }

  #policyOf(settings: ValidationSettings): PolicySettings | undefined {
    const { caller } = this;
    return caller?.policy === undefined ? settings.policy : policyFor(settings, caller);
  }

  /** Replaces the frame by one with the tool's own name. */
  readAs(frame: Frame, toolName: string): void {
    this.state.batches.takes(frame, this.frame);
    this.frame = frame;
    this.onward = frame.bytes;
    this.renamed = toolName;
    this.toolName = toolName;
    this.settings = this.snapshot.of(toolName);
    this.policy = this.#policyOf(this.settings);
    this.#lookup = undefined;
  }

  /** Replaces the frame by one with the arguments that the tool's own schema expects. */
  fitted(frame: Frame, adapt: string): void {
    this.state.batches.takes(frame, this.frame);
    this.frame = frame;
    this.onward = frame.bytes;
    this.adapt = adapt;
  }

  /** A client message never answers a tool call. */
  get answersCall(): boolean {
    return false;
  }

  /** The lists of its server in its revision, which may change while a stage waits. */
  get source(): ContractSource {
    this.#source ??= this.state.contracts(this.revision);
    return this.#source;
  }

  /** What is known of the called tool. Looked up after the wait for the tool list. */
  get lookup(): ToolLookup {
    const { toolName } = this;
    this.#lookup ??=
      toolName === undefined ? NAMELESS : withRefusal(this.source.lookup(toolName), this.state);
    return this.#lookup;
  }
}

/** How a server message arrived. */
export interface FromServer {
  /** The message is an item of a batch. */
  readonly inBatch?: boolean;
  /** The message is on a stream that continues another one, which may already have carried the responses. */
  readonly resumed?: boolean;
  /** The message is on a stream that the client can resume. */
  readonly resumable?: boolean;
  /**
   * The requests, by key, that the message may answer: a response without an id can only be about these. Undefined if
   * the transport does not know.
   */
  readonly answers?: readonly string[] | undefined;
  /**
   * The message came with an HTTP error status, which answers the request: its error may lack an id (MCP,
   * Transports).
   */
  readonly refusal?: boolean;
  /** The message is on a malformed line. */
  readonly line?: LineFault | undefined;
}

/** A server message on its way to the client. */
export class ServerExchange extends Exchange {
  /** Differs from the received one if the message had no id, or is changed for the client. */
  frame: Frame;
  /** As the server sent it. */
  readonly asSent: Frame;
  readonly place: FromServer;
  /** The settings that apply to the message, except that a call's own apply to its result. */
  readonly snapshot: SettingsSnapshot;
  #pending: PendingRequest | undefined;
  #rules: Revision | undefined | null = null;
  /** The settings to check the message by. */
  protocol: ProtocolCheckSettings;
  faults: MessageFaults = NO_FAULTS;
  /** When its check began, on the tap's clock. */
  began: number | undefined;
  /** The bytes for the client: those received, or others. */
  onward: Uint8Array;
  /** Set if it names no pending request, and its fault lists the pending ones. */
  isUnmatched = false;
  /** Set if a decision was made while a stage waited. */
  early: StageOutcome | undefined;
  /** Errors for other requests that this message, or similar ones before it, were about. */
  beside: Promise<readonly Uint8Array[]> | undefined;
  /** Resolves once other gateways know of the task that it announces. */
  shared: Promise<void> | undefined;

  constructor(state: PipelineState, frame: Frame, place: FromServer = {}) {
    super(state);
    this.frame = frame;
    this.asSent = frame;
    this.place = place;
    this.onward = frame.bytes;
    this.snapshot = snapshotOf(frame, state.context.snapshot);
    this.protocol = this.snapshot.server.protocol;
  }

  /** The request that it answers, once known. */
  get pending(): PendingRequest | undefined {
    return this.#pending;
  }

  set pending(pending: PendingRequest | undefined) {
    this.#pending = pending;
    this.#rules = null;
  }

  /** The MCP revision to check the message by: that of the request which it answers. */
  get revision(): string | undefined {
    return this.#pending?.revision ?? this.state.revision;
  }

  /** What is known of that revision; undefined if it does not exist. */
  get rules(): Revision | undefined {
    if (this.#rules === null) {
      const { revision } = this;
      this.#rules = revision === undefined ? undefined : revisionOf(revision);
    }
    return this.#rules;
  }

  get era(): Era {
    return eraOf(this.rules);
  }

  /** Replaces the frame of the message. */
  readAs(frame: Frame): void {
    this.frame = frame;
    this.onward = frame.bytes;
  }

  /** Whether it answers a tool call, or a request about the task of one. */
  get answersCall(): boolean {
    return this.#pending?.call !== undefined;
  }

  /** Whether it is a response, or an error that replaces one. */
  get isResponse(): boolean {
    return this.frame.kind === "response" || this.frame.kind === "error";
  }

  /** Whether the client gets other bytes than were received. */
  get isReplaced(): boolean {
    return this.onward !== this.frame.bytes;
  }
}
