import type { CheckLater } from "@touchstone/core/advanced";
import type { KeyLimits } from "@touchstone/protocol/advanced";
import type { ActivityLog } from "@touchstone/records/record";
import type { BoundedMap, Logger, PacedLog, Sender, TimeSlice } from "@touchstone/util";
import type { ToolContract } from "../contracts/contract.ts";
import type { ContractSource } from "../contracts/contract-source.ts";
import type { KnownToolLists } from "../contracts/known-lists.ts";
import type { HttpListRefusedError } from "../contracts/own-request.ts";
import type { Caller } from "../features/caller.ts";
import type { CallGates } from "../features/limits.ts";
import type { Pins } from "../features/pin/pins.ts";
import type { KeptBodies } from "../settings/activity.ts";
import type { ClientAnnouncement } from "./added-validation.ts";
import type { CallParts, PayloadDecision } from "./decided.ts";
import type { ElicitationForms } from "./elicitation.ts";
import type { CallSlots, HeldArguments, PendingRequest, ToolCall } from "./in-flight.ts";
import type { ListViews } from "./list-view.ts";
import type { Refusals } from "./refusals.ts";
import type { SettingsSnapshot } from "./snapshot.ts";
import type { Tap } from "./tap.ts";

/** Where a message's bytes, or their replacement, go. If both lists are empty, the message ends here. */
export interface MessageOutput {
  /** Frames for the other side. The same array if nothing changed. */
  readonly onward?: Uint8Array;
  /** Frames for the sender. */
  readonly back?: readonly Uint8Array[];
  /** Errors for other requests of the receiver, each sent as a separate message. */
  readonly beside?: readonly Uint8Array[];
  /** The contract of a call whose arguments were repaired: headers that repeat them must change, too. */
  readonly repaired?: ToolContract | undefined;
  /**
   * The tool's own name, if the client called it by another one: the header that repeats the name must change, too.
   */
  readonly renamed?: string | undefined;
  /** The HTTP status with which the server would refuse the message. */
  readonly httpRefusal?: HttpListRefusedError;
}

/** The requests of one server that other gateways know about, too. Its functions never reject. */
export interface SharedRequests {
  /** Announces requests; resolves when the other gateways know them. @param requests by the keys of their ids */
  announce(session: string, requests: ReadonlyMap<string, PendingRequest>): Promise<void>;
  /** Announces that a request was answered here. */
  answered(session: string, idKey: string): void;
  /** Returns the request that a response answers, as another gateway announced it. */
  find(session: string, idKey: string, id: string): Promise<PendingRequest | undefined>;
  /** Returns whether another gateway has written the record of a call that is abandoned here. */
  isRecorded(requestId: string): Promise<boolean>;
}

/** Calls that run as tasks and whose results were not fetched yet, by the task's id. */
export type TaskMap = Pick<BoundedMap<string, ToolCall>, "get" | "set" | "size">;

/** The tasks of one server that other gateways know about, too. Its functions never reject. */
export interface SharedTasks {
  /** Announces a task; resolves when the other gateways know it. @param owner the caller who made it */
  announce(taskId: string, call: ToolCall, owner: string | undefined): Promise<void>;
  /** Returns the call that made a task of this caller, as another gateway stored it. */
  find(taskId: string, owner: string | undefined): Promise<ToolCall | undefined>;
}

