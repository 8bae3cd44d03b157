import { approvalDigest, BEGIN_DIGEST, firstUseDigest } from "../../approval-digest.ts";
import { declarationLabel } from "../../approvals.ts";
import { idTime } from "../../ids.ts";
import type { ActivityRecord } from "../../record.ts";
import type { ReadDatabase, RunQuery } from "../database.ts";
import type { CanReadTables, KeptCheck } from "../kept-part.ts";
import { textHashFaults } from "../kept-texts.ts";
import { shownText } from "../shown-text.ts";
import {
  type ApprovalEvidence,
  type ApprovalRecord,
  approvalEvidence,
  type LastDecision,
  lastDecision,
  type PinRow,
  type PinTables,
  pinRows,
} from "./evidence.ts";

/** Gateways that start at the same time may each record a first use, of which one counts. */
const SAME_TIME_MS = 60_000;

/** Compares declarations with their hashes, and approvals with the records about them. */
export async function checkApprovals(
  db: ReadDatabase,
  run: RunQuery,
  may: CanReadTables,
): Promise<KeptCheck> {
  const texts = may(["pins"])
    ? await textHashFaults(db, run, "pins", ["server", "kind", "name", "hash"])
    : [];
  if (!may(["pins", "pin_first_uses", "pin_versions"])) return { faults: texts };
  const { faults, ...counts } = await approvalFaults(db, run);
  return { faults: [...texts, ...faults], ...counts };
}

/**
 * Compares the tables `pins`, `pin_first_uses` and `pin_versions` with the records about them: each approval,
 * withdrawal and first use has a record, the latest record of a declaration is about its state, and each record has
 * its row.
 */
async function approvalFaults(db: ReadDatabase, run: RunQuery): Promise<KeptCheck> {
  const evidence = await approvalEvidence(db, run);
  const tables = await pinRows(db, run);
  const faults: string[] = [];
  const known = new Set([BEGIN_DIGEST]);
  let unrecorded = 0;
  let approvals = 0;
  let firstUses = 0;
  const hasBegun = evidence.begins.length > 0;
  for (const pin of tables.pins) {
    const { state, server } = pin;
    known.add(approvalDigest("approved", server, pin));
    known.add(approvalDigest("revoked", server, pin));
    const last = lastDecision(evidence, pin);
    const isDecided = state === "approved" || state === "revoked";
    if (isDecided && last === undefined && !hasBegun) {
      unrecorded += 1;
      continue;
    }
    if (isDecided && last !== undefined) approvals += 1;
    const fault = pinFault(pin, last);
    if (fault !== undefined) faults.push(fault);
  }
  for (const { server, kind } of tables.firstUses) {
    const digest = firstUseDigest(server, kind);
    known.add(digest);
    const all = evidence.all.get(digest) ?? [];
    if (all.length === 0 && !hasBegun) {
      unrecorded += 1;
    } else if (all.length === 0) {
      faults.push(
        `table pin_first_uses: no record says that declarations of kind ${shownText(kind)} of ${shownText(server)} ` +
          "were approved on first use. Delete the row to approve the next list, or approve what is held",
      );
    } else {
      firstUses += 1;
      const again = repeated(all);
      if (again !== undefined) {
        faults.push(
          `table pin_first_uses: declarations of kind ${shownText(kind)} of ${shownText(server)} were approved on first ` +
            `use again in record ${again.record.id}: somebody had deleted the first approvals. Compare them, and ` +
            "withdraw those that you do not want",
        );
      }
    }
  }
  const again = repeated(evidence.begins);
  if (again !== undefined) {
    faults.push(
      `table pins: record ${again.record.id} takes approvals over again, although they were recorded already: ` +
        "somebody had removed records. Compare all approvals",
    );
  }
  faults.push(...missingRows(evidence, known), ...versionFaults(tables));
  return { faults, approvals, first_uses: firstUses, unrecorded_approvals: unrecorded };
}

