import { sql } from "kysely";
import { listHash } from "../../contracts/list-hash.ts";
import { queryBuilder } from "../builder.ts";
import type { ReadDatabase, RunQuery } from "../database.ts";
import type { CanReadTables, KeptCheck } from "../kept-part.ts";
import { TEXTS_AT_A_TIME, textHashFaults } from "../kept-texts.ts";
import { shownText } from "../shown-text.ts";
import { ContractTables, matchesHash } from "./lists.ts";
import { isScopeSealed } from "./scope-seal.ts";

/** Compares tool lists, and the texts of their schemas, with their digests. */
export async function checkLists(
  db: ReadDatabase,
  run: RunQuery,
  may: CanReadTables,
): Promise<KeptCheck> {
  const texts = may(["schemas"]) ? await schemaFaults(db, run) : [];
  const { faults, ...counts } = may(["lists", "list_tools", "list_scopes", "schemas"])
    ? await listFaults(db, run)
    : { faults: [] };
  const earlier = may(["changed_schemas"])
    ? await textHashFaults(db, run, "changed_schemas", ["server", "hash"])
    : [];
  return { faults: [...texts, ...faults, ...earlier], ...counts };
}

async function schemaFaults(db: ReadDatabase, run: RunQuery): Promise<readonly string[]> {
  const faults: string[] = [];
  for (let after = 0; ; ) {
    const step = sql<{ id: number; hash: string; text: Uint8Array | ArrayBuffer }>`
      SELECT id, hash, text FROM schemas WHERE id > ${after} ORDER BY id LIMIT ${sql.lit(TEXTS_AT_A_TIME)}`;
    const rows = await run(step.compile(queryBuilder(db.dialect)));
    for (const { hash, text } of rows) {
      if (matchesHash(hash, Buffer.from(text as ArrayBuffer))) continue;
      faults.push(`the text of the schema ${shownText(hash)} was changed`);
    }
    if (rows.length < TEXTS_AT_A_TIME) return faults;
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
    const what = `the list of tools of ${shownText(scope.server)} (${scope.revision})`;
    let isWhole = known.get(list);
    if (isWhole === undefined) {
      // A list of an earlier release gets a digest when it is seen again.
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
  return { faults, lists: rows.length, unsealed_lists: unsealed };
}
