import {
  type Issue,
  isObject,
  issuesResult,
  type ValidatorLogger,
  type ValidatorResult,
} from "@touchstone/core/advanced";
import { protocolIssue } from "../issue.ts";

const STATUSES: ReadonlySet<unknown> = new Set(["success", "failure", "partial"]);

/**
 * Checks a result in the envelope `{status, data, error}`: the status is required, and a failure must state its error
 * and should have no data. An unknown status is a warning.
 * @param result a parsed JSON value
 */
export function envelopeResult(result: unknown, logger?: ValidatorLogger): ValidatorResult {
  if (!isObject(result)) {
    return issuesResult([protocolIssue("", "a result must be an object", "type")], [], logger);
  }
  const { status, error, data } = result;
  const errors: Issue[] = [];
  const warnings: Issue[] = [];
  if (status === undefined) {
    errors.push(protocolIssue("/status", "Missing required field: status", "required"));
  } else if (typeof status !== "string") {
    errors.push(protocolIssue("/status", "status must be a string", "type"));
  } else if (!STATUSES.has(status)) {
    const message = `Non-standard status: ${status.slice(0, 80)}; success, failure and partial are known`;
    warnings.push(protocolIssue("/status", message, "enum"));
  }
  if (status === "failure") {
    if (error === undefined || error === null) {
      errors.push(protocolIssue("/error", "Error field required on failure", "required"));
    }
    if (data !== undefined && data !== null) {
      warnings.push(protocolIssue("/data", "Data should be null on failure", "not"));
    }
  }
  return issuesResult(errors, warnings, logger);
}
