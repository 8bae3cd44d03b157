import { setImmediate as turn } from "node:timers/promises";
import { sql } from "kysely";
import {
  type ContractChange,
  type DeclaredText,
  MAX_CHANGED_SCHEMAS,
  MAX_CHANGED_TEXT,
} from "../../contracts/store.ts";
import { queryBuilder } from "../builder.ts";
import type { Database, ReadDatabase, RunQuery } from "../database.ts";
import { matchesHash } from "./lists.ts";

/** Most rows of a statement, and most bytes of texts in one transaction. */
const STEP_ROWS = 100;
const STEP_BYTES = 500_000;
/** About how many bytes a row has without its text. */
const ROW_BYTES = 200;

/**
 * Keeps the old and new texts of changed schemas, so that people can view a change after the list is gone. Long texts
 * are not kept, and only the latest ones of each server.
 */
export async function keepChangedSchemas(
  db: Database,
  server: string,
  changes: readonly ContractChange[],
  now: () => Date,
): Promise<void> {
  const hashes = new Set(changes.slice(0, MAX_CHANGED_SCHEMAS.items).flatMap(hashesOf));
  if (hashes.size === 0) return;
  const build = queryBuilder(db.dialect);
  const since = now().toISOString();
  for (const step of await db.read((run) => stepsOf(db, run, [...hashes]))) {
    await db.write({ list: `changed ${server}` }, async (run) => {
      // The texts exist already: they are copied inside the database.
      const insert = build
        .insertInto("changed_schemas")
        .columns(["server", "hash", "text", "since"])
        .expression((of) =>
          of
            .selectFrom("schemas")
            .select([
              sql<string>`CAST(${server} AS TEXT)`.as("server"),
              "hash",
              "text",
              sql<string>`CAST(${since} AS TEXT)`.as("since"),
            ])
            .where("hash", "in", step),
        )
        .onConflict((at) =>
          at
            .columns(["server", "hash"])
            .doUpdateSet((row) => ({ since: row.ref("excluded.since") })),
        );
      await run(insert.compile());
    });
    await turn();
  }
  const query = sql`DELETE FROM changed_schemas WHERE server = ${server} AND hash IN (
    SELECT hash FROM (
      SELECT hash,
        row_number() OVER (ORDER BY since DESC, hash) AS place,
        sum(length(text) + ${sql.lit(ROW_BYTES)}) OVER (ORDER BY since DESC, hash) AS size
      FROM changed_schemas WHERE server = ${server} AND NOT ${isCompared()}) kept
    WHERE place > ${sql.lit(MAX_CHANGED_SCHEMAS.items)} OR size > ${sql.lit(MAX_CHANGED_SCHEMAS.bytes)})`;
  await db.write({ list: `changed ${server}` }, (run) => run(query.compile(build)));
}

function hashesOf({ kind, inputHash, outputHash, before }: ContractChange): readonly string[] {
  const input = [inputHash, before?.inputHash];
  const output = [outputHash, before?.outputHash];
  const both = kind === "output" ? output : kind === "input" ? input : [...input, ...output];
  return both.filter((hash) => hash !== undefined);
}

/** Yields the hashes of kept texts that are not too long, in steps of limited rows and bytes. */
async function stepsOf(
  { dialect }: ReadDatabase,
  run: RunQuery,
  hashes: readonly string[],
): Promise<readonly (readonly string[])[]> {
  const steps: string[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (let at = 0; at < hashes.length; at += STEP_ROWS) {
    const some = hashes.slice(at, at + STEP_ROWS);
    const query = queryBuilder(dialect)
      .selectFrom("schemas")
      .select(["hash", sql<number>`length(text)`.as("bytes")])
      .where("hash", "in", some);
    for (const row of await run(query.compile())) {
      const size = Number(row.bytes);
      if (size > MAX_CHANGED_TEXT) continue;
      if (bytes + size > STEP_BYTES || steps.at(-1)?.length === STEP_ROWS) {
        steps.push([]);
        bytes = 0;
      }
      steps.at(-1)?.push(row.hash);
      bytes += size;
    }
  }
  return steps;
}

/** Returns a condition that a text is compared with a held declaration before its approval. */
function isCompared() {
  return sql<boolean>`EXISTS (SELECT 1 FROM pins WHERE pins.server = changed_schemas.server
    AND pins.locked_hash = changed_schemas.hash AND pins.state = 'held')`;
}

/** Deletes the texts of changes before a given time. */
export async function forgetChangedSchemas(db: Database, before: string): Promise<void> {
  const old = queryBuilder(db.dialect)
    .deleteFrom("changed_schemas")
    .where("since", "<", before)
    .where(sql<boolean>`NOT ${isCompared()}`);
  await db.write("sweep", (run) => run(old.compile()));
}

/** Returns the texts for hashes of a server's declarations, as far as they are kept and intact. */
export async function declaredTexts(
  { dialect }: ReadDatabase,
  run: RunQuery,
  server: string,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, DeclaredText>> {
  const build = queryBuilder(dialect);
  const found = new Map<string, DeclaredText>();
  const add = (kind: DeclaredText["kind"], hash: string, text: Uint8Array | null): void => {
    if (text === null || text.length > MAX_CHANGED_TEXT || !matchesHash(hash, text)) return;
    found.set(hash, { kind, text: Buffer.from(text).toString() });
  };
  const changed = build.selectFrom("changed_schemas").select(["hash", "text"]);
  const ofServer = changed.where("server", "=", server).where("hash", "in", hashes);
  for (const { hash, text } of await run(ofServer.compile())) add("schema", hash, text);
  const pins = build
    .selectFrom("pins")
    .select(["hash", "kind", "text"])
    .where("server", "=", server)
    .where("hash", "in", hashes);
  for (const { hash, kind, text } of await run(pins.compile())) {
    add(kind as DeclaredText["kind"], hash, text);
  }
  const missing = hashes.filter((hash) => !found.has(hash));
  if (missing.length === 0) return found;
  const schemas = build.selectFrom("schemas").select(["hash", "text"]).where("hash", "in", missing);
  for (const { hash, text } of await run(schemas.compile())) add("schema", hash, text);
  return found;
}
