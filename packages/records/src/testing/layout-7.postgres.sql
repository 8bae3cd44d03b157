-- What a build of layout 7 (84575e0) has left in a PostgreSQL database.
CREATE SCHEMA touchstone;
SET search_path TO touchstone;
CREATE TABLE activity (
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
   );
CREATE TABLE drift (
     server TEXT COLLATE "C" NOT NULL,
     tool TEXT COLLATE "C" NOT NULL,
     schema_hash TEXT COLLATE "C" NOT NULL,
     schema TEXT NOT NULL,
     shape TEXT NOT NULL,
     since TEXT COLLATE "C" NOT NULL,
     until TEXT COLLATE "C" NOT NULL,
     PRIMARY KEY (server, tool, schema_hash)
   );
CREATE TABLE gateways (
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
   CREATE INDEX tasks_since ON tasks (since);
CREATE TABLE schemas (
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
   DROP TABLE contract_lists;
CREATE TABLE requests (
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
   CREATE INDEX requests_output ON requests (output) WHERE output IS NOT NULL;
CREATE TABLE version (version INTEGER NOT NULL);
INSERT INTO activity ("id", "time", "type", "source", "server", "tool", "direction", "mode", "decision", "status", "outcome", "reason", "issues", "guard", "schema_hash", "client", "session", "request_id", "bytes_in", "bytes_out", "duration_ms", "arguments", "result", "redactions", "prev_hash", "hash", "chain", "seq", "rules") VALUES ('01M1BGRCB09EVG2BQF25SM5TKZ', '2026-08-31T09:00:02.000Z', 'system_start', 'gateway', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'wrap', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '464119110a48e5d21c64660cf124620e50cc179b8a1dac5b8914ebe4f90bf890', 'e633916433a73d13e26fa89ce1c966be688a26ed8e95cb9ab1ba4bde79728ab7', '01M1BGRCB09EVG2BQF25SM5TKX', '1', NULL);
INSERT INTO activity ("id", "time", "type", "source", "server", "tool", "direction", "mode", "decision", "status", "outcome", "reason", "issues", "guard", "schema_hash", "client", "session", "request_id", "bytes_in", "bytes_out", "duration_ms", "arguments", "result", "redactions", "prev_hash", "hash", "chain", "seq", "rules") VALUES ('01M1BGRCB09EVG2BQF25SM5TM0', '2026-08-31T09:00:02.000Z', 'tool_call', 'gateway', 's', '天', NULL, NULL, NULL, 'success', NULL, NULL, '[]', NULL, NULL, 'c/1', 'one', NULL, '10', '20', '1.5', '{"a":"b"}', '{}', '0', 'e633916433a73d13e26fa89ce1c966be688a26ed8e95cb9ab1ba4bde79728ab7', 'f53c91fb556f18d0312ce6e21864baace9d092b2ee369e0172f640becec38b1c', '01M1BGRCB09EVG2BQF25SM5TKX', '2', NULL);
INSERT INTO activity ("id", "time", "type", "source", "server", "tool", "direction", "mode", "decision", "status", "outcome", "reason", "issues", "guard", "schema_hash", "client", "session", "request_id", "bytes_in", "bytes_out", "duration_ms", "arguments", "result", "redactions", "prev_hash", "hash", "chain", "seq", "rules") VALUES ('01M1BGRCB09EVG2BQF25SM5TM2', '2026-08-31T09:00:09.000Z', 'policy_decision', 'gateway', 's', 't', 'input', 'strict', 'blocked', 'blocked', 'violation', NULL, '[{"path":"/é","message":"must be string","rule":"type"},{"path":"/é","message":"must be string","rule":"extra"}]', NULL, NULL, NULL, NULL, '1', NULL, NULL, NULL, NULL, NULL, NULL, '0000000000000000000000000000000000000000000000000000000000000000', '42f2d5dd3ac2111b6a16a6f78ed00d2949dc3d6eb8c1a04de41368e5d51a705e', '01M1BGRCB09EVG2BQF25SM5TM1', '0', 'type,extra');
INSERT INTO activity ("id", "time", "type", "source", "server", "tool", "direction", "mode", "decision", "status", "outcome", "reason", "issues", "guard", "schema_hash", "client", "session", "request_id", "bytes_in", "bytes_out", "duration_ms", "arguments", "result", "redactions", "prev_hash", "hash", "chain", "seq", "rules") VALUES ('01M1BGRCB09EVG2BQF25SM5TM3', '2026-08-31T09:00:09.000Z', 'policy_decision', 'gateway', 's', 't', 'input', 'warn', 'warning', 'warning', 'guard', NULL, '[]', '{"guard":"maxBytes","limit":1,"actual":2}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '42f2d5dd3ac2111b6a16a6f78ed00d2949dc3d6eb8c1a04de41368e5d51a705e', 'edc40f33eddafaaeb2aa817d39d4426456c1dc8e0ee0f4008dc3a55f6a8eef26', '01M1BGRCB09EVG2BQF25SM5TM1', '1', NULL);
INSERT INTO activity ("id", "time", "type", "source", "server", "tool", "direction", "mode", "decision", "status", "outcome", "reason", "issues", "guard", "schema_hash", "client", "session", "request_id", "bytes_in", "bytes_out", "duration_ms", "arguments", "result", "redactions", "prev_hash", "hash", "chain", "seq", "rules") VALUES ('01M1BGRCB09EVG2BQF25SM5TM4', '2026-08-31T09:00:09.000Z', 'tool_call', 'gateway', 's', 't', NULL, NULL, NULL, 'blocked', NULL, NULL, '[]', NULL, NULL, NULL, NULL, '1', NULL, NULL, NULL, NULL, NULL, NULL, 'edc40f33eddafaaeb2aa817d39d4426456c1dc8e0ee0f4008dc3a55f6a8eef26', 'aefb7da29aaaab5b84f5430464fa858cba5428495e41f969fc61af0885ba6548', '01M1BGRCB09EVG2BQF25SM5TM1', '2', NULL);
INSERT INTO chains ("chain", "records", "head", "skew_ms", "pruned", "pruned_id", "pruned_hash") VALUES ('01M1BGRCB09EVG2BQF25SM5TKX', '3', 'f53c91fb556f18d0312ce6e21864baace9d092b2ee369e0172f640becec38b1c', '10000', '1', '01M1BGRCB09EVG2BQF25SM5TKY', '464119110a48e5d21c64660cf124620e50cc179b8a1dac5b8914ebe4f90bf890');
INSERT INTO chains ("chain", "records", "head", "skew_ms", "pruned", "pruned_id", "pruned_hash") VALUES ('01M1BGRCB09EVG2BQF25SM5TM1', '3', 'aefb7da29aaaab5b84f5430464fa858cba5428495e41f969fc61af0885ba6548', '3000', '0', NULL, NULL);
INSERT INTO drift ("server", "tool", "schema_hash", "schema", "shape", "since", "until") VALUES ('s', 't', 'sha256:a2c799262a3ce3c19ef5cdd983bf3d12b43ab3c426227091b909dcb7054738c0', '{"type":"object"}', '{"n":1,"t":{"object":1},"m":{"id":{"n":1,"t":{"string":1}},"n":{"n":1,"t":{"integer":1}}},"p":1}', '2026-08-31T09:00:05.000Z', '2026-08-31T09:00:05.000Z');
INSERT INTO list_scopes ("server", "revision", "authorization", "list", "since", "used") VALUES ('s', '2025-11-25', '', '1', '2026-08-31T09:00:03.000Z', '2026-08-31T09:00:03.000Z');
INSERT INTO list_scopes ("server", "revision", "authorization", "list", "since", "used") VALUES ('s', '2025-11-25', 'sha256:1', '2', '2026-08-31T09:00:04.000Z', '2026-08-31T09:00:04.000Z');
INSERT INTO list_tools ("list", "tool", "input", "output") VALUES ('1', 't', '1', '2');
INSERT INTO list_tools ("list", "tool", "input", "output") VALUES ('1', '天', '3', NULL);
INSERT INTO list_tools ("list", "tool", "input", "output") VALUES ('2', 't', '1', '2');
INSERT INTO lists ("id", "hash") OVERRIDING SYSTEM VALUE VALUES ('1', 'sha256:8a5a812f2e99145bd11772f3e8d98aaac47cf18f8c4b85b2bf50308d1d2c75f6');
INSERT INTO lists ("id", "hash") OVERRIDING SYSTEM VALUE VALUES ('2', 'sha256:11c338febb14ae54184e0224f6ecb12c151f3c122b8e40e8ea0f08565993e039');
SELECT setval(pg_get_serial_sequence('lists', 'id'), 2);
INSERT INTO schemas ("id", "hash", "text", "since") OVERRIDING SYSTEM VALUE VALUES ('1', 'sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a', E'\\x7b7d', '2026-08-31T09:00:03.000Z');
INSERT INTO schemas ("id", "hash", "text", "since") OVERRIDING SYSTEM VALUE VALUES ('2', 'sha256:a2c799262a3ce3c19ef5cdd983bf3d12b43ab3c426227091b909dcb7054738c0', E'\\x7b2274797065223a226f626a656374227d', '2026-08-31T09:00:03.000Z');
INSERT INTO schemas ("id", "hash", "text", "since") OVERRIDING SYSTEM VALUE VALUES ('3', 'sha256:b5bea41b6c623f7c09f1bf24dcae58ebab3c0cdd90ad966bc43a45b44867e12b', E'\\x74727565', '2026-08-31T09:00:03.000Z');
SELECT setval(pg_get_serial_sequence('schemas', 'id'), 3);
INSERT INTO tasks ("server", "task", "tool", "request_id", "output_schema", "since") VALUES ('s', 'sha256:t', 't', '1', E'\\x7b2274797065223a226f626a656374227d', '2026-11-27 14:54:20.782378+00');
INSERT INTO version ("version") VALUES ('5');
