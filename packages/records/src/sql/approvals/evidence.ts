import { setImmediate as turn } from "node:timers/promises";
import { sql } from "kysely";
import { approvalDigest, BEGIN_DIGEST, readDigests } from "../../approval-digest.ts";
import type { PinKind } from "../../contracts/pin-store.ts";
import { isRecordId } from "../../cursor.ts";
import { earlierDecision } from "../../erased-record.ts";
import type { ActivityRecord } from "../../record.ts";
import { queryBuilder } from "../builder.ts";
import { changeRecords } from "../change-records.ts";
import { toolOf } from "../contracts/lists.ts";
import type { ReadDatabase, RunQuery } from "../database.ts";
import { erasuresIn, isProved } from "../erasures.ts";

/** How many rows are read at a time: on SQLite, each statement blocks the event loop until it ends. */
const PAGE = 500;

/** A record that approves something, or withdraws an approval. */
export interface ApprovalRecord {
  readonly record: ActivityRecord;
  readonly chain: string;
  /**
   * The first record of this evidence: the record itself, or the one that it was carried over from. A greater id
   * means a later record.
   */
  readonly origin: string;
}

/** The evidence about approvals in the records. */
export interface ApprovalEvidence {
  /** The latest evidence of each digest. */
  readonly byDigest: ReadonlyMap<string, ApprovalRecord>;
  /** All evidence of each digest, for those of first uses. */
  readonly all: ReadonlyMap<string, readonly ApprovalRecord[]>;
  /** The records that mark the start of recorded approvals: one, unless somebody has tampered with them. */
  readonly begins: readonly ApprovalRecord[];
  /** Decisions recorded by an earlier build, by {@link decisionKey}. */
  readonly before: ReadonlyMap<string, ApprovalRecord & { readonly state: "approved" | "revoked" }>;
  /** The digests of each record, in its order. */
  readonly records: ReadonlyMap<ActivityRecord, readonly string[]>;
}

/** Returns a key for a decision of an earlier build. */
export function decisionKey(server: string, hash: string): string {
  return JSON.stringify([server, hash]);
}

/** Reads the records about approvals. Records that were tampered with are not evidence. */
export async function approvalEvidence(db: ReadDatabase, run: RunQuery): Promise<ApprovalEvidence> {
  const byDigest = new Map<string, ApprovalRecord>();
  const all = new Map<string, ApprovalRecord[]>();
  const before = new Map<string, ApprovalRecord & { readonly state: "approved" | "revoked" }>();
  const records = new Map<ActivityRecord, readonly string[]>();
  const add = (digest: string, evidence: ApprovalRecord): void => {
    const known = byDigest.get(digest);
    if (known === undefined || known.origin <= evidence.origin) byDigest.set(digest, evidence);
    const others = all.get(digest);
    if (others === undefined) all.set(digest, [evidence]);
    else others.push(evidence);
  };
  const erasures = await erasuresIn(db, run);
  for await (const { record, chain } of changeRecords(db, run)) {
    const state = earlierDecision(record);
    if (record.approvals === undefined && state === undefined) continue;
    if (!isRecordId(record.id) || !isProved(record, erasures)) continue;
    if (state !== undefined) {
      const key = decisionKey(record.server ?? "", record.schema_hash ?? "");
      before.set(key, { record, chain, origin: record.id, state });
    }
    if (record.approvals === undefined) continue;
    const digests = readDigests(record.approvals);
    records.set(
      record,
      digests.map(({ digest }) => digest),
    );
    for (const { digest, origin = record.id } of digests) add(digest, { record, chain, origin });
  }
  return { byDigest, all, begins: all.get(BEGIN_DIGEST) ?? [], before, records };
}

/** A row of table `pins`, without its text. */
export interface PinRow {
  readonly server: string;
  readonly kind: PinKind;
  readonly name: string;
  readonly hash: string;
  readonly state: string;
  readonly caller: string | null;
}

/** The tables of approvals. */
export interface PinTables {
  readonly pins: readonly PinRow[];
  readonly firstUses: readonly { readonly server: string; readonly kind: string }[];
  readonly versions: readonly { readonly server: string; readonly version: number }[];
}

/** Reads the tables of approvals. */
export async function pinRows(db: ReadDatabase, run: RunQuery): Promise<PinTables> {
  const build = queryBuilder(db.dialect);
  const first = build
    .selectFrom("pin_first_uses")
    .select(["server", "kind"])
    .orderBy("server")
    .orderBy("kind");
  const versions = build.selectFrom("pin_versions").select(["server", "version"]);
  const pins: PinRow[] = [];
  const query = build
    .selectFrom("pins")
    .select(["server", "kind", "name", "hash", "state", "caller"])
    .orderBy("server")
    .orderBy("kind")
    .orderBy("name")
    .orderBy("hash")
    .limit(PAGE);
  for (let rows = await run(query.compile()); rows.length > 0; ) {
    for (const { name, kind, ...row } of rows) {
      pins.push({ ...row, kind: kind as PinKind, name: toolOf(name) });
    }
    const last = rows.at(-1);
    if (rows.length < PAGE || last === undefined) break;
    await turn();
    const { server, kind, name, hash } = last;
    const after = sql<boolean>`(server, kind, name, hash) > (${server}, ${kind}, ${name}, ${hash})`;
    rows = await run(query.where(after).compile());
  }
  return {
    pins,
    firstUses: await run(first.compile()),
    versions: await run(versions.compile()),
  };
}

/** The latest decision about a declaration in the records. */
export interface LastDecision {
  readonly state: "approved" | "revoked";
  readonly evidence: ApprovalRecord;
}

/** Returns the latest decision about a declaration in the records. */
export function lastDecision(
  { byDigest, before }: Pick<ApprovalEvidence, "byDigest" | "before">,
  pin: PinRow,
): LastDecision | undefined {
  const earlier = before.get(decisionKey(pin.server, pin.hash));
  let last: LastDecision | undefined = earlier && { state: earlier.state, evidence: earlier };
  for (const state of ["approved", "revoked"] as const) {
    const evidence = byDigest.get(approvalDigest(state, pin.server, pin));
    if (evidence === undefined) continue;
    if (last === undefined || last.evidence.origin < evidence.origin) last = { state, evidence };
  }
  return last;
}