function pinFault(pin: PinRow, last: LastDecision | undefined): string | undefined {
  const { state, server, hash } = pin;
  const what = `table pins: ${declarationLabel({ kind: pin.kind, name: shortened(pin.name) })} of ${shownText(server)} (${shortened(hash)})`;
  if (state !== "approved" && state !== "revoked" && state !== "held") {
    return `${what} has the unknown state ${shownText(state)}. It is not approved; decide again`;
  }
  if (last === undefined) {
    if (state === "held") return undefined;
    return (
      `${what} is ${state}, and no record says so: somebody else changed the table, or a gateway of an earlier ` +
      "release that still runs. Compare the definition, and approve it again or revoke it"
    );
  }
  if (last.state !== state) {
    return (
      `${what} is ${state}, but was last ${last.state} in record ${last.evidence.origin}: the table was changed, a ` +
      "gateway was ended between the two, or clocks of gateways differ. Decide again"
    );
  }
  const { record, origin } = last.evidence;
  if (record.id !== origin || record.type !== "config_change" || record.server === null) return;
  if (record.erased === true || (record.caller ?? null) === pin.caller) return undefined;
  return `${what} is ${state} by another caller than in record ${origin}. The record is right`;
}

/**
 * Returns records whose rows are gone. If several gateways approved a first use at the same time, only one has rows.
 */
function missingRows(evidence: ApprovalEvidence, known: ReadonlySet<string>): readonly string[] {
  const lost = new Map<ActivityRecord, number>();
  for (const [record, digests] of evidence.records) {
    const gone = digests.filter(
      (digest) => !known.has(digest) && evidence.byDigest.get(digest)?.record === record,
    );
    if (gone.length > 0) lost.set(record, gone.length);
  }
  return [...lost].flatMap(([record, count]) => {
    const digests = evidence.records.get(record) ?? [];
    if (isBeaten(record, evidence.all.get(digests[0] ?? "") ?? [], lost)) return [];
    const server = record.server === null ? "" : ` of ${shownText(record.server)}`;
    const rows = count === 1 ? "a row is" : `${count} rows are`;
    return [
      `table pins or pin_first_uses: ${rows} missing${server} that record ${record.id} is about. Approve again what ` +
        "is still declared",
    ];
  });
}

/**
 * Returns whether the first use of another gateway at the same time succeeded instead, with all of its rows.
 * @param all the evidence of the record's first digest
 */
function isBeaten(
  record: ActivityRecord,
  all: readonly ApprovalRecord[],
  lost: ReadonlyMap<ActivityRecord, number>,
): boolean {
  const own = all.find((of) => of.record === record && of.origin === record.id);
  if (own === undefined) return false;
  const others = all.filter(({ chain }) => chain !== own.chain);
  return others.some(
    ({ chain, origin }) =>
      Math.abs(idTime(origin) - idTime(own.origin)) <= SAME_TIME_MS &&
      all.every((of) => of.chain !== chain || !lost.has(of.record)),
  );
}

/** Returns the first evidence that comes long after the previous one. */
function repeated(all: readonly ApprovalRecord[]): ApprovalRecord | undefined {
  const inOrder = all.toSorted((a, b) => (a.origin < b.origin ? -1 : 1));
  return inOrder.find(({ origin }, at) => {
    const before = inOrder[at - 1];
    return before !== undefined && idTime(origin) - idTime(before.origin) > SAME_TIME_MS;
  });
}

function versionFaults({ pins, firstUses, versions }: PinTables): readonly string[] {
  const known = new Set(versions.filter(({ version }) => version > 0).map(({ server }) => server));
  const servers = new Set([...pins, ...firstUses].map(({ server }) => server));
  return [...servers]
    .filter((server) => !known.has(server))
    .map(
      (server) =>
        `table pin_versions: ${shownText(server)} has approvals but no version, so gateways do not see changes of them. ` +
        "Approve or revoke any of its declarations",
    );
}

function shortened(text: string): string {
  return text.length > 100 ? `${text.slice(0, 99)}…` : text;
}
