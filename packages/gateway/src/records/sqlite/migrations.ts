import { ActivityError } from "../errors.ts";
import { type Connection, inTransaction } from "./connection.ts";

/** The step at index n brings a database from `user_version` n to n + 1. Steps never change. */
export const STEPS: readonly string[] = [
  `CREATE TABLE activity (
     id TEXT NOT NULL PRIMARY KEY,
     time TEXT NOT NULL,
     type TEXT NOT NULL,
     source TEXT NOT NULL,
     server TEXT,
     tool TEXT,
     direction TEXT,
     mode TEXT,
     decision TEXT,
     status TEXT,
     outcome TEXT,
     reason TEXT,
     issues TEXT NOT NULL,
     guard TEXT,
     schema_hash TEXT,
     client TEXT,
     session TEXT,
     request_id TEXT,
     bytes_in INTEGER,
     bytes_out INTEGER,
     duration_ms REAL,
     prev_hash TEXT NOT NULL,
     hash TEXT NOT NULL,
     chain TEXT NOT NULL,
     seq INTEGER NOT NULL
   ) STRICT;
   CREATE UNIQUE INDEX activity_chain ON activity (chain, seq);
   CREATE INDEX activity_time ON activity (time, id);
   CREATE INDEX activity_type ON activity (type, id);
   CREATE INDEX activity_tool ON activity (server, tool, id);
   CREATE INDEX activity_status ON activity (status, id);
   CREATE INDEX activity_request ON activity (request_id);
   CREATE INDEX activity_session ON activity (session, id);`,
  `CREATE TABLE contracts (
     server TEXT NOT NULL,
     revision TEXT NOT NULL,
     authorization TEXT NOT NULL,
     tool TEXT NOT NULL,
     input_hash TEXT,
     output_hash TEXT,
     input_schema BLOB,
     output_schema BLOB,
     since TEXT NOT NULL,
     PRIMARY KEY (server, revision, authorization, tool)
   ) STRICT;`,
  // A list that holds no tool is a list as well.
  `CREATE TABLE contract_lists (
     server TEXT NOT NULL,
     revision TEXT NOT NULL,
     authorization TEXT NOT NULL,
     PRIMARY KEY (server, revision, authorization)
   ) STRICT;
   INSERT INTO contract_lists SELECT DISTINCT server, revision, authorization FROM contracts;`,
  // What chains hold beyond their records, and how many records there are of each kind in each hour.
  `ALTER TABLE activity ADD COLUMN arguments TEXT;
   ALTER TABLE activity ADD COLUMN result TEXT;
   ALTER TABLE activity ADD COLUMN redactions INTEGER;
   ALTER TABLE activity ADD COLUMN rules TEXT;
   UPDATE activity SET rules = (SELECT group_concat(DISTINCT json_extract(value, '$.rule'))
     FROM json_each(issues)) WHERE issues <> '[]' AND json_valid(issues);
   CREATE TABLE chains (
     chain TEXT NOT NULL PRIMARY KEY,
     records INTEGER NOT NULL,
     head TEXT NOT NULL,
     skew_ms INTEGER NOT NULL,
     pruned INTEGER NOT NULL DEFAULT 0,
     pruned_id TEXT,
     pruned_hash TEXT
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX chains_skew ON chains (skew_ms);
   INSERT INTO chains (chain, records, head, skew_ms)
     SELECT chain, max(seq) + 1, hash, 4000000000000 FROM activity GROUP BY chain;
   CREATE TABLE tally (
     hour TEXT NOT NULL,
     type TEXT NOT NULL,
     server TEXT NOT NULL,
     tool TEXT NOT NULL,
     direction TEXT NOT NULL,
     decision TEXT NOT NULL,
     status TEXT NOT NULL,
     records INTEGER NOT NULL,
     PRIMARY KEY (hour, type, server, tool, direction, decision, status)
   ) STRICT, WITHOUT ROWID;
   INSERT INTO tally SELECT substr(time, 1, 13), type, ifnull(server, ''), ifnull(tool, ''),
     ifnull(direction, ''), ifnull(decision, ''), ifnull(status, ''), count(*)
     FROM activity GROUP BY 1, 2, 3, 4, 5, 6, 7;
   INSERT INTO tally SELECT '', type, server, tool, direction, decision, status, sum(records)
     FROM tally GROUP BY 2, 3, 4, 5, 6, 7;
   CREATE TRIGGER activity_removed AFTER DELETE ON activity BEGIN
     UPDATE tally SET records = records - 1 WHERE hour IN ('', substr(old.time, 1, 13))
       AND type = old.type AND server = ifnull(old.server, '') AND tool = ifnull(old.tool, '')
       AND direction = ifnull(old.direction, '') AND decision = ifnull(old.decision, '')
       AND status = ifnull(old.status, '');
     DELETE FROM tally WHERE hour IN ('', substr(old.time, 1, 13))
       AND type = old.type AND server = ifnull(old.server, '') AND tool = ifnull(old.tool, '')
       AND direction = ifnull(old.direction, '') AND decision = ifnull(old.decision, '')
       AND status = ifnull(old.status, '') AND records <= 0;
   END;
   DROP INDEX activity_time;
   CREATE INDEX activity_tool_name ON activity (tool, id) WHERE tool IS NOT NULL;
   CREATE INDEX activity_server ON activity (server, id) WHERE server IS NOT NULL;
   CREATE INDEX activity_decision ON activity (decision, id) WHERE decision IS NOT NULL;
   CREATE INDEX activity_direction ON activity (direction, id) WHERE direction IS NOT NULL;`,
  // What results of a tool were like.
  `CREATE TABLE drift (
     server TEXT NOT NULL,
     tool TEXT NOT NULL,
     schema_hash TEXT NOT NULL,
     schema TEXT NOT NULL,
     shape TEXT NOT NULL,
     since TEXT NOT NULL,
     until TEXT NOT NULL,
     PRIMARY KEY (server, tool, schema_hash)
   ) STRICT;`,
  // Fewer indexes, as each takes time with every record: `sql/routes.ts` tells how these are used.
  `DROP INDEX activity_type;
   DROP INDEX activity_status;
   DROP INDEX activity_decision;
   DROP INDEX activity_direction;
   DROP INDEX activity_server;
   DROP INDEX activity_tool;
   DROP INDEX activity_tool_name;
   DROP INDEX activity_session;
   CREATE INDEX activity_kind ON activity (type, direction, decision, status, server, id);
   CREATE INDEX activity_tool ON activity (tool, server, id) WHERE tool IS NOT NULL;
   CREATE INDEX activity_session ON activity (session, id) WHERE session IS NOT NULL;`,
  // A schema's text stands once, and so does a list, however many clients are given it. Lists of before
  // have no digest: each is one of its own until it is seen again. Text is read of one row for each schema.
  `CREATE TABLE schemas (
     id INTEGER PRIMARY KEY,
     hash TEXT NOT NULL UNIQUE,
     text BLOB NOT NULL,
     since TEXT NOT NULL
   ) STRICT;
   CREATE TABLE lists (
     id INTEGER PRIMARY KEY,
     hash TEXT NOT NULL UNIQUE
   ) STRICT;
   CREATE TABLE list_tools (
     list INTEGER NOT NULL,
     tool TEXT NOT NULL,
     input INTEGER,
     output INTEGER,
     PRIMARY KEY (list, tool)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE list_scopes (
     server TEXT NOT NULL,
     revision TEXT NOT NULL,
     authorization TEXT NOT NULL,
     list INTEGER NOT NULL,
     since TEXT NOT NULL,
     used TEXT NOT NULL,
     PRIMARY KEY (server, revision, authorization)
   ) STRICT, WITHOUT ROWID;
   INSERT INTO schemas (hash, text, since) SELECT input_hash, input_schema, since FROM contracts
     WHERE rowid IN (SELECT min(rowid) FROM contracts
       WHERE input_hash IS NOT NULL AND input_schema IS NOT NULL GROUP BY input_hash);
   INSERT INTO schemas (hash, text, since) SELECT output_hash, output_schema, since FROM contracts
     WHERE rowid IN (SELECT min(rowid) FROM contracts
       WHERE output_hash IS NOT NULL AND output_schema IS NOT NULL
         AND output_hash NOT IN (SELECT hash FROM schemas) GROUP BY output_hash);
   INSERT INTO lists (id, hash) SELECT rowid, 'before digests ' || rowid FROM contract_lists;
   INSERT INTO list_tools SELECT l.rowid, c.tool,
       (SELECT id FROM schemas WHERE hash = c.input_hash),
       (SELECT id FROM schemas WHERE hash = c.output_hash)
     FROM contract_lists l JOIN contracts c USING (server, revision, authorization);
   INSERT INTO list_scopes SELECT server, revision, authorization, l.rowid,
       ifnull(max(c.since), strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
       strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
     FROM contract_lists l LEFT JOIN contracts c USING (server, revision, authorization)
     GROUP BY server, revision, authorization;
   CREATE INDEX list_tools_input ON list_tools (input) WHERE input IS NOT NULL;
   CREATE INDEX list_tools_output ON list_tools (output) WHERE output IS NOT NULL;
   CREATE INDEX list_scopes_list ON list_scopes (list);
   CREATE INDEX list_scopes_used ON list_scopes (server, used);
   DROP TABLE contracts;
   DROP TABLE contract_lists;`,
  // How many issues a record leaves out, and which schema a changed one replaces.
  `ALTER TABLE activity ADD COLUMN truncated INTEGER;
   ALTER TABLE activity ADD COLUMN previous_schema_hash TEXT;`,
  // Fields of records that have no column of their own, as JSON text.
  "ALTER TABLE activity ADD COLUMN extra TEXT;",
];

