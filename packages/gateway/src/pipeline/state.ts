import { setImmediate as turn } from "node:timers/promises";
import { type CheckLater, messageOf } from "@touchstone/core/advanced";
import {
  ConversationRules,
  type Frame,
  type MessageContext,
  type Revision,
} from "@touchstone/protocol/advanced";
import { MAX_RECORDS_OF_TURN } from "@touchstone/records/plain";
import type { ActivityEntry } from "@touchstone/records/record";
import { BoundedMap } from "@touchstone/util";
import type { ContractSource } from "../contracts/contract-source.ts";
import type { SendOwnRequest } from "../contracts/own-request.ts";
import { BatchFaults } from "./batch.ts";
import { checkThreads } from "./check-threads.ts";
import type { Conversation, PipelineContext, TaskMap } from "./context.ts";
import {
  createElicitationForms,
  createFormMap,
  type ElicitationForms,
  type RequestedForm,
} from "./elicitation.ts";
import { ConversationRecords } from "./evidence.ts";
import type { MessageFaults } from "./faults.ts";
import { Inflight, LateRequests, type PendingRequest } from "./in-flight.ts";
import type { Tap } from "./tap.ts";
import { createTaskMap, TasksExtension } from "./tasks.ts";
import { UnmatchedResponses } from "./unmatched.ts";

const MAX_LATE = 1_000;
const MAX_ANSWERED = 1_000;
/** How many of the server's pending requests to remember; older ones are dropped. */
const MAX_ASKED = 1_000;
/** How many unusable schemas to remember, so that each is logged once. */
const MAX_DIAGNOSED = 10_000;

interface StateOptions {
  readonly diagnosed?: BoundedMap<string, true> | undefined;
  readonly tap?: Tap;
}

/** What the two halves of a pipeline share. */
export class PipelineState {
  readonly context: PipelineContext;
  readonly conversation: Conversation;
  /** Sends the gateway's own requests to the same server. */
  readonly ask: SendOwnRequest;
  /** The facts about responses that match no request. */
  readonly unmatched: UnmatchedResponses;
  readonly evidence: ConversationRecords;
  readonly inflight: Inflight;
  /** Receives the events of the conversation. */
  readonly tap: Tap;
  /** Canceled requests: if a response still arrives, it is checked like any other. */
  readonly late: LateRequests = new LateRequests(MAX_LATE);
  /** Requests that were answered on a resumable stream, so that the response may come again. */
  readonly answered: BoundedMap<string, PendingRequest> = new BoundedMap(MAX_ANSWERED);
  readonly tasks: TaskMap;
  readonly tasksExtension: TasksExtension = new TasksExtension();
  readonly batches: BatchFaults = new BatchFaults();
  /** The rules about which messages may follow others. */
  readonly rules: ConversationRules = new ConversationRules();
  /** The methods of the server's own requests, by id, to check the client's responses. */
  readonly asked: BoundedMap<string, string> = new BoundedMap(MAX_ASKED);
  #forms: BoundedMap<string, RequestedForm> | undefined;
  #elicited: ElicitationForms | undefined;
  /** How many of the client's messages wait for the tool list. */
  waiting = 0;
  /** The client's requests that wait for the tool list, by id. */
  readonly held: Map<string, Promise<unknown>> = new Map();
  /**
   * Why the server refused the revision of the last handshake, and what to do about it; undefined if it did not, or if
   * messages are not checked.
   */
  refusal: string | undefined;
  /** Why the conversation is over, once it is. */
  ended: string | undefined;
  readonly #revisions: Set<string | undefined> = new Set();
  #served: string | undefined;
  #lists: { readonly revision: string | undefined; readonly source: ContractSource } | undefined;
  /** Schemas that were logged as unusable. */
  readonly diagnosed: BoundedMap<string, true>;

  /** Makes checks that take more than a few milliseconds. */
  readonly later: CheckLater = (job) => {
    const { later, log, server } = this.context;
    const client = this.conversation.session ?? server;
    return (later ?? ((name) => checkThreads(name, log)))(client)(job);
  };

  /** @param ask sends the gateway's own requests to the same server */
  constructor(
    context: PipelineContext,
    conversation: Conversation,
    ask: SendOwnRequest,
    { diagnosed = new BoundedMap(MAX_DIAGNOSED), tap = {} }: StateOptions = {},
  ) {
    this.context = context;
    this.conversation = conversation;
    this.unmatched = new UnmatchedResponses(ask);
    this.ask = this.unmatched.ask;
    this.inflight = new Inflight(context.slots);
    this.evidence = new ConversationRecords(context, conversation);
    this.tap = tap;
    this.tasks = conversation.tasks ?? createTaskMap();
    this.diagnosed = diagnosed;
  }

