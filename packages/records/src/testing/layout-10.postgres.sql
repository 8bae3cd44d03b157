-- What a build of layout 10 (800b42f1) has left in a PostgreSQL database.
CREATE SCHEMA touchstone;
CREATE TABLE touchstone.activity (
    id text NOT NULL COLLATE pg_catalog."C",
    "time" text NOT NULL COLLATE pg_catalog."C",
    type text NOT NULL COLLATE pg_catalog."C",
    source text NOT NULL COLLATE pg_catalog."C",
    server text COLLATE pg_catalog."C",
    tool text COLLATE pg_catalog."C",
    direction text COLLATE pg_catalog."C",
    mode text COLLATE pg_catalog."C",
    decision text COLLATE pg_catalog."C",
    status text COLLATE pg_catalog."C",
    outcome text COLLATE pg_catalog."C",
    reason text COLLATE pg_catalog."C",
    issues text NOT NULL COLLATE pg_catalog."C",
    guard text COLLATE pg_catalog."C",
    schema_hash text COLLATE pg_catalog."C",
    client text COLLATE pg_catalog."C",
    session text COLLATE pg_catalog."C",
    request_id text COLLATE pg_catalog."C",
    bytes_in bigint,
    bytes_out bigint,
    duration_ms double precision,
    arguments text COLLATE pg_catalog."C",
    result text COLLATE pg_catalog."C",
    redactions bigint,
    truncated bigint,
    previous_schema_hash text COLLATE pg_catalog."C",
    prev_hash text NOT NULL COLLATE pg_catalog."C",
    hash text NOT NULL COLLATE pg_catalog."C",
    chain text NOT NULL COLLATE pg_catalog."C",
    seq bigint NOT NULL,
    rules text COLLATE pg_catalog."C",
    extra text COLLATE pg_catalog."C",
    xid xid8 DEFAULT pg_current_xact_id() NOT NULL,
    "position" bigint NOT NULL
);
ALTER TABLE touchstone.activity ALTER COLUMN "position" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME touchstone.activity_position_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE touchstone.chains (
    chain text NOT NULL COLLATE pg_catalog."C",
    records bigint NOT NULL,
    head text NOT NULL COLLATE pg_catalog."C",
    skew_ms bigint NOT NULL,
    pruned bigint DEFAULT 0 NOT NULL,
    pruned_id text COLLATE pg_catalog."C",
    pruned_hash text COLLATE pg_catalog."C"
);
CREATE TABLE touchstone.drift (
    server text NOT NULL COLLATE pg_catalog."C",
    tool text NOT NULL COLLATE pg_catalog."C",
    schema_hash text NOT NULL COLLATE pg_catalog."C",
    schema text NOT NULL COLLATE pg_catalog."C",
    shape text NOT NULL COLLATE pg_catalog."C",
    since text NOT NULL COLLATE pg_catalog."C",
    until text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE touchstone.gateways (
    id text NOT NULL COLLATE pg_catalog."C",
    host text NOT NULL COLLATE pg_catalog."C",
    version text NOT NULL COLLATE pg_catalog."C",
    configuration text NOT NULL COLLATE pg_catalog."C",
    listen text NOT NULL COLLATE pg_catalog."C",
    started timestamp with time zone DEFAULT now() NOT NULL,
    seen timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE touchstone.list_scopes (
    server text NOT NULL COLLATE pg_catalog."C",
    revision text NOT NULL COLLATE pg_catalog."C",
    "authorization" text NOT NULL COLLATE pg_catalog."C",
    list bigint NOT NULL,
    since text NOT NULL COLLATE pg_catalog."C",
    used text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE touchstone.list_tools (
    list bigint NOT NULL,
    tool text NOT NULL COLLATE pg_catalog."C",
    input bigint,
    output bigint
);
CREATE TABLE touchstone.lists (
    id bigint NOT NULL,
    hash text NOT NULL COLLATE pg_catalog."C"
);
ALTER TABLE touchstone.lists ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME touchstone.lists_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE touchstone.requests (
    server text NOT NULL COLLATE pg_catalog."C",
    session text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    request text NOT NULL COLLATE pg_catalog."C",
    request_id text COLLATE pg_catalog."C",
    output text COLLATE pg_catalog."C",
    since timestamp with time zone DEFAULT now() NOT NULL,
    until timestamp with time zone DEFAULT (now() + '1 day'::interval) NOT NULL
);
CREATE TABLE touchstone.schemas (
    id bigint NOT NULL,
    hash text NOT NULL COLLATE pg_catalog."C",
    text bytea NOT NULL,
    since text NOT NULL COLLATE pg_catalog."C"
);
ALTER TABLE touchstone.schemas ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME touchstone.schemas_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE touchstone.tasks (
    server text NOT NULL COLLATE pg_catalog."C",
    task text NOT NULL COLLATE pg_catalog."C",
    tool text NOT NULL COLLATE pg_catalog."C",
    request_id text NOT NULL COLLATE pg_catalog."C",
    output_schema bytea,
    since timestamp with time zone DEFAULT now() NOT NULL,
    known boolean DEFAULT true NOT NULL,
    gap text COLLATE pg_catalog."C"
);
CREATE TABLE touchstone.version (
    version bigint NOT NULL,
    layout bigint,
    reader bigint,
    writer bigint
);
INSERT INTO touchstone.activity OVERRIDING SYSTEM VALUE VALUES ('01M8HGTYZFGSMS1CAY8YXCNBRG', '2026-11-28T16:46:55.983Z', 'system_start', 'gateway', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'sha256:0', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '0000000000000000000000000000000000000000000000000000000000000000', '64c5c8cfca9bebe14fc7d11a13f0acd0b1d50729238e83683e3cc2a8a6f26310', '01M8HGTYZ69SYJPTJNTXXHJWFY', 0, NULL, NULL, '726', 1);
INSERT INTO touchstone.activity OVERRIDING SYSTEM VALUE VALUES ('01M8HGTZ0ERPCAVNJ67GF6NSH6', '2026-11-28T16:46:56.014Z', 'tool_call', 'gateway', 's', '天', NULL, NULL, 'allowed', 'success', 'valid', NULL, '[]', NULL, NULL, 'c/1', NULL, 'r1', 10, 20, 1.5, NULL, NULL, NULL, NULL, NULL, '64c5c8cfca9bebe14fc7d11a13f0acd0b1d50729238e83683e3cc2a8a6f26310', 'cd756a437ea3eb4c6a1794bc6a1c0aa7dbec535e47133e1c7dfea83a227751c8', '01M8HGTYZ69SYJPTJNTXXHJWFY', 1, NULL, NULL, '727', 2);
INSERT INTO touchstone.activity OVERRIDING SYSTEM VALUE VALUES ('01M8HGTZ12AB24VV05RHJPHNA5', '2026-11-28T16:46:56.034Z', 'policy_decision', 'gateway', 's', 't', 'output', 'strict', 'blocked', 'blocked', 'violation', '/x is not declared', '[{"path":"/x","message":"must NOT have additional properties","rule":"extra"}]', NULL, 'sha256:1', 'c/1', NULL, 'r1', 10, 20, NULL, NULL, NULL, NULL, NULL, NULL, 'cd756a437ea3eb4c6a1794bc6a1c0aa7dbec535e47133e1c7dfea83a227751c8', '9dc9014880327ef53ec5539532e80e84d620cd4f4af57a8cb93d0df6e8daea50', '01M8HGTYZ69SYJPTJNTXXHJWFY', 2, 'extra', NULL, '728', 3);
INSERT INTO touchstone.activity OVERRIDING SYSTEM VALUE VALUES ('01M8HGTZ1N587CPQSV625GZ6MQ', '2026-11-28T16:46:56.053Z', 'policy_decision', 'gateway', 's', 't', 'input', 'warn', 'warning', 'warning', 'violation', NULL, '[]', '{"guard":"maxBytes","limit":1,"actual":2}', NULL, 'c/1', NULL, 'r1', 10, 20, NULL, NULL, NULL, NULL, NULL, NULL, '9dc9014880327ef53ec5539532e80e84d620cd4f4af57a8cb93d0df6e8daea50', '5f5ec56d5eeb1a3fa80f8e9815a8fd7609781e328a7d1352bd9b07fa71d20bba', '01M8HGTYZ69SYJPTJNTXXHJWFY', 3, NULL, NULL, '729', 4);
INSERT INTO touchstone.chains VALUES ('01M8HGTYZ69SYJPTJNTXXHJWFY', 4, '5f5ec56d5eeb1a3fa80f8e9815a8fd7609781e328a7d1352bd9b07fa71d20bba', 0, 0, NULL, NULL);
INSERT INTO touchstone.list_scopes VALUES ('s', '2025-11-25', '', 1, '2026-11-28T16:46:56.226Z', '2026-11-28T16:46:56.226Z');
INSERT INTO touchstone.list_tools VALUES (1, 't', 1, 2);
INSERT INTO touchstone.list_tools VALUES (1, '天', 3, NULL);
INSERT INTO touchstone.lists OVERRIDING SYSTEM VALUE VALUES (1, 'sha256:8a5a812f2e99145bd11772f3e8d98aaac47cf18f8c4b85b2bf50308d1d2c75f6');
INSERT INTO touchstone.schemas OVERRIDING SYSTEM VALUE VALUES (1, 'sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a', '\x7b7d', '2026-11-28T16:46:56.189Z');
INSERT INTO touchstone.schemas OVERRIDING SYSTEM VALUE VALUES (2, 'sha256:a2c799262a3ce3c19ef5cdd983bf3d12b43ab3c426227091b909dcb7054738c0', '\x7b2274797065223a226f626a656374227d', '2026-11-28T16:46:56.189Z');
INSERT INTO touchstone.schemas OVERRIDING SYSTEM VALUE VALUES (3, 'sha256:b5bea41b6c623f7c09f1bf24dcae58ebab3c0cdd90ad966bc43a45b44867e12b', '\x74727565', '2026-11-28T16:46:56.189Z');
INSERT INTO touchstone.tasks VALUES ('s', 'sha256:t', 't', '1', '\x7b7d', '2026-11-28 16:46:56.263522+00', true, NULL);
INSERT INTO touchstone.version VALUES (5, 10, 7, 7);
SELECT pg_catalog.setval('touchstone.activity_position_seq', 4, true);
SELECT pg_catalog.setval('touchstone.lists_id_seq', 1, true);
SELECT pg_catalog.setval('touchstone.schemas_id_seq', 3, true);
ALTER TABLE ONLY touchstone.activity
    ADD CONSTRAINT activity_pkey PRIMARY KEY (id);
ALTER TABLE ONLY touchstone.chains
    ADD CONSTRAINT chains_pkey PRIMARY KEY (chain);
ALTER TABLE ONLY touchstone.drift
    ADD CONSTRAINT drift_pkey PRIMARY KEY (server, tool, schema_hash);
ALTER TABLE ONLY touchstone.gateways
    ADD CONSTRAINT gateways_pkey PRIMARY KEY (id);
ALTER TABLE ONLY touchstone.list_scopes
    ADD CONSTRAINT list_scopes_pkey PRIMARY KEY (server, revision, "authorization");
ALTER TABLE ONLY touchstone.list_tools
    ADD CONSTRAINT list_tools_pkey PRIMARY KEY (list, tool);
ALTER TABLE ONLY touchstone.lists
    ADD CONSTRAINT lists_hash_key UNIQUE (hash);
ALTER TABLE ONLY touchstone.lists
    ADD CONSTRAINT lists_pkey PRIMARY KEY (id);
ALTER TABLE ONLY touchstone.requests
    ADD CONSTRAINT requests_pkey PRIMARY KEY (server, session, id);
ALTER TABLE ONLY touchstone.schemas
    ADD CONSTRAINT schemas_hash_key UNIQUE (hash);
ALTER TABLE ONLY touchstone.schemas
    ADD CONSTRAINT schemas_pkey PRIMARY KEY (id);
ALTER TABLE ONLY touchstone.tasks
    ADD CONSTRAINT tasks_pkey PRIMARY KEY (server, task);
CREATE UNIQUE INDEX activity_chain ON touchstone.activity USING btree (chain, seq);
CREATE INDEX activity_decision ON touchstone.activity USING btree (decision, id);
CREATE INDEX activity_direction ON touchstone.activity USING btree (direction, id) WHERE (direction IS NOT NULL);
CREATE INDEX activity_place ON touchstone.activity USING btree (xid, "position");
CREATE INDEX activity_request ON touchstone.activity USING btree (request_id);
CREATE INDEX activity_server ON touchstone.activity USING btree (server, id);
CREATE INDEX activity_session ON touchstone.activity USING btree (session, id) WHERE (session IS NOT NULL);
CREATE INDEX activity_status ON touchstone.activity USING btree (status, id);
CREATE INDEX activity_tool ON touchstone.activity USING btree (server, tool, id);
CREATE INDEX activity_tool_name ON touchstone.activity USING btree (tool, id);
CREATE INDEX activity_type ON touchstone.activity USING btree (type, id);
CREATE INDEX chains_skew ON touchstone.chains USING btree (skew_ms);
CREATE INDEX list_scopes_list ON touchstone.list_scopes USING btree (list);
CREATE INDEX list_scopes_used ON touchstone.list_scopes USING btree (server, used);
CREATE INDEX list_tools_input ON touchstone.list_tools USING btree (input) WHERE (input IS NOT NULL);
CREATE INDEX list_tools_output ON touchstone.list_tools USING btree (output) WHERE (output IS NOT NULL);
CREATE INDEX requests_output ON touchstone.requests USING btree (output) WHERE (output IS NOT NULL);
CREATE INDEX requests_until ON touchstone.requests USING btree (until);
CREATE INDEX tasks_since ON touchstone.tasks USING btree (since);
