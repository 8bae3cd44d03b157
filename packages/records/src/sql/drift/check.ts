import { sql } from "kysely";
import { isSealed } from "../../drift/shape-text.ts";
import { queryBuilder } from "../builder.ts";
import { matchesHash } from "../contracts/lists.ts";
import type { ReadDatabase, RunQuery } from "../database.ts";
import type { CanReadTables, KeptCheck } from "../kept-part.ts";
import { shownText } from "../shown-text.ts";

/** Compares the shapes of results with their digests. */
export async function checkShapes(
  db: ReadDatabase,
  run: RunQuery,
  may: CanReadTables,
): Promise<KeptCheck> {
  if (!may(["drift"])) return { faults: [] };
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
    // Text that is not UTF-8 was changed when it was stored, so it cannot be compared.
    const isText = !schema.includes("\ufffd");
    if (
      (isText && !matchesHash(schema_hash, Buffer.from(schema))) ||
      !isSealed(shape, [server, tool, schema_hash])
    ) {
      faults.push(
        `what is kept of the results of ${shownText(server)}/${shownText(tool)} was changed`,
      );
    }
  }
  return { faults };
}
