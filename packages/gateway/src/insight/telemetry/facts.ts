import type { GuardTrip, Outcome, Rule } from "@touchstone/core/advanced";
import type { ActivityStatus } from "@touchstone/records/record";
import type { AlertEvent } from "../../features/alerts/events.ts";
import type { Decision, Direction, Mode } from "../../settings/validation.ts";
import type { AlertOutcome, OperationFailure, Peer } from "./telemetry.ts";

/** How one side of an operation ended. */
export interface SideOutcome {
  /** JSON-RPC `error.code`. */
  readonly code?: number;
  /** JSON-RPC `error.message`, cut. */
  readonly message?: string;
  /** The result said `isError: true`. */
  readonly toolError?: boolean;
  readonly failure?: OperationFailure;
}

/** Everything to report about one request or notification after its end. Times are on the batch's clock. */
export interface OperationFact {
  readonly server: string;
  readonly from: Peer;
  readonly method: string;
  /** The name of a tool or a prompt. */
  readonly target?: string | undefined;
  /** Whether the server lists that tool, or the tool is one of the gateway's own. */
  readonly known: boolean;
  /** The text of the result of a `prompts/list`. */
  readonly listed?: string | undefined;
  readonly uri?: string | undefined;
  /** The source text of `id`; absent for a notification. */
  readonly id?: string | undefined;
  readonly revision?: string | undefined;
  readonly session?: string | undefined;
  /** The caller's name; also of the conversation in which the server sent a request. */
  readonly caller?: string | undefined;
  /** The text of `params._meta`, if it may contain a trace context. */
  readonly meta?: string | undefined;
  readonly began: number;
  readonly ended: number;
  readonly ending: SideOutcome;
  /** When it was sent to the other side; absent if it was not. */
  readonly sent?: number | undefined;
  readonly answered?: number | undefined;
  /** How the other side responded. */
  readonly answer?: SideOutcome | undefined;
  readonly requestId?: string | undefined;
  readonly decision?: Decision | undefined;
  readonly outcome?: Outcome | undefined;
  readonly direction?: Direction | undefined;
  /** The status of a call in its record. */
  readonly status?: ActivityStatus | undefined;
}

/** Checks that ended in the same way. */
export interface CheckGroup {
  readonly direction: Direction;
  readonly mode: Mode;
  readonly outcome: Outcome;
  readonly decision: Decision;
  readonly rule: Rule | "none";
  readonly guard: GuardTrip["guard"] | undefined;
  /** Whether they refused calls that had been refused before. */
  readonly repeated?: boolean | undefined;
  /** The duration of each, in milliseconds. */
  readonly durations: number[];
}

/** Alerts that ended in the same way. */
export interface AlertFact {
  readonly when: AlertEvent;
  readonly outcome: AlertOutcome;
  readonly count: number;
}

/** A batch of facts. */
export interface FactBatch {
  /** Converts a time in here to the Unix epoch, in milliseconds. */
  readonly epoch: number;
  readonly operations: readonly OperationFact[];
  readonly checks: readonly CheckGroup[];
  /** Milliseconds each. */
  readonly appends: readonly number[];
  readonly compiles: readonly number[];
  readonly alerts: readonly AlertFact[];
  /** Compiled schemas in the cache. */
  readonly cached: number | undefined;
  /** Facts that were dropped since the last batch, because no reader took them in time. */
  readonly dropped: number;
}