/** What all conversations with one server share. Clocks and stores are passed in. */
export interface PipelineContext {
  /** The server's name in records. */
  readonly server: string;
  /** Returns the settings in force. A message reads them once, and the same settings apply to it until its end. */
  readonly snapshot: () => SettingsSnapshot;
  /** Counts calls for the limits on calls. */
  readonly gates: CallGates;
  readonly activity: ActivityLog;
  /** What records keep of arguments and results. Default: nothing. */
  readonly bodies?: KeptBodies;
  /** Holds arguments of calls in flight, in case they fail a check. */
  readonly heldArguments: HeldArguments;
  /** How long a tool call may take, in milliseconds; absent if there is no limit. */
  readonly callTimeoutMs?: number;
  /** The time that checks may take in one turn of the event loop, usually shared by the whole thread. */
  readonly slice: TimeSlice;
  /** Makes checks that take more than a few milliseconds. Defaults to threads of the process. */
  readonly later?: ((client: string) => CheckLater) | undefined;
  /** The largest number of keys in a message to check; absent if there is no limit. */
  readonly keyLimits?: KeyLimits | undefined;
  /** Approvals of the server's declarations; absent if pins are not possible. */
  readonly pins?: Pins | undefined;
  /** Tool lists that were read before; absent if each one is read again. */
  readonly lists?: KnownToolLists | undefined;
  /** How the server introduced itself last, as `name/version`; absent if that is not kept. */
  readonly introduction?: { identity: string | undefined } | undefined;
  /** The server's tool lists as clients see them. */
  readonly views: ListViews;
  /** How many tools of a list to read. */
  readonly maxTools: number;
  /** Decides about a call of the same server by `strict`, without sending or recording it. Never rejects. */
  readonly decide: (conversation: Conversation, call: CallParts) => Promise<PayloadDecision>;
  /** Returns whether some callers may use other tools than others, so that no list may be shared. Default: none. */
  readonly callersDiffer?: (() => boolean) | undefined;
  /** Calls that were refused before; absent if they are not remembered. */
  readonly refusals?: Refusals | undefined;
  /** Limits the concurrent tool calls; absent if there is no limit. */
  readonly slots?: CallSlots;
  /** Counts messages that wait for the tool list, or for other facts. */
  readonly held: BufferedBytes;
  /** Tasks that other gateways know; absent if no gateways share the store. */
  readonly sharedTasks?: SharedTasks | undefined;
  /** Requests that other gateways know; absent if no gateways share the store. */
  readonly sharedRequests?: SharedRequests | undefined;
  /**
   * Makes the tap of a conversation, or of no conversation for messages that were refused before one began. Default:
   * none.
   */
  readonly tap?: ((conversation?: Conversation) => Tap) | undefined;
  readonly log: Logger;
  /** For log lines about single messages, of which there may be many. */
  readonly paced: PacedLog;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
  /** A new id that links the records of one request. */
  readonly newRequestId: () => string;
}

/** The two peers: what is known of a client and its session, which grows as they talk. */
export interface Conversation extends ClientAnnouncement {
  /** Returns the contracts of a revision. */
  readonly contracts: (revision: string | undefined) => ContractSource;
  /** Calls that run as tasks, if several pipelines share them. */
  readonly tasks?: TaskMap;
  /** Forms in results that asked for input, if several pipelines share them. */
  readonly elicited?: () => ElicitationForms;
  /** Whether the transport repeats arguments in headers, and so must know a tool before the call. */
  readonly repeatsArguments?: boolean;
  /**
   * Whether the gateway cannot send requests to the server in this conversation. It then uses what it knows of the
   * tools.
   */
  readonly asksNothing?: boolean;
  /**
   * Whether the pipeline sees everything that the client sends. If so, a response that matches no pending request is
   * certainly unexpected.
   */
  readonly whole?: boolean;
  /** `sha256:` and the digest of the session's id. */
  session?: string;
  /** The sender whose share of the check time is used, if shares are counted. */
  readonly sender?: Sender | undefined;
  /** A hash of the credentials that the client sent; absent if the session identifies it. */
  readonly credentials?: string;
  /** The caller as the gateway identified it; absent if it identifies no callers. */
  caller?: Caller | undefined;
  /** Whether callers are distinguished, so that a task belongs to the caller that made it. */
  readonly isBound?: boolean | undefined;
  /** `name/version` as the client introduced itself. */
  client?: string;
  /** The server has declared that it announces changes of its list of tools. */
  announcesTools?: boolean;
  /** The revision from `initialize`, or from the transport's headers. */
  revision?: string;
}

/** The same limit as for messages that wait for a server to read them. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;

/** Bytes of client messages that wait for facts about their server, over all clients. */
export class BufferedBytes {
  #bytes = 0;

  /**
   * Counts a message while it waits. Returns the wait; undefined if too many bytes wait already.
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
