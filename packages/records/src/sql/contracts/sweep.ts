import { setImmediate as turn } from "node:timers/promises";
import { sql } from "kysely";
import { LIST_USE_PRECISION_MS, UNUSED_LIST_MS } from "../../contracts/store.ts";
import { idTime } from "../../ids.ts";
import { queryBuilder } from "../builder.ts";
import type { Database, RunQuery } from "../database.ts";
import type { Dialect } from "../tables.ts";
import { largestSkew } from "../totals.ts";
import { forgetChangedSchemas } from "./changed-schemas.ts";
import { forgetChanges } from "./list-changes.ts";

/**
 * How many tools to remove in one statement, which is one transaction in SQLite: others wait for a few milliseconds.
 */
const STEP = 200;

/** Removes lists that no scope refers to, and texts that no list refers to. */
export async function sweepLists(
  db: Database,
  lists: Iterable<number>,
  signal?: AbortSignal,
): Promise<void> {
  for (const list of new Set(lists)) {
    // Usually there is nothing to remove, so the lock is not needed.
    if (await db.read((run) => isUsed(db.dialect, run, list))) continue;
    for (let left = true; left && signal?.aborted !== true; ) {
      left = await db.write("sweep", async (run) => {
        // Another process may use the list again between two transactions.
        if (await isUsed(db.dialect, run, list)) return false;
        while (await removeTools(db.dialect, run, list)) {
          // Other gateways on PostgreSQL assume that an existing list is complete.
          if (db.dialect === "sqlite") return true;
        }
        const query = queryBuilder(db.dialect).deleteFrom("lists").where("id", "=", list);
        await run(query.compile());
        return false;
      });
      if (left) await turn();
    }
  }
}

/**
 * Returns the time of the last use before which a list may be removed: {@link UNUSED_LIST_MS} ago, or before the oldest record
 * whose call it may have checked.
 */
async function unneededBefore(db: Database, now: Date): Promise<string> {
  const ids = queryBuilder(db.dialect).selectFrom("activity").select("id");
  const oldest = ids.orderBy("id").limit(1);
  const [[record], skew] = await db.read(async (run) => [
    await run(oldest.compile()),
    await largestSkew(db, run),
  ]);
  const unused = now.getTime() - UNUSED_LIST_MS;
  if (record === undefined) return new Date(unused).toISOString();
  return new Date(Math.min(unused, timeOf(record.id) - skew - LIST_USE_PRECISION_MS)).toISOString();
}

/** Returns the time in an id; infinity for a damaged one, so that it does not keep any list. */
function timeOf(id: string): number {
  try {
    return idTime(id);
  } catch {
    return Infinity;
  }
}

/**
 * Removes lists that were not used for {@link UNUSED_LIST_MS}, nor since the oldest record was made, and everything
 * that only they refer to: records refer to schemas by hash.
 */
export async function sweepOldLists(db: Database, now: Date, signal?: AbortSignal): Promise<void> {
  const build = queryBuilder(db.dialect);
  const before = await unneededBefore(db, now);
  await db.write("sweep", (run) =>
    run(build.deleteFrom("list_scopes").where("used", "<", before).compile()),
  );
  const unused = build
    .selectFrom("lists")
    .select("id")
    .where("id", "not in", (of) => of.selectFrom("list_scopes").select("list"));
  const left = await db.read((run) => run(unused.compile()));
  await sweepLists(
    db,
    left.map(({ id }) => id),
    signal,
  );
  await forgetChangedSchemas(db, before);
  await forgetChanges(db, before);
  // A schema may have been kept only for a request.
  if (db.dialect === "sqlite") return;
  await db.write("sweep", (run) => run(removeSchemas(db.dialect).compile()));
}

async function isUsed(dialect: Dialect, run: RunQuery, list: number): Promise<boolean> {
  const query = queryBuilder(dialect).selectFrom("list_scopes").select("list").limit(1);
  return (await run(query.where("list", "=", list).compile())).length > 0;
}

/** Removes some tools of a list. Returns whether there may be more. */
async function removeTools(dialect: Dialect, run: RunQuery, list: number): Promise<boolean> {
  const build = queryBuilder(dialect);
  const remove = build
    .deleteFrom("list_tools")
    .where("list", "=", list)
    .where("tool", "in", (of) =>
      of
        .selectFrom("list_tools")
        .select("tool")
        .where("list", "=", list)
        .orderBy("tool")
        .limit(STEP),
    )
    .returning([integer("input"), integer("output")]);
  const gone = await run(remove.compile());
  const schemas = new Set(
    gone.flatMap(({ input, output }) => [input, output]).filter((id) => id !== null),
  );
  if (schemas.size > 0)
    await run(
      removeSchemas(dialect)
        .where("id", "in", [...schemas])
        .compile(),
    );
  return gone.length === STEP;
}

/** Returns a number column of a writing statement as a number, even if it is damaged. */
function integer<Name extends string>(name: Name) {
  return sql<number | null>`CAST(${sql.ref(name)} AS BIGINT)`.as(name);
}

/** Removes texts that no list refers to. */
function removeSchemas(dialect: Dialect) {
  const query = queryBuilder(dialect)
    .deleteFrom("schemas")
    .where(sql<boolean>`NOT EXISTS (SELECT 1 FROM list_tools WHERE input = schemas.id)`)
    .where(sql<boolean>`NOT EXISTS (SELECT 1 FROM list_tools WHERE output = schemas.id)`);
  if (dialect === "sqlite") return query;
  return query.where(
    sql<boolean>`NOT EXISTS (SELECT 1 FROM requests WHERE requests.output = schemas.hash)`,
  );
}