/** The `user_version` of databases that this release writes. */
export const SCHEMA_VERSION: number = STEPS.length;

/**
 * The database's schema version; 0 is a database without tables.
 *
 * @throws ActivityError `DATABASE_NEWER` for a version that this release does not know
 */
export function schemaVersion(db: Connection, path: string): number {
  const [row] = db.prepare("PRAGMA user_version").all([]) as { user_version: number }[];
  const version = row?.user_version ?? 0;
  if (version < 0 || version > SCHEMA_VERSION) {
    throw new ActivityError(
      "DATABASE_NEWER",
      `The activity database ${path} has schema version ${version}, and this release knows versions ` +
        `up to ${SCHEMA_VERSION}: a newer release has written it. Update touchstone, or choose ` +
        "another data directory with --data-dir or TOUCHSTONE_DATA_DIR.",
    );
  }
  return version;
}

/** Brings the database to {@link SCHEMA_VERSION}; of several processes at once, one does the work. */
export function migrate(db: Connection, path: string): void {
  if (schemaVersion(db, path) === SCHEMA_VERSION) {
    return;
  }
  inTransaction(db, "IMMEDIATE", () => {
    // Read again: another process may have migrated while this one waited for the lock.
    for (const step of STEPS.slice(schemaVersion(db, path))) {
      db.exec(step);
    }
    db.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
  });
}
