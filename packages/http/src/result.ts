import type { PatchOperation, TextRepair } from "@touchstone/core/advanced";

/** One issue of the arguments. */
export interface ValidationFailure {
  /** RFC 6901 pointer to the offending or missing property; `""` is the root. */
  readonly path: string;
  /** The validator's own text. */
  readonly message: string;
  /** The JSON Schema keyword that failed, if any. */
  readonly keyword?: string;
}

/** A repair that would make arguments valid, without warnings. It was not applied. */
export interface ProposedRepair {
  /** The repaired arguments. */
  readonly arguments: unknown;
  /** What would be done, and where. */
  readonly repairs: readonly TextRepair[];
  /** JSON Patch (RFC 6902) from the original arguments. */
  readonly patch: readonly PatchOperation[];
}

/** The result of a validation. `errors` is absent when the arguments are valid, and else not empty. */
export interface ValidateResult {
  readonly valid: boolean;
  /**
   * What would be done with the call, if the host decides about calls itself. Without full detail it is absent for
   * `allowed` and `warning`.
   */
  readonly decision?: "allowed" | "warning" | "repaired" | "blocked";
  /**
   * `false` if it is unknown whether the arguments are valid: the tool list is not available, or the check ran out of
   * its budget. `valid` is then `false`, and `errors` says why. Absent from every verdict.
   */
  readonly checked?: false;
  readonly errors?: readonly ValidationFailure[];
  /** How many further failures there were; absent when `errors` lists all. */
  readonly truncated?: number;
  /**
   * The repair that the call would get if its `decision` is `repaired`. With `?repair=…`: the repair, if one of the named
   * kinds makes invalid arguments valid.
   */
  readonly repair?: ProposedRepair;
}

/** The response to a body that is not JSON. */
export function invalidJson(detail: string): ValidateResult {
  return refused(`Invalid JSON: ${detail}`, "format");
}

/** A result with one failure at the root. */
export function refused(message: string, keyword?: string): ValidateResult {
  const failure = { path: "", message, ...(keyword === undefined ? {} : { keyword }) };
  return { valid: false, errors: [failure] };
}
