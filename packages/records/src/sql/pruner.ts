import { setTimeout as pause } from "node:timers/promises";
import { plural } from "@touchstone/util/plural";
import { sql } from "kysely";
import { type Author, authorFields } from "../author.ts";
import { firstIdAt } from "../ids.ts";
import type { ActivityEntry } from "../record.ts";
import type { ActivityPruner, Retention } from "../store.ts";
import { queryBuilder } from "./builder.ts";
import type { Database, RunQuery } from "./database.ts";
import { KEPT } from "./kept.ts";
import { foldProblems } from "./problems/fold.ts";
import { removeExpiredRollup } from "./rollup.ts";
import { rollUpStep } from "./rollups.ts";
import { fillSearch } from "./search/fill.ts";
import type { Dialect } from "./tables.ts";
import { tallyCount } from "./totals.ts";

/**
 * How many records to remove in one transaction. Other processes wait for SQLite's only writer for a few
 * milliseconds.
 */
const STEP: Readonly<Record<Dialect, number>> = { sqlite: 100, postgres: 500 };
/** The pause between two steps, for other writers. */
const PAUSE_MS = 15;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Sorts after every id. */
const LAST_ID = "~";
/** The column that identifies a row: in SQLite, a row could not be found, and so not removed, by a damaged text. */
const ROW: Readonly<Record<Dialect, string>> = { sqlite: "rowid", postgres: "id" };

/** How many of the newest records to sample for the mean size. */
const SAMPLE = 1000;
/** About how many bytes the other columns of a row and its indexes take. */
const OTHERS_BYTES = 1000;

interface Old {
  readonly row: number | string;
  readonly id: string;
  readonly hash: string;
  readonly chain: string;
  readonly seq: number;
  readonly type: string;
}

/**
 * The result of a step: how many records it removed, and which records need their evidence recorded again before
 * their removal.
 */
interface Step {
  readonly removed: number;
  readonly due: readonly string[];
}

/**
 * Removes old records, and kept rows that are no longer used, and rolls up records; uses a separate database
 * connection, which it closes. SQLite reuses the freed space in the file, but the file itself does not shrink.
 * PostgreSQL frees space later, so there `maxBytes` is enforced by the length of an average row.
 *
 * @param parts.before runs before the records are counted
 * @param parts.append records the evidence of removed records about kept rows, and who requested a removal
 */
export function createPruner(
  db: Database,
  now: () => Date,
  parts: {
    readonly before?: () => Promise<unknown>;
    readonly append: (entries: readonly ActivityEntry[]) => Promise<unknown>;
  },
): ActivityPruner {
  const { before = async () => {}, append } = parts;
  /** Records of changes whose evidence was recorded again, so that they may be removed. */
  const carried = new Set<string>();
  const build = queryBuilder(db.dialect);
  const row = sql<number | string>`${sql.raw(ROW[db.dialect])}`;

  /** Removes the oldest records before an id, up to a limit. */
  async function remove(run: RunQuery, bound: string, limit: number): Promise<Step> {
    const oldest = build
      .selectFrom("activity")
      .select([row.as("row"), "id", "hash", "chain", "seq", "type"])
      .where("id", "<", bound)
      .orderBy("id")
      .limit(limit);
    const found: readonly Old[] = await run(oldest.compile());
    const isDue = ({ type, id }: Old): boolean => type === "config_change" && !carried.has(id);
    const until = found.findIndex(isDue);
    const old = until < 0 ? found : found.slice(0, until);
    const due = found.filter(isDue).map(({ id }) => id);
    if (old.length === 0) return { removed: 0, due };
    const rows = old.map((of) => of.row);
    await run(build.deleteFrom("activity").where(row, "in", rows).compile());
    for (const { chain, seq, id, hash } of lastOfEach(old)) {
      const anchor = build
        .updateTable("chains")
        .set({ pruned: seq + 1, pruned_id: id, pruned_hash: hash })
        .where("chain", "=", chain)
        .where("pruned", "<", seq + 1);
      await run(anchor.compile());
    }
    return { removed: old.length, due };
  }

  async function step(bound: string, { maxBytes }: Retention): Promise<Step> {
    const first = await db.write("prune", (run) => remove(run, bound, STEP[db.dialect]));
    const isDone = first.removed > 0 || first.due.length > 0;
    if (isDone || maxBytes === undefined || db.dialect !== "sqlite") return first;
    return db.write("prune", async (run) => {
      const limit = Math.min(STEP.sqlite, await excessOf(run, maxBytes));
      return limit === 0 ? { removed: 0, due: [] } : remove(run, LAST_ID, limit);
    });
  }

  /** Records the evidence of these records about kept rows again, so that they may be removed. */
  async function carryOn(due: readonly string[]): Promise<void> {
    await before();
    for (const { carryOn: entriesOf } of KEPT) {
      const entries = (await db.read(async (run) => entriesOf?.(db, run, new Set(due)))) ?? [];
      if (entries.length > 0) await append(entries);
    }
    for (const id of due) carried.add(id);
  }

  return {
    async prune(retention, { signal, author } = {}) {
      await before();
      let removed = 0;
      const bound = await db.read((run) => boundOf(db.dialect, run, retention, now()));
      try {
        while (signal?.aborted !== true) {
          const { removed: count, due } = await step(bound, retention);
          removed += count;
          if (due.length > 0) await carryOn(due);
          else if (count === 0) break;
          await pause(PAUSE_MS);
        }
      } finally {
        if (author !== undefined && removed > 0)
          await append([removal(author, removed, retention)]);
      }
      if (removed > 0) await removeExpiredRollup(db);
      for (const { sweep } of KEPT) await sweep?.(db, now(), signal);
      return { removed };
    },
    async rollUp({ signal } = {}) {
      for (const step of [rollUpStep, foldProblems, fillSearch]) {
        while (signal?.aborted !== true && (await step(db))) await pause(PAUSE_MS);
      }
    },
    close: () => db.close(),
  };
}

