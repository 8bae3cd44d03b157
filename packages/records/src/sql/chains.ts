import { sql } from "kysely";
import type { ActivityChain, ChainLink } from "../store.ts";
import { queryBuilder } from "./builder.ts";
import type { ReadDatabase, RunQuery } from "./database.ts";
import { type ActivityRow, fromRow, hasOwnRules } from "./rows.ts";

/**
 * Returns all chains, oldest first, including those that have records but no entry: another program wrote such
 * records.
 */
export async function readChains(
  db: ReadDatabase,
  run: RunQuery,
): Promise<readonly ActivityChain[]> {
  const query = sql<ActivityChain>`
    SELECT a.chain AS chain, coalesce(c.records, 0) AS appended, c.head AS head,
      coalesce(c.pruned, 0) AS pruned, c.pruned_id AS pruned_id, c.pruned_hash AS pruned_hash,
      c.skew_ms AS skew_ms,
      (SELECT count(*) FROM activity r WHERE r.chain = a.chain) AS records,
      (SELECT id FROM activity r WHERE r.chain = a.chain ORDER BY seq LIMIT 1) AS first_id,
      (SELECT id FROM activity r WHERE r.chain = a.chain ORDER BY seq DESC LIMIT 1) AS last_id,
      (SELECT min(seq) FROM activity r WHERE r.chain = a.chain) AS first_seq,
      (SELECT max(seq) FROM activity r WHERE r.chain = a.chain) AS last_seq
    FROM (SELECT chain FROM chains UNION SELECT chain FROM activity) a
      LEFT JOIN chains c ON c.chain = a.chain
    ORDER BY a.chain`;
  return run(query.compile(queryBuilder(db.dialect)));
}

/** Where a range of a chain begins, and its largest length. */
export interface ChainRange {
  readonly chain: string;
  readonly from: number;
  readonly limit: number;
}

/** Returns the rows of a range of one chain, in order. */
export function readChainRange(
  db: ReadDatabase,
  run: RunQuery,
  { chain, from, limit }: ChainRange,
): Promise<readonly ActivityRow[]> {
  const query = queryBuilder(db.dialect)
    .selectFrom("activity")
    .selectAll()
    .where("chain", "=", chain)
    .where("seq", ">=", from)
    .orderBy("seq")
    .limit(limit);
  return run(query.compile());
}

/**
 * Returns a range of one chain for verification. A row that no longer contains the written record is returned without
 * a record.
 */
export async function readChainLinks(
  db: ReadDatabase,
  run: RunQuery,
  stretch: ChainRange,
): Promise<readonly ChainLink[]> {
  const rows = await readChainRange(db, run, stretch);
  return rows.map((row) => link(row, db.place));
}

function link(row: ActivityRow, place: string): ChainLink {
  const { seq, id, prev_hash, hash } = row;
  try {
    const record = fromRow(row, place);
    if (hasOwnRules(row, record)) return { seq, id, prev_hash, hash, record };
  } catch {
    // The link is returned without a record.
  }
  return { seq, id, prev_hash, hash };
}
