import { createHash } from "node:crypto";
import { sql } from "kysely";
import { listHash } from "../../contracts/list-hash.ts";
import { isSealed } from "../../drift/shape-text.ts";
import { queryBuilder } from "./builder.ts";
import { ContractTables } from "./contract-tables.ts";
import type { ReadDatabase, RunQuery } from "./database.ts";

/** How many schemas to read at a time: each may have some megabytes. */
const STEP = 20;

/**
 * Returns what is wrong with the other data of the store, in a line each: the texts of schemas, the tool lists, and
 * the shapes of results. Each is compared with its digest.
 */
export async function keptFaults(db: ReadDatabase, run: RunQuery): Promise<readonly string[]> {
  const build = queryBuilder(db.dialect);
  const faults: string[] = [];
  for (let after = 0; ; ) {
    const step = sql<{ id: number; hash: string; text: Uint8Array | ArrayBuffer }>`
      SELECT id, hash, text FROM schemas WHERE id > ${after} ORDER BY id LIMIT ${sql.lit(STEP)}`;
    const rows = await run(step.compile(build));
    for (const { hash, text } of rows) {
      if (digest(Buffer.from(text as ArrayBuffer)) === hash) continue;
      faults.push(`the text of the schema ${shown(hash)} was changed`);
    }
    if (rows.length < STEP) break;
    after = Number(rows.at(-1)?.id);
  }
  const scopes = sql<{ server: string; revision: string; list: number; hash: string | null }>`
    SELECT server, revision, list, hash FROM list_scopes LEFT JOIN lists ON lists.id = list
    ORDER BY server, revision, "authorization"`;
  const tables = new ContractTables(db.dialect);
  const known = new Map<number, boolean>();
  for (const { server, revision, list, hash } of await run(scopes.compile(build))) {
    let isWhole = known.get(list);
    if (isWhole === undefined) {
      // A list of an earlier release has no digest until it is seen again.
      isWhole =
        hash?.startsWith("before digests ") === true ||
        hash === listHash(await tables.hashesOf(run, list));
      known.set(list, isWhole);
    }
    if (!isWhole) faults.push(`the list of tools of ${shown(server)} (${revision}) was changed`);
  }
  const drift = sql<{
    server: string;
    tool: string;
    schema_hash: string;
    schema: string;
    shape: string;
  }>`
    SELECT server, tool, schema_hash, schema, shape FROM drift ORDER BY server, tool, schema_hash`;
  for (const row of await run(drift.compile(build))) {
    const { server, tool, schema_hash, schema, shape } = row;
    // Text that is not UTF-8 was not stored as it came.
    const isText = !schema.includes("\ufffd");
    if (
      (isText && digest(Buffer.from(schema)) !== schema_hash) ||
      !isSealed(shape, [server, tool, schema_hash])
    ) {
      faults.push(`what is kept of the results of ${shown(server)}/${shown(tool)} was changed`);
    }
  }
  return faults;
}

function digest(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

/** A part of a database that somebody may have changed. */
function shown(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 99)}…` : text);
}
