import { sql } from "kysely";
import type { ActivityScope } from "../../filter.ts";
import type { FoundBodies } from "../../query-scope.ts";
import { queryBuilder } from "../builder.ts";
import { likePattern } from "../conditions.ts";
import { plainQuery, type ReadDatabase, type RunQuery } from "../database.ts";
import { HAS_BODY, UNSEARCHED_CHAINS } from "./fill.ts";
import { SEARCH_INDEX } from "./tables.ts";

/** If more calls have a text, reading the calls is faster, because an index must return all of them. */
const MOST_FOUND = 5_000;
/** How many call numbers one query covers. */
const RANGE = 100_000;
/** How long SQLite may take for all ranges, and PostgreSQL for its query, in milliseconds. */
const PATIENCE_MS = 500;
/**
 * How many chains may have calls that are not in the index yet, and how many records. If there are more, the index is
 * not used.
 */
const MOST_CHAINS = 20;
const MOST_WAITING = 20_000;
/** How many pieces of a text are looked up in the index. */
const MOST_PIECES = 24;
/** How many texts of a query are looked up in the index. */
const MOST_TEXTS = 4;

/** A scope whose texts were looked up. */
export interface IndexedScope {
  readonly scope: ActivityScope;
  /** Whether the index supplied the results for all texts that it supports. */
  readonly isIndexed: boolean;
}

/**
 * Looks up which calls have the texts of a scope in their arguments and results. Texts that the index does not
 * support are compared with each call: those of fewer than three characters, those that very many calls have, and all
 * of them if PostgreSQL has no index.
 */
export async function lookUp(
  db: ReadDatabase,
  run: RunQuery,
  scope: ActivityScope,
): Promise<IndexedScope> {
  const { texts = [] } = scope;
  let isIndexed = true;
  const known: NonNullable<ActivityScope["texts"]>[number][] = [];
  for (const [at, condition] of texts.entries()) {
    const { text, isExcluded } = condition;
    const found = isExcluded || at >= MOST_TEXTS ? undefined : await foundBodies(db, run, text);
    if (found === undefined) isIndexed = false;
    known.push(found === undefined ? condition : { ...condition, found });
  }
  return { scope: texts.length === 0 ? scope : { ...scope, texts: known }, isIndexed };
}

async function foundBodies(
  db: ReadDatabase,
  run: RunQuery,
  text: string,
): Promise<FoundBodies | undefined> {
  if (text.includes("\0") || !text.isWellFormed()) return undefined;
  return db.dialect === "sqlite" ? inSqlite(run, text) : inPostgres(run, text);
}

interface Waiting {
  readonly own: string;
  readonly appended: number;
  readonly known: number;
}

async function inSqlite(run: RunQuery, text: string): Promise<FoundBodies | undefined> {
  const match = piecesOf(text);
  if (match === undefined) return undefined;
  const waiting = await run<Waiting>(plainQuery(`${UNSEARCHED_CHAINS} LIMIT ${MOST_CHAINS + 1}`));
  const records = waiting.reduce((sum, { appended, known }) => sum + appended - known, 0);
  if (waiting.length > MOST_CHAINS || records > MOST_WAITING) return undefined;
  const [last] = await run<{ readonly n: number | null }>(
    plainQuery("SELECT max(n) AS n FROM searched"),
  );
  const pattern = likePattern(text);
  const ids: string[] = [];
  const end = performance.now() + PATIENCE_MS;
  for (let to = last?.n ?? 0; to > 0; to -= RANGE) {
    if (performance.now() > end) return undefined;
    const rows = await run(
      plainQuery<{ readonly id: string }>(
        `SELECT record AS id FROM ${SEARCH_INDEX} f JOIN searched s ON s.n = f.rowid
          JOIN activity a ON a.id = s.record
          WHERE f.${SEARCH_INDEX} MATCH ?1 AND f.rowid BETWEEN ?2 AND ?3
            AND (a.arguments LIKE ?4 ESCAPE '\\' OR a.result LIKE ?4 ESCAPE '\\') LIMIT ?5`,
        [match, to - RANGE + 1, to, pattern, MOST_FOUND + 1 - ids.length],
      ),
    );
    ids.push(...rows.map(({ id }) => id));
    if (ids.length > MOST_FOUND) return undefined;
  }
  return { ids, waiting: waiting.map(({ own, known }) => ({ chain: own, from: known })) };
}

/**
 * Returns a query for all pieces of three characters, each in quotes, so that no part of a text is read as syntax.
 * The index does not know their order, so the calls that it finds are compared.
 */
function piecesOf(text: string): string | undefined {
  const characters: string[] = [];
  for (const character of text) characters.push(character);
  const pieces = new Set<string>();
  for (let at = 0; at + 3 <= characters.length && pieces.size < MOST_PIECES; at += 1) {
    pieces.add(characters.slice(at, at + 3).join(""));
  }
  if (pieces.size === 0) return undefined;
  return [...pieces].map((piece) => `"${piece.replaceAll('"', '""')}"`).join(" ");
}

/** The name of the index on records in PostgreSQL. */
export const POSTGRES_INDEX = "activity_search";
/** The expression that the index covers. */
export const BODIES = "(coalesce(arguments, '') || ' ' || coalesce(result, ''))";
const IS_MADE = `SELECT 1 AS made FROM pg_index WHERE indexrelid = to_regclass('${POSTGRES_INDEX}') AND indisvalid`;
/** The index contains only words of letters and digits. */
const HAS_PIECE = /[\p{L}\p{N}]{3}/u;

async function inPostgres(run: RunQuery, text: string): Promise<FoundBodies | undefined> {
  if (!HAS_PIECE.test(text)) return undefined;
  if ((await run(plainQuery(IS_MADE))).length === 0) return undefined;
  await run(plainQuery("SAVEPOINT look_up"));
  try {
    await run(
      plainQuery(
        `SELECT set_config('statement_timeout', '${PATIENCE_MS}', true), set_config('enable_seqscan', 'off', true)`,
      ),
    );
    const pattern = likePattern(text);
    const like = (column: string) => sql`${sql.raw(column)} ILIKE ${pattern} ESCAPE '\\'`;
    const rows = await run(
      sql<{
        readonly id: string;
      }>`SELECT id FROM activity WHERE ${sql.raw(HAS_BODY)} AND ${like(BODIES)}
        AND (${like("arguments")} OR ${like("result")}) LIMIT ${sql.lit(MOST_FOUND + 1)}`.compile(
        queryBuilder("postgres"),
      ),
    );
    if (rows.length > MOST_FOUND) return undefined;
    return { ids: rows.map(({ id }) => id), waiting: [] };
  } catch {
    // The query took too long. The calls are compared instead.
    return undefined;
  } finally {
    // This also restores the settings.
    await run(plainQuery("ROLLBACK TO SAVEPOINT look_up"));
  }
}
