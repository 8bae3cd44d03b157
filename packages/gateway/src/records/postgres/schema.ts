/** Our tables stand in a schema of their own, beside whatever else the database holds. */
export const SCHEMA = "touchstone";

/** Serialises migrations; any number that nobody else is likely to use. */
export const MIGRATION_LOCK = 7_411_001;
export const PRUNE_LOCK = 7_411_002;
export const CONTRACT_LOCK = 7_411_003;
export const DRIFT_LOCK = 7_411_004;
/** Shared by those who write lists, had alone by who removes them. */
export const SWEEP_LOCK = 7_411_005;

/**
 * The step at index n brings the schema from version n to n + 1. Steps never change. Texts are
 * compared by their bytes, as SQLite does, whatever the database's own order is.
 */
export const STEPS: readonly string[] = [
  `CREATE TABLE activity (
     id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
     time TEXT COLLATE "C" NOT NULL,
     type TEXT COLLATE "C" NOT NULL,
     source TEXT COLLATE "C" NOT NULL,
     server TEXT COLLATE "C",
     tool TEXT COLLATE "C",
     direction TEXT COLLATE "C",
     mode TEXT COLLATE "C",
     decision TEXT COLLATE "C",
     status TEXT COLLATE "C",
     outcome TEXT COLLATE "C",
     reason TEXT COLLATE "C",
     issues TEXT COLLATE "C" NOT NULL,
     guard TEXT COLLATE "C",
     schema_hash TEXT COLLATE "C",
     client TEXT COLLATE "C",
     session TEXT COLLATE "C",
     request_id TEXT COLLATE "C",
     bytes_in BIGINT,
     bytes_out BIGINT,
     duration_ms DOUBLE PRECISION,
     arguments TEXT COLLATE "C",
     result TEXT COLLATE "C",
     redactions BIGINT,
     prev_hash TEXT COLLATE "C" NOT NULL,
     hash TEXT COLLATE "C" NOT NULL,
     chain TEXT COLLATE "C" NOT NULL,
     seq BIGINT NOT NULL,
     rules TEXT COLLATE "C",
     xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
     position BIGINT GENERATED ALWAYS AS IDENTITY
   );
   CREATE UNIQUE INDEX activity_chain ON activity (chain, seq);
   CREATE INDEX activity_place ON activity (xid, position);
   CREATE INDEX activity_type ON activity (type, id);
   CREATE INDEX activity_server ON activity (server, id);
   CREATE INDEX activity_tool ON activity (server, tool, id);
   CREATE INDEX activity_tool_name ON activity (tool, id);
   CREATE INDEX activity_direction ON activity (direction, id) WHERE direction IS NOT NULL;
   CREATE INDEX activity_decision ON activity (decision, id);
   CREATE INDEX activity_status ON activity (status, id);
   CREATE INDEX activity_request ON activity (request_id);
   CREATE INDEX activity_session ON activity (session, id) WHERE session IS NOT NULL;
   CREATE TABLE chains (
     chain TEXT COLLATE "C" NOT NULL PRIMARY KEY,
     records BIGINT NOT NULL,
     head TEXT COLLATE "C" NOT NULL,
     skew_ms BIGINT NOT NULL,
     pruned BIGINT NOT NULL DEFAULT 0,
     pruned_id TEXT COLLATE "C",
     pruned_hash TEXT COLLATE "C"
   );
   CREATE INDEX chains_skew ON chains (skew_ms);
   CREATE TABLE contracts (
     server TEXT COLLATE "C" NOT NULL,
     revision TEXT COLLATE "C" NOT NULL,
     "authorization" TEXT COLLATE "C" NOT NULL,
     tool TEXT COLLATE "C" NOT NULL,
     input_hash TEXT,
     output_hash TEXT,
     input_schema BYTEA,
     output_schema BYTEA,
     since TEXT NOT NULL,
     PRIMARY KEY (server, revision, "authorization", tool)
   );
   CREATE TABLE contract_lists (
     server TEXT COLLATE "C" NOT NULL,
     revision TEXT COLLATE "C" NOT NULL,
     "authorization" TEXT COLLATE "C" NOT NULL,
     PRIMARY KEY (server, revision, "authorization")
   );`,
  `CREATE TABLE drift (
     server TEXT COLLATE "C" NOT NULL,
     tool TEXT COLLATE "C" NOT NULL,
     schema_hash TEXT COLLATE "C" NOT NULL,
     schema TEXT NOT NULL,
     shape TEXT NOT NULL,
     since TEXT COLLATE "C" NOT NULL,
     until TEXT COLLATE "C" NOT NULL,
     PRIMARY KEY (server, tool, schema_hash)
   );`,
  // Times are the server's own, so that the machines' clocks need not agree.
  `CREATE TABLE gateways (
     id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
     host TEXT NOT NULL,
     version TEXT NOT NULL,
     configuration TEXT NOT NULL,
     listen TEXT NOT NULL,
     started TIMESTAMPTZ NOT NULL DEFAULT now(),
     seen TIMESTAMPTZ NOT NULL DEFAULT now()
   );
   CREATE TABLE tasks (
     server TEXT COLLATE "C" NOT NULL,
     task TEXT COLLATE "C" NOT NULL,
     tool TEXT NOT NULL,
     request_id TEXT NOT NULL,
     output_schema BYTEA,
     since TIMESTAMPTZ NOT NULL DEFAULT now(),
     PRIMARY KEY (server, task)
   );
   CREATE INDEX tasks_since ON tasks (since);`,
  // A schema's text stands once, and so does a list, however many clients are given it. Lists of before
  // have no digest: each is one of its own until it is seen again.
  `CREATE TABLE schemas (
     id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     hash TEXT COLLATE "C" NOT NULL UNIQUE,
     text BYTEA NOT NULL,
     since TEXT COLLATE "C" NOT NULL
   );
   CREATE TABLE lists (
     id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     hash TEXT COLLATE "C" NOT NULL UNIQUE
   );
   CREATE TABLE list_tools (
     list BIGINT NOT NULL,
     tool TEXT COLLATE "C" NOT NULL,
     input BIGINT,
     output BIGINT,
     PRIMARY KEY (list, tool)
   );
   CREATE TABLE list_scopes (
     server TEXT COLLATE "C" NOT NULL,
     revision TEXT COLLATE "C" NOT NULL,
     "authorization" TEXT COLLATE "C" NOT NULL,
     list BIGINT NOT NULL,
     since TEXT COLLATE "C" NOT NULL,
     used TEXT COLLATE "C" NOT NULL,
     PRIMARY KEY (server, revision, "authorization")
   );
   INSERT INTO schemas (hash, text, since)
     SELECT DISTINCT ON (hash) hash, text, since FROM (
       SELECT input_hash COLLATE "C" AS hash, input_schema AS text, since COLLATE "C" AS since
         FROM contracts
       UNION ALL SELECT output_hash, output_schema, since FROM contracts) AS declared
     WHERE hash IS NOT NULL AND text IS NOT NULL ORDER BY hash, since;
   INSERT INTO lists (hash)
     SELECT 'before digests ' || jsonb_build_array(server, revision, "authorization")::text
     FROM contract_lists;
   INSERT INTO list_scopes
     SELECT l.server, l.revision, l."authorization", lists.id, coalesce(max(c.since), now.time), now.time
     FROM contract_lists l
     JOIN lists ON lists.hash =
       'before digests ' || jsonb_build_array(l.server, l.revision, l."authorization")::text
     CROSS JOIN (SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) AS now (time)
     LEFT JOIN contracts c USING (server, revision, "authorization")
     GROUP BY l.server, l.revision, l."authorization", lists.id, now.time;
   INSERT INTO list_tools
     SELECT list, tool, i.id, o.id
     FROM contracts JOIN list_scopes USING (server, revision, "authorization")
     LEFT JOIN schemas i ON i.hash = input_hash LEFT JOIN schemas o ON o.hash = output_hash;
   CREATE INDEX list_tools_input ON list_tools (input) WHERE input IS NOT NULL;
   CREATE INDEX list_tools_output ON list_tools (output) WHERE output IS NOT NULL;
   CREATE INDEX list_scopes_list ON list_scopes (list);
   CREATE INDEX list_scopes_used ON list_scopes (server, used);
   DROP TABLE contracts;
   DROP TABLE contract_lists;`,
  // Requests whose streams clients may resume at another gateway.
  `CREATE TABLE requests (
     server TEXT COLLATE "C" NOT NULL,
     session TEXT COLLATE "C" NOT NULL,
     id TEXT COLLATE "C" NOT NULL,
     request TEXT NOT NULL,
     request_id TEXT COLLATE "C",
     output TEXT COLLATE "C",
     since TIMESTAMPTZ NOT NULL DEFAULT now(),
     until TIMESTAMPTZ NOT NULL DEFAULT now() + interval '1 day',
     PRIMARY KEY (server, session, id)
   );
   CREATE INDEX requests_until ON requests (until);
   CREATE INDEX requests_output ON requests (output) WHERE output IS NOT NULL;`,
  `ALTER TABLE tasks ADD COLUMN known BOOLEAN NOT NULL DEFAULT true, ADD COLUMN gap TEXT;`,
  // How many issues a record leaves out, and which schema a changed one replaces.
  `ALTER TABLE activity ADD COLUMN truncated BIGINT;
   ALTER TABLE activity ADD COLUMN previous_schema_hash TEXT;`,
  // Fields of records that have no column of their own, as JSON text.
  "ALTER TABLE activity ADD COLUMN extra TEXT;",
];
