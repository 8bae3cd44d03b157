import { expect, it } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { useDatabases } from "../../../records/src/testing/databases.ts";
import { PostgresRegistry } from "./postgres-registry.ts";
import { query, startGateway } from "./testing/gateways.ts";

const database = useDatabases();

it("removes old rows in small batches", { ...long, timeout: 60_000 }, async ({ skip }) => {
  const store = await database(skip);
  // Makes the tables.
  await startGateway({
    activity: { store },
    mcpServers: { web: { url: "http://127.0.0.1:1/mcp" } },
  });
  await query(
    store,
    `INSERT INTO requests (server, session, id, request, until)
       SELECT 'web', 's', n::text, '{}', now() + CASE n WHEN 1 THEN interval '1 hour' ELSE interval '-1 hour' END
       FROM generate_series(1, 7000) AS n;
     CREATE FUNCTION few() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       IF (SELECT count(*) FROM gone) > 2000 THEN RAISE EXCEPTION 'too many at once'; END IF;
       RETURN NULL; END $$;
     CREATE TRIGGER few AFTER DELETE ON requests REFERENCING OLD TABLE AS gone
       FOR EACH STATEMENT EXECUTE FUNCTION few()`,
  );
  const registry = new PostgresRegistry(store, { listChanged: () => {} });
  await registry.forgetOld();
  expect(await query(store, "SELECT id FROM requests")).toEqual([{ id: "1" }]);
  await registry.leave("none");
});

it("opens one connection for simultaneous notices", async ({ skip }) => {
  const store = await database(skip);
  await startGateway({
    activity: { store },
    mcpServers: { web: { url: "http://127.0.0.1:1/mcp" } },
  });
  const changed: unknown[] = [];
  const registry = new PostgresRegistry(store, { listChanged: (scope) => changed.push(scope) });
  const self = { id: "one", host: "h", version: "1", configuration: "c", listen: "l:1" };
  // With a second connection, a caller would wait until the first one is released.
  await Promise.all([registry.forgetOld(), registry.tell(self), registry.tell(self)]);
  expect(await query(store, "SELECT id FROM gateways WHERE id = 'one'")).toHaveLength(1);
  // A list that was learned before the connection may have changed since then.
  expect(changed).toEqual([undefined]);
  await registry.leave("one");
}, 60_000);