/** Returns the record of a removal that a person requested. */
function removal(author: Author, removed: number, { maxAgeMs, maxRecords, maxBytes }: Retention) {
  const bounds = [
    ...(maxAgeMs === undefined ? [] : [`older than ${lengthText(maxAgeMs)}`]),
    ...(maxRecords === undefined ? [] : [`beyond ${plural(maxRecords, "record")}`]),
    ...(maxBytes === undefined ? [] : [`beyond ${plural(maxBytes, "byte")}`]),
  ];
  return {
    type: "config_change",
    source: "cli",
    ...authorFields(author),
    reason: `removed ${plural(removed, "record")}: ${bounds.join(", ")}`,
  } as const;
}

function lengthText(ms: number): string {
  return ms % DAY_MS === 0 ? plural(ms / DAY_MS, "day") : plural(ms / MINUTE_MS, "minute");
}

/**
 * Returns the id of the oldest record that stays, according to age and number. Records that are added in the meantime
 * are not counted, so that pruning ends, and two gateways at once do not remove too many.
 */
async function boundOf(
  dialect: Dialect,
  run: RunQuery,
  { maxAgeMs, maxRecords = Infinity, maxBytes }: Retention,
  now: Date,
): Promise<string> {
  const byAge = maxAgeMs === undefined ? "" : firstIdAt(now.getTime() - maxAgeMs);
  const isSampled = maxBytes !== undefined && dialect === "postgres";
  const keep = Math.min(maxRecords, isSampled ? await howManyFit(run, maxBytes) : Infinity);
  const byNumber = keep === Infinity ? "" : await oldestOf(dialect, run, keep);
  return byAge > byNumber ? byAge : byNumber;
}

/** Returns the id of the oldest of the newest `keep` records, or a text that sorts after all ids. */
async function oldestOf(dialect: Dialect, run: RunQuery, keep: number): Promise<string> {
  const ids = queryBuilder(dialect).selectFrom("activity").select("id").limit(1);
  // Usually only few records are too many: counting those that stay would take long.
  const excess = dialect === "sqlite" && keep > 0 ? (await tallyCount(run, {})) - keep : undefined;
  if (excess !== undefined && excess <= 0) return "";
  const found =
    excess === undefined
      ? ids.orderBy("id", "desc").offset(Math.max(0, keep - 1))
      : ids.orderBy("id").offset(excess);
  const [row] = await run(found.compile());
  if (row === undefined) return "";
  return keep > 0 ? row.id : `${row.id}${LAST_ID}`;
}

/** Returns how many records of average length fit; at least one, because even empty tables use bytes. */
async function howManyFit(run: RunQuery, maxBytes: number): Promise<number> {
  const mean = sql<{ bytes: number | null }>`
    SELECT avg(${sql.lit(OTHERS_BYTES)} + octet_length(issues) + coalesce(octet_length(reason), 0)
      + coalesce(octet_length(arguments), 0) + coalesce(octet_length(result), 0)) AS bytes
    FROM (SELECT * FROM activity ORDER BY id DESC LIMIT ${sql.lit(SAMPLE)}) AS newest`;
  const [row] = await run(mean.compile(queryBuilder("postgres")));
  return Math.max(1, Math.floor(maxBytes / (row?.bytes ?? 1)));
}

/** Returns how many records to remove from a SQLite file that is too large; even empty tables use bytes. */
async function excessOf(run: RunQuery, maxBytes: number): Promise<number> {
  const build = queryBuilder("sqlite");
  const used = sql<{ bytes: number }>`SELECT (page_count - freelist_count) * page_size AS bytes
    FROM pragma_page_count, pragma_freelist_count, pragma_page_size`;
  if (((await run(used.compile(build)))[0]?.bytes ?? 0) <= maxBytes) return 0;
  return Math.max(0, (await tallyCount(run, {})) - 1);
}

function lastOfEach(rows: readonly Old[]): readonly Old[] {
  const last = new Map<string, Old>();
  for (const row of rows) {
    const known = last.get(row.chain);
    if (known === undefined || known.seq < row.seq) last.set(row.chain, row);
  }
  return [...last.values()];
}
