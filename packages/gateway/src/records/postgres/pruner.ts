import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";
import { firstIdAt } from "../ids.ts";
import type { ActivityPruner, Retention } from "../store.ts";
import { sweepOldLists } from "./contract-sweep.ts";
import { storeFault } from "./faults.ts";
import { inTransaction, type Pool } from "./pool.ts";
import { PRUNE_LOCK } from "./schema.ts";

const STEP = 500;
const PAUSE_MS = 15;
/** Newest records whose size stands for that of all. */
const SAMPLE = 1000;
/** What the other columns of a row and its indexes take, roughly. */
const OTHERS_BYTES = 1000;

const REMOVE = `WITH old AS (SELECT id FROM activity WHERE id < $1 ORDER BY id LIMIT $2),
  gone AS (DELETE FROM activity USING old WHERE activity.id = old.id
    RETURNING activity.chain, activity.seq, activity.id, activity.hash),
  last AS (SELECT DISTINCT ON (chain) chain, seq, id, hash FROM gone ORDER BY chain, seq DESC),
  kept AS (UPDATE chains SET pruned = last.seq + 1, pruned_id = last.id, pruned_hash = last.hash
    FROM last WHERE chains.chain = last.chain AND chains.pruned <= last.seq)
  SELECT count(*) AS removed FROM gone`;

/**
 * Removes old records, and lists of tools that nobody uses, over a pool of its own, which it closes. Of
 * several gateways at once, one does the work. `maxBytes` is held by the length of a mean row: PostgreSQL
 * gives place back only later.
 */
export function createPruner({ pool, place }: Pool, now: () => Date): ActivityPruner {
  return {
    async prune(retention, { signal } = {}) {
      let removed = 0;
      try {
        const bound = await inTransaction(pool, (client) => boundOf(client, retention, now()));
        while (signal?.aborted !== true) {
          const count = await inTransaction(pool, (client) => step(client, bound));
          removed += count;
          if (count === 0) break;
          await pause(PAUSE_MS);
        }
        await sweepOldLists({ pool, place }, now(), signal);
      } catch (error) {
        throw storeFault(error, place, "remove");
      }
      return { removed };
    },
    close: () => pool.end(),
  };
}

async function step(client: pg.PoolClient, bound: string): Promise<number> {
  const lock = "SELECT pg_try_advisory_xact_lock($1) AS mine";
  const { rows } = await client.query<{ mine: boolean }>(lock, [PRUNE_LOCK]);
  if (rows[0]?.mine !== true) return 0;
  const result = await client.query<{ removed: number }>(REMOVE, [bound, STEP]);
  return result.rows[0]?.removed ?? 0;
}

/**
 * The id of the oldest record that stays: what comes while others are removed is not counted, so that
 * pruning ends however much that is, and two gateways at once remove nothing twice.
 */
async function boundOf(client: pg.PoolClient, retention: Retention, now: Date): Promise<string> {
  const { maxAgeMs, maxRecords = Infinity, maxBytes } = retention;
  const byAge = maxAgeMs === undefined ? "" : firstIdAt(now.getTime() - maxAgeMs);
  const fitting = maxBytes === undefined ? Infinity : await howManyFit(client, maxBytes);
  const keep = Math.min(maxRecords, fitting);
  const byNumber = keep === Infinity ? "" : await oldestOf(client, keep);
  return byAge > byNumber ? byAge : byNumber;
}

/**
 * The id of the oldest of the newest `keep` records, or what sorts behind all that are there. It is one
 * statement: between two, another gateway may remove records.
 */
async function oldestOf(client: pg.PoolClient, keep: number): Promise<string> {
  const newest = "SELECT id FROM activity ORDER BY id DESC LIMIT 1 OFFSET $1";
  const { rows } = await client.query<{ id: string }>(newest, [Math.max(0, keep - 1)]);
  const [row] = rows;
  if (row === undefined) return "";
  return keep > 0 ? row.id : `${row.id}~`;
}

/** How many records of mean length fit; at least one, as the tables are never empty of all bytes. */
async function howManyFit(client: pg.PoolClient, maxBytes: number): Promise<number> {
  const { rows } = await client.query<{ bytes: number | null }>(
    `SELECT avg(${OTHERS_BYTES} + octet_length(issues) + coalesce(octet_length(reason), 0)
         + coalesce(octet_length(arguments), 0) + coalesce(octet_length(result), 0)) AS bytes
       FROM (SELECT * FROM activity ORDER BY id DESC LIMIT ${SAMPLE}) AS newest`,
  );
  return Math.max(1, Math.floor(maxBytes / (rows[0]?.bytes ?? 1)));
}