  /** The forms of the server's own elicitations, by the ids of the requests. */
  get forms(): BoundedMap<string, RequestedForm> {
    this.#forms ??= createFormMap();
    return this.#forms;
  }

  /** The forms in results that asked for input. */
  get elicited(): ElicitationForms {
    this.#elicited ??= this.conversation.elicited?.() ?? createElicitationForms();
    return this.#elicited;
  }

  /**
   * Returns the lists of a revision. Most messages have the same revision as the message before, so that lookup is
   * cached.
   */
  contracts(revision: string | undefined): ContractSource {
    if (this.#lists === undefined || this.#lists.revision !== revision) {
      this.#lists = { revision, source: this.conversation.contracts(revision) };
    }
    return this.#lists.source;
  }

  /** The revision of messages that belong to no request: the session's, or the only one that was used. */
  get revision(): string | undefined {
    const [only, ...others] = this.#revisions;
    return this.conversation.revision ?? (others.length === 0 ? only : undefined);
  }

  /**
   * Returns the facts that rules between messages need about a message.
   * @param answers the key of the id of the request that it answers, if known
   */
  said(
    sender: MessageContext["sender"],
    revision: MessageContext["revision"],
    answers?: string,
  ): MessageContext {
    // If gateways share a store, each sees only a part of a session.
    const whole = this.conversation.whole === true && this.context.sharedRequests === undefined;
    return { sender, revision, answers, whole };
  }

  /** Returns the faults of a message, including those of its place: in a batch, and after other messages. */
  inPlace(frame: Frame, faults: MessageFaults, said: MessageContext): MessageFaults {
    const own = this.batches.isUsed ? this.batches.withOwn(frame, faults) : faults;
    const { errors, advice } = this.rules.judge(frame, said);
    if (errors.length === 0 && advice.length === 0) return own;
    return { ...own, errors: [...own.errors, ...errors], items: [...own.items, ...advice] };
  }

  /** The revision to check a client message by: the one that it names, or the one that the connection has. */
  revisionFor(frame: Frame): string | undefined {
    const { method, kind, protocolVersion } = frame;
    const asked = method === "initialize" ? frame.initializeVersion : undefined;
    const named = protocolVersion ?? this.conversation.revision ?? asked;
    // Notifications need no `_meta`, and a handshake starts the legacy era.
    return named ?? (kind === "request" && method !== "initialize" ? this.#served : undefined);
  }

  /**
   * Notes that the server has served a request by a revision without a handshake. From then on, a request that names
   * no revision belongs to that revision: earlier revisions need `initialize` first (MCP 2026-07-28, Versioning,
   * Backward Compatibility). Over HTTP, a header names the revision instead.
   */
  served(revision: string | undefined): void {
    if (this.conversation.whole === true) this.#served = revision;
  }

  /** Notes a revision that the client uses. */
  spoken({ version }: Revision): void {
    this.#revisions.add(version);
  }

  /**
   * Notes that the server has introduced itself, or that the client is ready.
   * @param offersTools whether it has the `tools` capability; undefined if unknown
   */
  introduced(revision: string | undefined, offersTools?: boolean): void {
    this.conversation.contracts(revision).introduced(offersTools);
  }

  /** Notes that the server's tools have changed since its list. */
  toolsChanged(): void {
    const { contracts, revision } = this.conversation;
    for (const spoken of new Set([revision, ...this.#revisions])) contracts(spoken).changed();
  }

  /**
   * Writes records, a large number of them in several turns of the event loop. Resolves to false if they could not be
   * kept; the log says why.
   */
  async append(entries: readonly ActivityEntry[]): Promise<boolean> {
    if (entries.length === 0) return true;
    const { activity } = this.context;
    const began = this.tap.now?.();
    try {
      for (let at = 0; at < entries.length; at += MAX_RECORDS_OF_TURN) {
        if (at > 0) await turn();
        const isAll = entries.length <= MAX_RECORDS_OF_TURN;
        await activity.append(isAll ? entries : entries.slice(at, at + MAX_RECORDS_OF_TURN));
      }
      return true;
    } catch (error) {
      return this.#lost(error);
    } finally {
      this.tap.appended?.(began);
    }
  }

  #lost(error: unknown): false {
    const reason = messageOf(error);
    const { paced, server } = this.context;
    const what = "activity could not be recorded";
    paced.error(`${server}: ${what}`, what, { server, reason });
    return false;
  }
}
