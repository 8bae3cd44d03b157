import { createHash } from "node:crypto";
import type { Issue } from "@touchstone/core";
import { canonicalJson } from "./canonical.ts";
import { type ActivityRecord, RECORD_FIELDS } from "./record.ts";

/**
 * Returns what is left of a record after what it says about a person is erased. Its hash and the one before it stay, so
 * that the chain continues; of its issues, the classes stay, by which it is counted.
 */
export function erasedRemainder(record: ActivityRecord): ActivityRecord {
  const left: Record<string, unknown> = { ...record, erased: true };
  for (const [name, { personal, unset }] of RECORD_FIELDS) {
    if (personal !== true) continue;
    if (name === "issues") left[name] = classesOf(record.issues);
    else if (unset === "null") left[name] = keptReason(record, name);
    else delete left[name];
  }
  return left as unknown as ActivityRecord;
}

function classesOf(issues: readonly Issue[]): readonly Issue[] {
  const rules = [...new Set(issues.map(({ rule }) => rule))];
  return rules.map((rule) => ({ path: "", message: "erased", rule }));
}

/** The text of an earlier build about an approval is the evidence of the approval, and names a declaration only. */
function keptReason(record: ActivityRecord, name: string): string | null {
  return name === "reason" && earlierDecision(record) !== undefined ? record.reason : null;
}

/** Returns the decision that a record of an earlier build is about. */
export function earlierDecision(record: ActivityRecord): "approved" | "revoked" | undefined {
  const { type, approvals, reason, schema_hash, server } = record;
  if (type !== "config_change" || approvals !== undefined) return undefined;
  if (reason === null || schema_hash === null || server === null) return undefined;
  if (!/^the (?:instructions|(?:tool|prompt|resource template) ".*") /s.test(reason))
    return undefined;
  if (/ (?:is|are) no longer approved$/.test(reason)) return "revoked";
  return / (?:is|are) approved$/.test(reason) ? "approved" : undefined;
}

/**
 * Returns the digest of what is left of a record, with its hash: the record that erased it has this digest.
 * @returns undefined if canonical JSON cannot represent it, as after somebody changed it
 */
export function remainderDigest(left: ActivityRecord): string | undefined {
  try {
    return createHash("sha256").update(canonicalJson(left)).digest("base64url");
  } catch {
    return undefined;
  }
}
