import { sql } from "kysely";
import { listHash } from "../../contracts/list-hash.ts";
import { isSealed } from "../../features/drift/shape-text.ts";
import { queryBuilder } from "./builder.ts";
import { ContractTables, isIntact } from "./contract-tables.ts";
import type { ReadDatabase, RunQuery } from "./database.ts";
import { isScopeSealed } from "./scope-seal.ts";
import { shown } from "./shown.ts";
import type { TableName } from "./tables.ts";

/** How many texts to read at a time: each may have some megabytes. */
const STEP = 20;

/** What is wrong with texts, tool lists and shapes of results. */
export interface KeptCheck {
  readonly faults: readonly string[];
  /** Lists of servers, and how many of these an earlier build has written, without a digest of the row. */
  readonly lists: number;
  readonly unsealed: number;
}

/**
 * Compares the texts of schemas and declarations, tool lists, and the shapes of results with their digests.
 * @param may whether tables can be read
 */
export async function keptFaults(
  db: ReadDatabase,
  run: RunQuery,
  may: (tables: readonly TableName[]) => boolean,
): Promise<KeptCheck> {
  const lists = may(["lists", "list_tools", "list_scopes", "schemas"])
    ? await listFaults(db, run)
    : { faults: [], lists: 0, unsealed: 0 };
  const faults = may(["schemas"]) ? [...(await schemaFaults(db, run))] : [];
  faults.push(...lists.faults);
  if (may(["drift"])) faults.push(...(await shapeFaults(db, run)));
  for (const table of ["pins", "changed_schemas"] as const) {
    if (may([table])) faults.push(...(await textFaults(db, run, table)));
  }
  return { ...lists, faults };
}

async function schemaFaults(db: ReadDatabase, run: RunQuery): Promise<readonly string[]> {
  const faults: string[] = [];
  for (let after = 0; ; ) {
    const step = sql<{ id: number; hash: string; text: Uint8Array | ArrayBuffer }>`
      SELECT id, hash, text FROM schemas WHERE id > ${after} ORDER BY id LIMIT ${sql.lit(STEP)}`;
    const rows = await run(step.compile(queryBuilder(db.dialect)));
    for (const { hash, text } of rows) {
      if (isIntact(hash, Buffer.from(text as ArrayBuffer))) continue;
      faults.push(`the text of the schema ${shown(hash)} was changed`);
    }
    if (rows.length < STEP) return faults;
    after = Number(rows.at(-1)?.id);
  }
}

async function listFaults(db: ReadDatabase, run: RunQuery): Promise<KeptCheck> {
  const faults: string[] = [];
  const scopes = sql<{
    server: string;
    revision: string;
    authorization: string;
    list: number;
    since: string;
    hash: string | null;
  }>`
    SELECT server, revision, "authorization", list, since, hash
    FROM list_scopes LEFT JOIN lists ON lists.id = list
    ORDER BY server, revision, "authorization"`;
  const tables = new ContractTables(db.dialect);
  const known = new Map<number, boolean>();
  const rows = await run(scopes.compile(queryBuilder(db.dialect)));
  let unsealed = 0;
  for (const { list, hash, since, ...scope } of rows) {
    const what = `the list of tools of ${shown(scope.server)} (${scope.revision})`;
    let isWhole = known.get(list);
    if (isWhole === undefined) {
      // A list of an earlier release has no digest until it is seen again.
      isWhole =
        hash?.startsWith("before digests ") === true ||
        hash === listHash(await tables.hashesOf(run, list));
      known.set(list, isWhole);
    }
    const isOwn = hash === null ? false : isScopeSealed(since, scope, hash);
    if (!isWhole) {
      faults.push(`${what} was changed`);
    } else if (isOwn === undefined) {
      unsealed += 1;
    } else if (!isOwn) {
      faults.push(
        `table list_scopes: ${what} is not the one that it had. Delete the row: the server's next list is kept`,
      );
    }
  }
  return { faults, lists: rows.length, unsealed };
}

async function shapeFaults(db: ReadDatabase, run: RunQuery): Promise<readonly string[]> {
  const faults: string[] = [];
  const drift = sql<{
    server: string;
    tool: string;
    schema_hash: string;
    schema: string;
    shape: string;
  }>`
    SELECT server, tool, schema_hash, schema, shape FROM drift ORDER BY server, tool, schema_hash`;
  for (const row of await run(drift.compile(queryBuilder(db.dialect)))) {
    const { server, tool, schema_hash, schema, shape } = row;
    // Text that is not UTF-8 was not stored as it came.
    const isText = !schema.includes("\ufffd");
    if (
      (isText && !isIntact(schema_hash, Buffer.from(schema))) ||
      !isSealed(shape, [server, tool, schema_hash])
    ) {
      faults.push(`what is kept of the results of ${shown(server)}/${shown(tool)} was changed`);
    }
  }
  return faults;
}

/** Texts of declarations and of earlier schemas, which people compare before they approve. */
async function textFaults(
  db: ReadDatabase,
  run: RunQuery,
  table: "pins" | "changed_schemas",
): Promise<readonly string[]> {
  const faults: string[] = [];
  const key = table === "pins" ? ["server", "kind", "name", "hash"] : ["server", "hash"];
  const columns = sql.join(key.map((name) => sql.ref(name)));
  for (let after = sql``; ; ) {
    const step = sql<Readonly<Record<string, unknown>> & { hash: string; server: string }>`
      SELECT ${columns}, text FROM ${sql.table(table)} WHERE text IS NOT NULL ${after}
      ORDER BY ${columns} LIMIT ${sql.lit(STEP)}`;
    const rows = await run(step.compile(queryBuilder(db.dialect)));
    for (const { hash, server, text } of rows) {
      if (isIntact(hash, Buffer.from(text as ArrayBuffer))) continue;
      faults.push(
        `table ${table}: the text of ${shown(hash)} of ${shown(server)} does not match its hash. It is not used`,
      );
    }
    const last = rows.at(-1);
    if (rows.length < STEP || last === undefined) return faults;
    after = sql`AND (${columns}) > (${sql.join(key.map((name) => last[name]))})`;
  }
}
