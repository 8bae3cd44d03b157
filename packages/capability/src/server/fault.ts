/**
 * What went wrong on the server's side, for its log. Clients do not learn the cause.
 *
 * - `check_failed`: a check threw, or returned no findings. Fix it.
 * - `check_timeout`: a check did not end within `checkTimeoutMs`. Make it faster, or let it warn.
 * - `tools_unavailable`: the server's own `tools/list` handler failed, or took too long while a client connected.
 * - `unknown_tool`: there are checks for a tool that the server does not list.
 * - `name_hidden`: a tool took the name of the validation tool after it was announced, and cannot be called. Register
 *   tools before a client connects, or set `method`.
 */
export type ValidationFaultCode =
  | "check_failed"
  | "check_timeout"
  | "tools_unavailable"
  | "unknown_tool"
  | "name_hidden";

/** A fault, with its cause. */
export interface ValidationFault {
  readonly code: ValidationFaultCode;
  readonly message: string;
  readonly tool?: string;
  readonly cause?: unknown;
}

/** Receives faults. Its own errors are ignored. */
export type ValidationFaultListener = (fault: ValidationFault) => void;
