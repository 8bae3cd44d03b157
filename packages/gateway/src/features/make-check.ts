import type { Check, Issue } from "@touchstone/core";
import type { FrameScan } from "@touchstone/protocol/advanced";

/*
 * Checks of parts of messages whose outcome is known without a schema.
 */

type OverKeys = NonNullable<FrameScan["overKeys"]>;

/** A check that found nothing. */
export function emptyCheck(outcome: Check["outcome"]): Check {
  return { outcome, valid: true, errors: [], warnings: [], suggestions: [], counts: {} };
}

/** A check with one issue of a message part. */
export function issueCheck(issue: Issue): Check {
  const counts = { [issue.rule]: 1 };
  return { ...emptyCheck("violation"), valid: false, errors: [issue], counts };
}

/** A check of a message part with too many keys: none of it is checked. */
export function tooManyKeysCheck({ limit, message }: OverKeys): Check {
  const issue: Issue = { path: "", message, rule: "guard", keyword: "maxKeys" };
  return {
    ...emptyCheck("guard"),
    valid: false,
    errors: [issue],
    counts: { guard: 1 },
    guard: { guard: "maxKeys", limit, actual: limit + 1 },
  };
}
