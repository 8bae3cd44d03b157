import type { GuardTrip, Outcome, Rule } from "@touchstone/core";
import type { Frame } from "@touchstone/protocol";
import type { AlertEvent } from "../config/config-file.ts";
import type { Decision, Direction, Mode } from "../policy/settings.ts";

/**
 * Takes facts from the road that messages go. Nothing in here changes a message, waits, or throws;
 * where no telemetry is configured there is no such object, and the road asks one `undefined`.
 */
export interface Telemetry {
  /** What is told of one server. */
  server(place: ServerPlace): ServerTelemetry;
  /** A schema was read and built, in milliseconds; not what came from the cache. */
  compiled(milliseconds: number): void;
  /** An alert was sent, or was not. */
  alerted(when: AlertEvent, outcome: AlertOutcome): void;
  /** Where the number of compiled schemas is to be had. */
  watchCache(cache: { readonly size: number }): void;
  /** Answers `GET /metrics`; absent where that is not configured. */
  readonly metrics?: (request: Request) => Promise<Response>;
  /** Sends what has been gathered: two seconds at most, after eight at most to load. Never rejects. */
  close(): Promise<void>;
}

/** What became of an alert. `suppressed`: within its `min_interval`. `dropped`: too many waited. */
export type AlertOutcome = "sent" | "failed" | "dropped" | "suppressed";

/** How messages come and go; the `network.transport` of OpenTelemetry. */
export type Transport = "pipe" | "tcp";

/** Between whom the gateway stands. */
export interface ServerPlace {
  /** The server's name in the configuration. */
  readonly name: string;
  /** The transport towards clients. */
  readonly client: Transport;
  /** The transport towards the server, and where it is. */
  readonly upstream: {
    readonly transport: Transport;
    readonly address?: string;
    readonly port?: number;
  };
}

/** What is told of one server and its clients. Times are milliseconds on one monotonic clock. */
export interface ServerTelemetry {
  now(): number;
  /**
   * A request or notification has come; undefined for what is neither.
   * @param from who sent it
   */
  begin(from: Peer, frame: Frame, who: Speaker): Operation | undefined;
  /** A check has ended. @returns when */
  checked(check: CheckFact): number;
  /**
   * Records were appended, or could not be.
   * @param began when that was begun
   */
  appended(began: number | undefined): void;
}

export type Peer = "client" | "server";

/** Who talks, as far as a conversation has learnt of it. */
export interface Speaker {
  /** `sha256:` and a digest of the session's id; the id itself is never told. */
  readonly session?: string;
  readonly revision?: string;
}

export interface CheckFact {
  readonly direction: Direction;
  readonly mode: Mode;
  readonly outcome: Outcome;
  /** The class of the first issue. */
  readonly rule?: Rule | undefined;
  readonly guard?: GuardTrip["guard"] | undefined;
  /** When it began, on {@link ServerTelemetry.now}. */
  readonly began: number | undefined;
}

/** What is told of a tool call; read when the call ends. */
export interface CallFacts {
  /** Links the call with its activity records. */
  readonly requestId: string;
  readonly tool: string | undefined;
  /** Undefined where the server does not declare such a tool. */
  readonly contract: unknown;
  /** Whether it is of a tool of the gateway's own. */
  readonly own?: boolean;
  readonly verdict: {
    readonly decision: Decision;
    readonly outcome: Outcome;
    readonly direction?: Direction;
  };
}

/** Why an operation ended without an answer of the other side. */
export type Failure = "cancelled" | "connection_lost" | "refused" | "timeout" | "too_large";

/** One request or notification on its way. The first end counts, whatever is told after it. */
export interface Operation {
  /** It is a call of this tool. */
  about(call: CallFacts): void;
  /** The receiving half is done with it: it goes on, goes back, or ends here. */
  passed(passage: { readonly onward?: Uint8Array; readonly back?: readonly Uint8Array[] }): void;
  /** The other side has answered. @param at when, on {@link ServerTelemetry.now}; now where absent */
  answered(answer: Frame, at?: number): void;
  /**
   * This answer goes to the one who asked.
   * @param theirs what the other side sent; its bytes are those of the answer where that is its own
   */
  released(answer: Uint8Array, theirs?: Frame): void;
  /** No answer came. */
  failed(reason: Failure, answer?: Uint8Array): void;
}
