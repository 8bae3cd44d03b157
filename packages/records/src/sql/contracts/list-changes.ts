import { setImmediate as turn } from "node:timers/promises";
import { sql } from "kysely";
import { type ContractChange, MAX_CHANGED_SCHEMAS } from "../../contracts/store.ts";
import { queryBuilder } from "../builder.ts";
import type { Database } from "../database.ts";
import { toolColumn } from "./lists.ts";

/** Most rows of one statement. */
const STEP_ROWS = 200;

/** Most changes that are read in one turn of the event loop, because names of tools may be long. */
const STEP_NAMES = 1_000;

interface Noted {
  readonly of: ContractChange;
  readonly row: Record<"server" | "tool" | "change" | "at", string>;
  readonly key: string;
}

/**
 * Returns the changes of a list that no other list of the server has had since the scope's previous list was kept,
 * and stores them. A server has one list for each revision and authorization, and a change of a tool shows in each of
 * them. Writes few rows in each transaction, since SQLite works on the thread that relays messages. If there are more
 * changes than are kept, those beyond the limit count as new.
 * @param since when the previous list of the scope was kept
 */
export async function newChanges(
  db: Database,
  { server, since, at }: { readonly server: string; readonly since: string; readonly at: string },
  changes: readonly ContractChange[],
): Promise<readonly ContractChange[]> {
  // The previous transaction has used up its time.
  await turn();
  const noted: Noted[] = [];
  for (const [place, of] of changes.entries()) {
    if (place % STEP_NAMES === STEP_NAMES - 1) await turn();
    const row = { server, tool: toolColumn(of.tool), change: wordsOf(of), at };
    noted.push({ of, row, key: keyOf(row) });
  }
  await turn();
  // Other lists write the same rows, and earlier builds need a fixed order against deadlocks.
  const sorted = noted.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  const rows = sorted.slice(0, MAX_CHANGED_SCHEMAS.items).map(({ row }) => row);
  const fresh = new Set(sorted.slice(MAX_CHANGED_SCHEMAS.items).map(({ key }) => key));
  await turn();
  for (let from = 0; from < rows.length; from += STEP_ROWS) {
    const insert = queryBuilder(db.dialect)
      .insertInto("list_changes")
      .values(rows.slice(from, from + STEP_ROWS))
      .onConflict((on) =>
        on
          .columns(["server", "tool", "change"])
          .doUpdateSet((row) => ({ at: row.ref("excluded.at") }))
          // An earlier change was undone before this list was kept.
          .where(sql<boolean>`list_changes.at <= ${since}`),
      )
      .returning(["tool", "change"]);
    const added = await db.write({ list: `changed ${server}` }, (run) => run(insert.compile()));
    for (const row of added) fresh.add(keyOf(row));
    await turn();
  }
  return noted.filter(({ key }) => fresh.has(key)).map(({ of }) => of);
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

/** Drops the oldest changes of a server beyond the limit, because a server may declare new schemas each time. */
export async function boundChanges(db: Database, server: string): Promise<void> {
  const query = sql`DELETE FROM list_changes WHERE (server, tool, change) IN (
    SELECT server, tool, change FROM (
      SELECT server, tool, change,
        row_number() OVER (ORDER BY at DESC, tool, change) AS place
      FROM list_changes WHERE server = ${server}) kept
    WHERE place > ${sql.lit(MAX_CHANGED_SCHEMAS.items)})`;
  const build = queryBuilder(db.dialect);
  await db.write({ list: `changed ${server}` }, (run) => run(query.compile(build)));
}

/** Deletes the changes before a given time. */
export async function forgetChanges(db: Database, before: string): Promise<void> {
  const old = queryBuilder(db.dialect).deleteFrom("list_changes").where("at", "<", before);
  await db.write("sweep", (run) => run(old.compile()));
}
