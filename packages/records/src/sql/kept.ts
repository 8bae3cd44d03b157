import { carryApprovals } from "./approvals/carried.ts";
import { eraseApprover } from "./approvals/erase.ts";
import { checkApprovals } from "./approvals/faults.ts";
import { checkCallers } from "./callers/check.ts";
import { eraseCallers, removeCallers, sweepCallers } from "./callers/rollup.ts";
import { checkLists } from "./contracts/check.ts";
import { sweepOldLists } from "./contracts/sweep.ts";
import { checkShapes } from "./drift/check.ts";
import { eraseRequests } from "./fleet/erase.ts";
import type { KeptPart } from "./kept-part.ts";
import { checkProblems } from "./problems/check.ts";
import { eraseFromProblems } from "./problems/erase.ts";
import { sweepProblems } from "./problems/sweep.ts";
import { checkSearch } from "./search/check.ts";
import { rewriteIndex } from "./search/erase.ts";
import { eraseSessions } from "./sessions/erase.ts";
import { removeExpiredSessions } from "./sessions/sweep.ts";
import { eraseViews } from "./views/erase.ts";

/**
 * The operations on the tables of `kept-tables.ts` and `callers/`. Verification, retention and erasure iterate over
 * this list.
 */
export const KEPT: readonly KeptPart[] = [
  { check: checkLists, sweep: sweepOldLists },
  { check: checkShapes },
  { check: checkApprovals, carryOn: carryApprovals, erase: eraseApprover },
  { sweep: removeExpiredSessions, erase: eraseSessions },
  { erase: eraseRequests },
  { check: checkProblems, sweep: sweepProblems, erase: eraseFromProblems },
  { check: checkSearch, erase: rewriteIndex },
  { erase: eraseViews },
  { check: checkCallers, sweep: sweepCallers, uncount: removeCallers, erase: eraseCallers },
];
