import type { CheckLater } from "@touchstone/core";
import type { KeyLimits } from "@touchstone/protocol";
import type { Unauthorized } from "../contracts/ask.ts";
import type { ToolContract } from "../contracts/contract.ts";
import type { KnownLists } from "../contracts/known-lists.ts";
import type { Pins } from "../contracts/pins.ts";
import type { ContractSource } from "../contracts/source.ts";
import type { Caller } from "../policy/caller.ts";
import type { Narrowings } from "../policy/narrow.ts";
import type { CallRates } from "../policy/rate.ts";
import type { Mode, ValidationSettings } from "../policy/settings.ts";
import type { ActivityLog } from "../records/record.ts";
import type { BoundedMap } from "../util/bounded-map.ts";
import type { Logger } from "../util/log.ts";
import type { PacedLog } from "../util/paced-log.ts";
import type { Sender, TimeSlice } from "../util/time-slice.ts";
import type { AddedValidation, ToldClient } from "./added-validation.ts";
import type { CallSlots, PendingRequest, ToolCall } from "./in-flight.ts";
import type { ListViews } from "./list-view.ts";
import type { Refusals } from "./refusals.ts";
import type { Tap } from "./tap.ts";

/** Where a message's bytes go, or others instead. Both empty: the message ends here. */
export interface Passage {
  /** Goes on to the other side. The very array that came wherever nothing had to be changed. */
  readonly onward?: Uint8Array;
  /** Go back to the sender. */
  readonly back?: readonly Uint8Array[];
  /** Errors for other requests of the receiver's, each a message of its own. */
  readonly beside?: readonly Uint8Array[];
  /** The contract of a call whose arguments were repaired: headers that repeat them have to follow. */
  readonly repaired?: ToolContract | undefined;
  /** The own name of a tool that the client called by another: the header that repeats it has to follow. */
  readonly renamed?: string | undefined;
  /** Why the server would not take the message: it wants other credentials. */
  readonly unauthorized?: Unauthorized;
}

/** The requests of one server that other gateways know of as well. Nothing here rejects. */
export interface SharedRequests {
  /** Resolves when the others know of them. @param requests by the keys of their ids */
  announce(session: string, requests: ReadonlyMap<string, PendingRequest>): Promise<void>;
  /** Tells that one is answered here. */
  answered(session: string, idKey: string): void;
  /** The request that a response is to, as another gateway has announced it. */
  find(session: string, idKey: string, id: string): Promise<PendingRequest | undefined>;
  /** Whether another gateway has written the record of a call that is given up here. */
  isRecorded(requestId: string): Promise<boolean>;
}

/** The calls that run as tasks and whose results are still to be fetched, by the task's id. */
export type TaskMap = Pick<BoundedMap<string, ToolCall>, "get" | "set" | "size">;

/** The tasks of one server that other gateways know of as well. Nothing here rejects. */
export interface SharedTasks {
  /** Resolves when the others know of a task. @param owner the caller whose it is */
  announce(taskId: string, call: ToolCall, owner: string | undefined): Promise<void>;
  /** The call that made a task of this caller's, as another gateway has kept it. */
  find(taskId: string, owner: string | undefined): Promise<ToolCall | undefined>;
}

