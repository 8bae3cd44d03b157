import { sql } from "kysely";
import { type ContractChange, MAX_CHANGED } from "../../contracts/store.ts";
import { queryBuilder } from "./builder.ts";
import { toolColumn } from "./contract-tables.ts";
import type { Database, RunQuery } from "./database.ts";
import type { Dialect } from "./tables.ts";

/** Most rows of a statement. */
const STEP_ROWS = 200;

/**
 * Returns the changes of a list that no other list of the server has had since this one was kept, and notes them. A
 * server has one list for each revision and authorization, and a change of a tool shows in each of them.
 * @param since when the scope's list before was kept
 */
export async function newChanges(
  dialect: Dialect,
  run: RunQuery,
  { server, since, at }: { readonly server: string; readonly since: string; readonly at: string },
  changes: readonly ContractChange[],
): Promise<readonly ContractChange[]> {
  const rows = changes
    .map((of) => ({ server, tool: toolColumn(of.tool), change: wordsOf(of), at }))
    // The order of rows prevents deadlocks between gateways.
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const fresh = new Set<string>();
  for (let from = 0; from < rows.length; from += STEP_ROWS) {
    const insert = queryBuilder(dialect)
      .insertInto("list_changes")
      .values(rows.slice(from, from + STEP_ROWS))
      .onConflict((on) =>
        on
          .columns(["server", "tool", "change"])
          .doUpdateSet((row) => ({ at: row.ref("excluded.at") }))
          // An earlier one was undone before this list was kept.
          .where(sql<boolean>`list_changes.at <= ${since}`),
      )
      .returning(["tool", "change"]);
    for (const row of await run(insert.compile())) fresh.add(keyOf(row));
  }
  return changes.filter((of) =>
    fresh.has(keyOf({ tool: toolColumn(of.tool), change: wordsOf(of) })),
  );
}

function keyOf({ tool, change }: { readonly tool: string; readonly change: string }): string {
  return `${tool}\n${change}`;
}

/** Returns a change as text: its kind, and the hashes of its schemas before and after. */
function wordsOf({ kind, inputHash, outputHash, before }: ContractChange): string {
  const input = [before?.inputHash, inputHash];
  const output = [before?.outputHash, outputHash];
  const hashes = kind === "input" ? input : kind === "output" ? output : [...input, ...output];
  return [kind, ...hashes.map((hash) => hash ?? "none")].join(" ");
}

/** Drops the oldest changes of a server beyond the bound: a server may declare new schemas each time. */
export async function boundChanges(db: Database, server: string): Promise<void> {
  const query = sql`DELETE FROM list_changes WHERE (server, tool, change) IN (
    SELECT server, tool, change FROM (
      SELECT server, tool, change,
        row_number() OVER (ORDER BY at DESC, tool, change) AS place
      FROM list_changes WHERE server = ${server}) kept
    WHERE place > ${sql.lit(MAX_CHANGED.items)})`;
  const build = queryBuilder(db.dialect);
  await db.write({ list: `changed ${server}` }, (run) => run(query.compile(build)));
}

/** Deletes the changes from before a time. */
export async function forgetChanges(db: Database, before: string): Promise<void> {
  const old = queryBuilder(db.dialect).deleteFrom("list_changes").where("at", "<", before);
  await db.write("sweep", (run) => run(old.compile()));
}
