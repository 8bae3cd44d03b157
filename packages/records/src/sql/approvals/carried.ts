import {
  approvalDigest,
  BEGIN_DIGEST,
  digestsText,
  firstUseDigest,
} from "../../approval-digest.ts";
import type { ActivityEntry } from "../../record.ts";
import type { ReadDatabase, RunQuery } from "../database.ts";
import { type ApprovalRecord, approvalEvidence, lastDecision, pinRows } from "./evidence.ts";
import { digestBatches } from "./log.ts";

/**
 * Returns records that repeat the evidence about approvals in records that will be removed. Only repeats evidence
 * that is the latest about a row and agrees with it: a row that was tampered with remains without evidence.
 * @param due the ids of the records to be removed
 */
export async function carryApprovals(
  db: ReadDatabase,
  run: RunQuery,
  due: ReadonlySet<string>,
): Promise<readonly ActivityEntry[]> {
  const evidence = await approvalEvidence(db, run);
  const isDue = (of: ApprovalRecord | undefined): of is ApprovalRecord =>
    of !== undefined && due.has(of.record.id);
  const [begin] = evidence.begins.toSorted((a, b) => (a.origin < b.origin ? -1 : 1));
  const isInDue = evidence.begins.some(isDue) || [...evidence.before.values()].some(isDue);
  if (!isInDue && ![...evidence.byDigest.values()].some(isDue)) return [];
  const { pins, firstUses } = await pinRows(db, run);
  const kept: { readonly digest: string; readonly origin: string }[] = [];
  for (const pin of pins) {
    const last = lastDecision(evidence, pin);
    if (last === undefined || last.state !== pin.state || !isDue(last.evidence)) continue;
    kept.push({
      digest: approvalDigest(last.state, pin.server, pin),
      origin: last.evidence.origin,
    });
  }
  for (const { server, kind } of firstUses) {
    const digest = firstUseDigest(server, kind);
    const last = evidence.byDigest.get(digest);
    if (isDue(last)) kept.push({ digest, origin: last.origin });
  }
  const start = begin === undefined ? [] : [{ digest: BEGIN_DIGEST, origin: begin.origin }];
  const steps = digestBatches(kept);
  return (steps.length === 0 && start.length > 0 ? [[]] : steps).map((some) => ({
    type: "config_change",
    source: "gateway",
    reason: `carried on before retention removed their records: ${some.length} of the approvals`,
    approvals: digestsText([...start, ...some]),
  }));
}