/** Parts that every conversation with one upstream shares. Clocks and stores are handed in. */
export interface PipelineContext {
  /** The server's name in records. */
  readonly server: string;
  /** The settings in force for a tool, or for messages that are about no tool. */
  readonly settings: (tool?: string) => ValidationSettings;
  /** Constraints on the arguments of single tools; absent if there are none. */
  readonly narrowings?: (() => Narrowings | undefined) | undefined;
  /** Counts the calls of the gateway's servers. */
  readonly rates: CallRates;
  /** The strictest mode in which answers are checked, be it those of a single tool. */
  readonly strictestForAnswers: () => Mode;
  /** The strictest mode in which structured results are checked, be it those of a single tool. */
  readonly strictestForOutput: () => Mode;
  readonly activity: ActivityLog;
  /** Whether records hold arguments and results. */
  readonly bodies?: boolean;
  /** How long the response to a tool call may take, in milliseconds; no limit where absent. */
  readonly callTimeoutMs?: number;
  /** The time for checks in one turn of the event loop, mostly that of the whole thread. */
  readonly slice: TimeSlice;
  /** Where checks are made that take more than a few milliseconds; on threads of the process where absent. */
  readonly later?: ((client: string) => CheckLater) | undefined;
  /** The most keys of a message that is checked; no limit where absent. */
  readonly keyLimits?: KeyLimits | undefined;
  /** What of the server is approved; absent if nothing can be pinned. */
  readonly pins?: Pins | undefined;
  /** What was read of the server's tool lists; absent if each is read again. */
  readonly lists?: KnownLists | undefined;
  /** How clients see the server's tool lists. */
  readonly views: ListViews;
  /** How many tools of a list are read. */
  readonly maxTools: number;
  /** Calls that were refused; absent if nobody remembers them. */
  readonly refusals?: Refusals | undefined;
  /** How many tool calls may be under way; no limit where absent. */
  readonly slots?: CallSlots;
  /** What waits for the tool list, or for what else has to be known first. */
  readonly held: HeldBytes;
  /** Validation on behalf of the server; undefined if its messages stay as they are. */
  readonly validation?: () => AddedValidation | undefined;
  /** Tasks that other gateways know of; absent if there are none that share the store. */
  readonly sharedTasks?: SharedTasks | undefined;
  /** Requests that other gateways know of; absent if there are none that share the store. */
  readonly sharedRequests?: SharedRequests | undefined;
  /** Makes the tap of a conversation; of no conversation for what was refused before there was one. Default none. */
  readonly tap?: ((conversation?: Conversation) => Tap) | undefined;
  readonly log: Logger;
  /** For lines about single messages, of which there may be any number. */
  readonly paced: PacedLog;
  /** Milliseconds on a clock that never goes back. */
  readonly now: () => number;
  /** A new id that links the records of one request. */
  readonly newRequestId: () => string;
}

/** Who talks: what is learnt of a client and its session as they go. */
export interface Conversation extends ToldClient {
  /** The contracts that hold under a revision. */
  readonly contracts: (revision: string | undefined) => ContractSource;
  /** Calls that run as tasks, where several pipelines share them. */
  readonly tasks?: TaskMap;
  /** The transport repeats arguments in headers, and so has to know a tool before it is called. */
  readonly repeatsArguments?: boolean;
  /** Nothing can be asked of the server in this conversation: what is known of its tools has to do. */
  readonly asksNothing?: boolean;
  /** The pipeline is shown all that the client sends, so that what answers nothing of it is unasked. */
  readonly whole?: boolean;
  /** `sha256:` and the digest of the session's id. */
  session?: string;
  /** Whose time the checks take, if that is counted. */
  readonly sender?: Sender | undefined;
  /** A hash of the credentials that the client sent; absent if it is known by its session. */
  readonly credentials?: string;
  /** Who calls, as the gateway has identified it; absent if it identifies nobody. */
  caller?: Caller | undefined;
  /** Whether callers are told apart, so that a task belongs to the caller who made it. */
  readonly isBound?: boolean | undefined;
  /** `name/version` as the client introduced itself. */
  client?: string;
  /** The server has declared that it announces changes of its list of tools. */
  announcesTools?: boolean;
  /** The revision that `initialize` agreed on, or that the transport's headers tell. */
  revision?: string;
}

/** As much as may wait for a server that does not read. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;

/** Bytes of the clients' messages that wait for what has to be known of their server first, over all clients. */
export class HeldBytes {
  #bytes = 0;

  /**
   * Counts a message as long as it waits. Gives the wait; undefined if so much waits that this one may not.
   * @param wait never rejects
   */
  take<T>(bytes: number, wait: Promise<T>): Promise<T> | undefined {
    if (this.#bytes >= MAX_HELD_BYTES) return undefined;
    this.#bytes += bytes;
    return wait.finally(() => {
      this.#bytes -= bytes;
    });
  }
}
