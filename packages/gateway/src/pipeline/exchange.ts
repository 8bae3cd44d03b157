import type { RepairKind } from "@touchstone/core";
import type { Frame } from "@touchstone/protocol";
import type { Unauthorized } from "../contracts/ask.ts";
import type { ContractSource, ToolLookup } from "../contracts/source.ts";
import type { Era } from "../eras/era.ts";
import { eraOf } from "../eras/eras.ts";
import type { Caller } from "../policy/caller.ts";
import type {
  PolicySettings,
  ProtocolCheckSettings,
  ValidationSettings,
} from "../policy/settings.ts";
import { policyFor } from "../policy/tools.ts";
import type { ActivityEntry } from "../records/record.ts";
import { type LineFault, type MessageFaults, NO_FAULTS, type TransportFault } from "./faults.ts";
import type { PendingRequest, ToolCall } from "./in-flight.ts";
import type { PipelineState } from "./state.ts";
import type { Operation } from "./tap.ts";

/** What a stage decides about a message. */
export type Outcome =
  | "continue"
  /** The message ends here, and nobody gets anything instead. */
  | "drop"
  /** The message ends here; whoever waits for a response to it, or for it as a response, gets these bytes. */
  | { readonly respond: Uint8Array; readonly unauthorized?: Unauthorized | undefined };

/** One step of a message's way. All that is known of the message is in its exchange. */
export interface Stage<E> {
  readonly name: string;
  /** Waits for what the stage needs. Undefined if it is there: then the stage runs in the same turn. Never rejects. */
  wait?(exchange: E): Promise<unknown> | undefined;
  /** Decides at once: see {@link runStages}. */
  run(exchange: E): Outcome;
}

/**
 * Takes a message through stages, until one of them ends its way. From one wait to the next all stages run in one turn
 * of the event loop. That protects what is known of the requests in flight: between the check of a message and the note
 * of it no other message comes, so that a cancellation never overtakes its call, and no limit is passed unseen.
 */
export async function runStages<E>(stages: readonly Stage<E>[], exchange: E): Promise<Outcome> {
  for (const stage of stages) {
    const waiting = stage.wait?.(exchange);
    // Not even a resolved promise is awaited: other messages would run first.
    if (waiting !== undefined) await waiting;
    const outcome = stage.run(exchange);
    if (outcome !== "continue") return outcome;
  }
  return "continue";
}

/** One message, and the records that are owed of it. */
abstract class Exchange {
  readonly state: PipelineState;
  readonly entries: ActivityEntry[] = [];
  /** Whether the records are kept. */
  kept = true;

  constructor(state: PipelineState) {
    this.state = state;
  }

  /** Writes the records that are owed. */
  async write(): Promise<boolean> {
    this.kept = await this.state.append(this.entries.splice(0));
    return this.kept;
  }
}

/**
 * Takes what a transport has to send when a call that went on to the server is not answered in time.
 * @param answer the error on the call's id, for the client
 * @param cancellation `notifications/cancelled` with the client's id, for a server that takes it
 */
export type TimedOut = (answer: Uint8Array, cancellation: Uint8Array) => void;

/** How a client's message came. */
export interface FromClient {
  /** Takes what is sent when a call that went on is not answered in time; without it, it has all the time. */
  readonly timedOut?: TimedOut | undefined;
  /** What is wrong with what the transport says of it. */
  readonly transport?: TransportFault | undefined;
  /** What its sender asks to be repaired in arguments, beside what the settings say. */
  readonly repair?: readonly RepairKind[] | undefined;
}

const NAMELESS: ToolLookup = {
  contract: undefined,
  gap: { code: "unavailable", reason: "the call does not name its tool by a string" },
};

/** A client's message on its way to the server. What has to be looked up for it is looked up once, and is in here. */
export class ClientExchange extends Exchange {
  /** Another one than came if the client called a tool by the name that it sees, or has sent nulls as it was told to. */
  frame: Frame;
  /** As the client sent it. */
  readonly asSent: Frame;
  readonly came: FromClient;
  /** What a tap follows of it. */
  readonly operation: Operation | undefined;
  /** The settings that hold for it, as they were when it came. */
  settings: ValidationSettings;
  /** Who sent it, and what that caller may use; undefined if the gateway identifies nobody. */
  readonly caller: Caller | undefined;
  #source: ContractSource | undefined;
  #lookup: ToolLookup | undefined;
  /** The tool call that it is; set by the stage `session`. */
  call: ToolCall | undefined;
  /** Whether it waits for the tool list, or for a message that does. */
  held = false;
  /** It would have to wait for the tool list, and too much waits already. */
  crowdedOut = false;
  /** What the server gets: the bytes that came, or others if its arguments were repaired. */
  onward: Uint8Array;
  /** The tool's own name, if the client called it by another. */
  renamed: string | undefined;
  /** What was changed of its arguments (`adapt`). */
  adapt: string | undefined;
  /** The error for the client, if it was given up while its records were written. */
  expired: Uint8Array | undefined;
  /** Takes back what was noted of it. Returns false if its request has ended meanwhile. */
  undo: () => boolean = () => true;

