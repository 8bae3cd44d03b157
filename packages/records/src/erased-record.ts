import { createHash } from "node:crypto";
import type { Issue } from "@touchstone/core";
import { canonicalJson } from "./canonical.ts";
import { type ActivityRecord, RECORD_FIELDS } from "./record.ts";

/**
 * Returns the content of a record after everything about a person is erased. Its hash and the previous hash stay, so
 * that the chain remains valid; of its issues, the classes stay, because they are counted.
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

/**
 * The reason in a record of an approval by an earlier build is the evidence for the approval, and only names a
 * declaration.
 */
function keptReason(record: ActivityRecord, name: string): string | null {
  return name === "reason" && earlierDecision(record) !== undefined ? record.reason : null;
}

/** Returns the decision in a record of an earlier build. */
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
 * Returns the digest of an erased record's content, with its hash: the record of the erasure contains this digest.
 * @returns undefined if canonical JSON cannot represent it, as after tampering
 */
export function remainderDigest(left: ActivityRecord): string | undefined {
  try {
    return createHash("sha256").update(canonicalJson(left)).digest("base64url");
  } catch {
    return undefined;
  }
}
