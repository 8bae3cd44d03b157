-- What a build of layout 7 (84575e0) has left in the database of a data directory.
CREATE TABLE activity (
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
   , arguments TEXT, result TEXT, redactions INTEGER, rules TEXT) STRICT;
CREATE TABLE chains (
     chain TEXT NOT NULL PRIMARY KEY,
     records INTEGER NOT NULL,
     head TEXT NOT NULL,
     skew_ms INTEGER NOT NULL,
     pruned INTEGER NOT NULL DEFAULT 0,
     pruned_id TEXT,
     pruned_hash TEXT
   ) STRICT, WITHOUT ROWID;
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
CREATE TABLE drift (
     server TEXT NOT NULL,
     tool TEXT NOT NULL,
     schema_hash TEXT NOT NULL,
     schema TEXT NOT NULL,
     shape TEXT NOT NULL,
     since TEXT NOT NULL,
     until TEXT NOT NULL,
     PRIMARY KEY (server, tool, schema_hash)
   ) STRICT;
CREATE TABLE schemas (
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
INSERT INTO activity (id, time, type, source, server, tool, direction, mode, decision, status, outcome, reason, issues, guard, schema_hash, client, session, request_id, bytes_in, bytes_out, duration_ms, prev_hash, hash, chain, seq, arguments, result, redactions, rules) VALUES ('01M1BGR2JG54Z5PWMZ4RN9C0M0', '2026-08-31T09:00:02.000Z', 'system_start', 'gateway', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'wrap', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'd8e4ae4384d3c95495949b5b07623781e121b14f27379f12a436caba5e3ed34a', '24d3ac3523406a47047c5a00c1c852610314d3352867cdbe7cd4a8a477543552', '01M1BGR1K8XEVHR58TR6Q41T4S', 1, NULL, NULL, NULL, NULL);
INSERT INTO activity (id, time, type, source, server, tool, direction, mode, decision, status, outcome, reason, issues, guard, schema_hash, client, session, request_id, bytes_in, bytes_out, duration_ms, prev_hash, hash, chain, seq, arguments, result, redactions, rules) VALUES ('01M1BGR2JG54Z5PWMZ4RN9C0M1', '2026-08-31T09:00:02.000Z', 'tool_call', 'gateway', 's', '天', NULL, NULL, NULL, 'success', NULL, NULL, '[]', NULL, NULL, 'c/1', 'one', NULL, 10, 20, 1.5, '24d3ac3523406a47047c5a00c1c852610314d3352867cdbe7cd4a8a477543552', 'db73af06f79b69a7c280fcd05f696827281dbab84387ea2fea8ffa0c4f15ee3a', '01M1BGR1K8XEVHR58TR6Q41T4S', 2, '{"a":"b"}', '{}', 0, NULL);
INSERT INTO activity (id, time, type, source, server, tool, direction, mode, decision, status, outcome, reason, issues, guard, schema_hash, client, session, request_id, bytes_in, bytes_out, duration_ms, prev_hash, hash, chain, seq, arguments, result, redactions, rules) VALUES ('01M1BGRCB09EVG2BQF25SM5TKT', '2026-08-31T09:00:12.000Z', 'policy_decision', 'gateway', 's', 't', 'input', 'strict', 'blocked', 'blocked', 'violation', NULL, '[{"message":"must be string","path":"/é","rule":"type"},{"message":"must be string","path":"/é","rule":"extra"}]', NULL, NULL, NULL, NULL, '1', NULL, NULL, NULL, '0000000000000000000000000000000000000000000000000000000000000000', 'df88d8440b3c35e1394ffe4c27e4a6a2d9a1a6ee28646f72bbf7f6b11b635da3', '01M1BGRBBRG65R3DDAXXSR47WF', 0, NULL, NULL, NULL, 'type,extra');
INSERT INTO activity (id, time, type, source, server, tool, direction, mode, decision, status, outcome, reason, issues, guard, schema_hash, client, session, request_id, bytes_in, bytes_out, duration_ms, prev_hash, hash, chain, seq, arguments, result, redactions, rules) VALUES ('01M1BGRCB09EVG2BQF25SM5TKV', '2026-08-31T09:00:12.000Z', 'policy_decision', 'gateway', 's', 't', 'input', 'warn', 'warning', 'warning', 'guard', NULL, '[]', '{"actual":2,"guard":"maxBytes","limit":1}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'df88d8440b3c35e1394ffe4c27e4a6a2d9a1a6ee28646f72bbf7f6b11b635da3', 'edef9d791c85006644933922c11ffbe76734dc51718ad285e008b1b94f669e49', '01M1BGRBBRG65R3DDAXXSR47WF', 1, NULL, NULL, NULL, NULL);
INSERT INTO activity (id, time, type, source, server, tool, direction, mode, decision, status, outcome, reason, issues, guard, schema_hash, client, session, request_id, bytes_in, bytes_out, duration_ms, prev_hash, hash, chain, seq, arguments, result, redactions, rules) VALUES ('01M1BGRCB09EVG2BQF25SM5TKW', '2026-08-31T09:00:12.000Z', 'tool_call', 'gateway', 's', 't', NULL, NULL, NULL, 'blocked', NULL, NULL, '[]', NULL, NULL, NULL, NULL, '1', NULL, NULL, NULL, 'edef9d791c85006644933922c11ffbe76734dc51718ad285e008b1b94f669e49', 'e2ef2d068708421163cbe7c298090a80cafd785085be450087357609854d3e42', '01M1BGRBBRG65R3DDAXXSR47WF', 2, NULL, NULL, NULL, NULL);
INSERT INTO chains (chain, records, head, skew_ms, pruned, pruned_id, pruned_hash) VALUES ('01M1BGR1K8XEVHR58TR6Q41T4S', 3, 'db73af06f79b69a7c280fcd05f696827281dbab84387ea2fea8ffa0c4f15ee3a', 0, 1, '01M1BGR2JG54Z5PWMZ4RN9C0KZ', 'd8e4ae4384d3c95495949b5b07623781e121b14f27379f12a436caba5e3ed34a');
INSERT INTO chains (chain, records, head, skew_ms, pruned, pruned_id, pruned_hash) VALUES ('01M1BGRBBRG65R3DDAXXSR47WF', 3, 'e2ef2d068708421163cbe7c298090a80cafd785085be450087357609854d3e42', 0, 0, NULL, NULL);
INSERT INTO tally (hour, type, server, tool, direction, decision, status, records) VALUES ('', 'policy_decision', 's', 't', 'input', 'blocked', 'blocked', 1);
INSERT INTO tally (hour, type, server, tool, direction, decision, status, records) VALUES ('', 'policy_decision', 's', 't', 'input', 'warning', 'warning', 1);
INSERT INTO tally (hour, type, server, tool, direction, decision, status, records) VALUES ('', 'system_start', '', '', '', '', '', 1);
INSERT INTO tally (hour, type, server, tool, direction, decision, status, records) VALUES ('', 'tool_call', 's', 't', '', '', 'blocked', 1);
INSERT INTO tally (hour, type, server, tool, direction, decision, status, records) VALUES ('', 'tool_call', 's', '天', '', '', 'success', 1);
INSERT INTO tally (hour, type, server, tool, direction, decision, status, records) VALUES ('2026-08-31T09', 'policy_decision', 's', 't', 'input', 'blocked', 'blocked', 1);
INSERT INTO tally (hour, type, server, tool, direction, decision, status, records) VALUES ('2026-08-31T09', 'policy_decision', 's', 't', 'input', 'warning', 'warning', 1);
INSERT INTO tally (hour, type, server, tool, direction, decision, status, records) VALUES ('2026-08-31T09', 'system_start', '', '', '', '', '', 1);
INSERT INTO tally (hour, type, server, tool, direction, decision, status, records) VALUES ('2026-08-31T09', 'tool_call', 's', 't', '', '', 'blocked', 1);
INSERT INTO tally (hour, type, server, tool, direction, decision, status, records) VALUES ('2026-08-31T09', 'tool_call', 's', '天', '', '', 'success', 1);
INSERT INTO drift (server, tool, schema_hash, schema, shape, since, until) VALUES ('s', 't', 'sha256:a2c799262a3ce3c19ef5cdd983bf3d12b43ab3c426227091b909dcb7054738c0', '{"type":"object"}', '{"n":1,"t":{"object":1},"m":{"id":{"n":1,"t":{"string":1}},"n":{"n":1,"t":{"integer":1}}},"p":1}', '2026-08-31T09:00:08.000Z', '2026-08-31T09:00:08.000Z');
INSERT INTO schemas (id, hash, text, since) VALUES (1, 'sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a', X'7B7D', '2026-08-31T09:00:03.000Z');
INSERT INTO schemas (id, hash, text, since) VALUES (2, 'sha256:a2c799262a3ce3c19ef5cdd983bf3d12b43ab3c426227091b909dcb7054738c0', X'7B2274797065223A226F626A656374227D', '2026-08-31T09:00:04.000Z');
INSERT INTO schemas (id, hash, text, since) VALUES (3, 'sha256:b5bea41b6c623f7c09f1bf24dcae58ebab3c0cdd90ad966bc43a45b44867e12b', X'74727565', '2026-08-31T09:00:05.000Z');
INSERT INTO lists (id, hash) VALUES (1, 'sha256:8a5a812f2e99145bd11772f3e8d98aaac47cf18f8c4b85b2bf50308d1d2c75f6');
INSERT INTO lists (id, hash) VALUES (2, 'sha256:11c338febb14ae54184e0224f6ecb12c151f3c122b8e40e8ea0f08565993e039');
INSERT INTO list_tools (list, tool, input, output) VALUES (1, 't', 1, 2);
INSERT INTO list_tools (list, tool, input, output) VALUES (1, '天', 3, NULL);
INSERT INTO list_tools (list, tool, input, output) VALUES (2, 't', 1, 2);
INSERT INTO list_scopes (server, revision, authorization, list, since, used) VALUES ('s', '2025-11-25', '', 1, '2026-08-31T09:00:06.000Z', '2026-08-31T09:00:06.000Z');
INSERT INTO list_scopes (server, revision, authorization, list, since, used) VALUES ('s', '2025-11-25', 'sha256:1', 2, '2026-08-31T09:00:07.000Z', '2026-08-31T09:00:07.000Z');
CREATE UNIQUE INDEX activity_chain ON activity (chain, seq);
CREATE INDEX activity_request ON activity (request_id);
CREATE INDEX chains_skew ON chains (skew_ms);
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
CREATE INDEX activity_kind ON activity (type, direction, decision, status, server, id);
CREATE INDEX activity_tool ON activity (tool, server, id) WHERE tool IS NOT NULL;
CREATE INDEX activity_session ON activity (session, id) WHERE session IS NOT NULL;
CREATE INDEX list_tools_input ON list_tools (input) WHERE input IS NOT NULL;
CREATE INDEX list_tools_output ON list_tools (output) WHERE output IS NOT NULL;
CREATE INDEX list_scopes_list ON list_scopes (list);
CREATE INDEX list_scopes_used ON list_scopes (server, used);
PRAGMA user_version = 7;
