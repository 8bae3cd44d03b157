/**
 * What went wrong on the host's side, for its log. Clients only see the public message of the
 * response.
 *
 * - `tools_unavailable`: the tools function threw, or returned no list within `hostTimeoutMs`. Fix the function.
 * - `bad_tool`: an entry of the list has no name; it is left out. Give it one.
 * - `bad_declaration`: a member of a tool cannot be written as JSON (a cycle, a bigint); it is left out,
 *   and an input schema becomes `false`.
 * - `unauthorized`: the auth hook threw, or returned nothing without calling `next`.
 * - `auth_timeout`: the auth hook did not end within `hostTimeoutMs`. Its signal was aborted.
 * - `handler_failed`: the call handler threw.
 * - `handler_timeout`: the call handler did not end within `callTimeoutMs`. Its signal was aborted.
 * - `bad_result`: the call handler returned no usable result.
 * - `admit_failed`: the function `admit` threw, or did not end within `hostTimeoutMs`.
 * - `refusal_failed`: the listener of refused calls threw, or did not end within `hostTimeoutMs`.
 * - `checks_failed`: the function `checks` or `judge` threw, returned something else, or `judge` did not end within `hostTimeoutMs`. Fix the function; until then nothing is valid.
 * - `repair_failed`: the listener of repaired calls failed in the same way, or the function `repair` threw.
 * - `internal`: a bug of this package. Please report it.
 */
export type FaultCode =
  | "tools_unavailable"
  | "bad_tool"
  | "bad_declaration"
  | "unauthorized"
  | "auth_timeout"
  | "handler_failed"
  | "handler_timeout"
  | "bad_result"
  | "admit_failed"
  | "refusal_failed"
  | "checks_failed"
  | "repair_failed"
  | "internal";

/** A fault, with its cause. */
export interface Fault {
  readonly code: FaultCode;
  readonly message: string;
  readonly tool?: string;
  /** What was thrown or returned. */
  readonly cause?: unknown;
}

/** Receives faults. Its own errors are ignored. */
export type FaultListener = (fault: Fault) => void;