  constructor(
    state: PipelineState,
    frame: Frame,
    came: FromClient = {},
    operation?: Operation | undefined,
  ) {
    super(state);
    this.frame = frame;
    this.asSent = frame;
    this.came = came;
    this.onward = frame.bytes;
    this.operation = operation;
    this.settings = state.context.settings(frame.toolName);
    this.caller = state.conversation.caller;
  }

  /** Which tools are allowed to whoever sent it; undefined if nothing is configured. */
  get policy(): PolicySettings | undefined {
    return policyFor(this.settings, this.state.conversation.caller);
  }

  /** Takes another frame for the message, with the tool's own name. */
  readAs(frame: Frame, toolName: string): void {
    this.state.batches.takes(frame, this.frame);
    this.frame = frame;
    this.onward = frame.bytes;
    this.renamed = toolName;
    this.settings = this.state.context.settings(toolName);
    this.#lookup = undefined;
  }

  /** Takes another frame for the message, with arguments as the tool's own schema has them. */
  fitted(frame: Frame, adapt: string): void {
    this.state.batches.takes(frame, this.frame);
    this.frame = frame;
    this.onward = frame.bytes;
    this.adapt = adapt;
  }

  /** The MCP revision that it is checked by. */
  get revision(): string | undefined {
    return this.frame.protocolVersion ?? this.state.conversation.revision;
  }

  /** The era that it belongs to. */
  get era(): Era {
    return eraOf(this.revision);
  }

  /** The lists of its server under its revision, which may be another one once a stage has waited. */
  get source(): ContractSource {
    this.#source ??= this.state.conversation.contracts(this.revision);
    return this.#source;
  }

  /** What is known of the tool that it calls. First asked for once the tool list was waited for. */
  get lookup(): ToolLookup {
    const { toolName } = this.frame;
    this.#lookup ??= toolName === undefined ? NAMELESS : this.source.lookup(toolName);
    return this.#lookup;
  }
}

/** How a message of the server's came. */
export interface Place {
  /** As an item of a batch. */
  readonly inBatch?: boolean;
  /** On a stream that goes on with another one, whose answers may have come before. */
  readonly resumed?: boolean;
  /** On a stream that the client can resume. */
  readonly resumable?: boolean;
  /**
   * In answer to these requests, by key: a response that names none can be about no other. Undefined if the transport
   * does not know.
   */
  readonly answers?: readonly string[] | undefined;
  /** With the status of an HTTP error, which answers the request: its error may have no id (MCP, Transports). */
  readonly refusal?: boolean;
  /** On a line with which something is wrong. */
  readonly line?: LineFault | undefined;
}

/** A server's message on its way to the client. */
export class ServerExchange extends Exchange {
  /** Another one than came if the message had no id, or is shown to the client in another way. */
  frame: Frame;
  /** As the server sent it. */
  readonly asSent: Frame;
  readonly place: Place;
  /** The request that it answers, once that is known. */
  pending: PendingRequest | undefined;
  /** Settings that it is checked by as a message. */
  protocol: ProtocolCheckSettings;
  faults: MessageFaults = NO_FAULTS;
  /** When its check began, on the tap's clock. */
  began: number | undefined;
  /** What the client gets: the bytes that came, or others instead. */
  onward: Uint8Array;
  /** It names no request, and one of its faults says which ones wait. */
  isUnmatched = false;
  /** Set if it was decided about while a stage waited. */
  early: Outcome | undefined;
  /** Errors for other requests, which messages like this one, or before it, were about. */
  beside: Promise<readonly Uint8Array[]> | undefined;
  /** Resolves once other gateways know of the task that it announces. */
  shared: Promise<void> | undefined;

  constructor(state: PipelineState, frame: Frame, place: Place = {}) {
    super(state);
    this.frame = frame;
    this.asSent = frame;
    this.place = place;
    this.onward = frame.bytes;
    this.protocol = state.context.settings().protocol;
  }

  /** Takes another frame for the message. */
  readAs(frame: Frame): void {
    this.frame = frame;
    this.onward = frame.bytes;
  }

  /** Whether it is a response, or an error instead of one. */
  get isResponse(): boolean {
    return this.frame.kind === "response" || this.frame.kind === "error";
  }

  /** Whether the client gets other bytes than came. */
  get isReplaced(): boolean {
    return this.onward !== this.frame.bytes;
  }
}
