import { SchemaCache } from "@touchstone/core";
import pg from "pg";
import { expect, it, onTestFinished } from "vitest";
import { ToolContract } from "../../contracts/contract.ts";
import { useDatabases } from "../testing/databases.ts";
import { openPostgresStore } from "./open.ts";
import { SCHEMA, STEPS } from "./schema.ts";

const database = useDatabases();
const cache = new SchemaCache();
const tool = (name: string, text: string): ToolContract =>
  new ToolContract({ name, inputSchema: Buffer.from(text) }, cache);

it("gateways that start together bring lists of an earlier release along, each schema once", async ({
  skip,
}) => {
  const url = await database(skip);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query(`CREATE SCHEMA ${SCHEMA}; SET search_path TO ${SCHEMA}`);
  for (const step of STEPS.slice(0, 3)) await client.query(step);
  await client.query(
    "CREATE TABLE version (version INTEGER NOT NULL); INSERT INTO version VALUES (3)",
  );
  const list = [tool("a", "{}"), tool("b", "true")];
  for (const who of ["", "sha256:1", "sha256:2"]) {
    await client.query("INSERT INTO contract_lists VALUES ('s', 'r', $1)", [who]);
    if (who === "sha256:2") continue;
    for (const { name, inputHash, inputText } of list) {
      await client.query(
        "INSERT INTO contracts VALUES ('s', 'r', $1, $2, $3, NULL, $4, NULL, '2026-01-01T00:00:00.000Z')",
        [who, name, inputHash, Buffer.from(inputText ?? [])],
      );
    }
  }

  const stores = await Promise.all([1, 2, 3].map(() => openPostgresStore({ url })));
  onTestFinished(async () => void (await Promise.all(stores.map((store) => store.close()))));
  const [store] = stores;
  const { rows } = await client.query("SELECT text, since FROM schemas ORDER BY text");
  expect(rows).toEqual(
    ["true", "{}"].map((text) => ({ text: Buffer.from(text), since: "2026-01-01T00:00:00.000Z" })),
  );
  const own = { server: "s", revision: "r", authorization: "" };
  expect(await store?.contracts.replace(own, list)).toEqual([]);
  const changed = await store?.contracts.replace({ ...own, authorization: "sha256:1" }, [
    tool("a", "true"),
  ]);
  expect(changed?.map(({ tool: name, kind }) => [name, kind])).toEqual([
    ["a", "input"],
    ["b", "removed"],
  ]);
  // A list that held no tool is a list as well.
  expect(
    await store?.contracts.replace({ ...own, authorization: "sha256:2" }, list.slice(1)),
  ).toMatchObject([{ tool: "b", kind: "added" }]);
});
