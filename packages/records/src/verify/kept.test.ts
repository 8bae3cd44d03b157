import { execFileSync } from "node:child_process";
import { chmodSync, renameSync } from "node:fs";
import { join } from "node:path";
import { SchemaCache } from "@touchstone/core/advanced";
import { expect, it } from "vitest";
import { ToolContract } from "../../../gateway/src/contracts/contract.ts";
import { openStore } from "../../../gateway/src/server/records.ts";
import { DEFAULT_ACTIVITY } from "../../../gateway/src/settings/activity.ts";
import { createLogger } from "../../../util/src/log.ts";
import { emptyShape, memberShape, type Shape } from "../drift/shape.ts";
import { writeShape } from "../drift/shape-text.ts";
import { openActivityReader, openActivityStore } from "../open-sqlite.ts";
import { CALL, filter } from "../testing/fixtures.ts";
import { recorded, tamper, verified } from "../testing/recorded.ts";
import { tempDir } from "../testing/temp-dir.ts";

const SCOPE = { server: "s", revision: "2025-11-25", authorization: "" };
const SCHEMA = '{"type":"object"}';
const contract = (name: string): ToolContract =>
  new ToolContract(
    { name, inputSchema: Buffer.from(SCHEMA), outputSchema: Buffer.from('{"a":1}') },
    new SchemaCache(),
  );

function someShape(): Shape {
  const shape = emptyShape();
  const room = { left: 10 };
  shape.count = 3;
  shape.types.set("object", 3);
  for (const name of ["z", "7", "__proto__"]) {
    const member = memberShape(shape, name, room);
    if (member !== undefined) member.count = 2;
  }
  shape.broken.set("minimum", 1).set("enum", 1);
  return shape;
}

/** A data directory with a record, a list of two tools, and the shapes of their results. */
async function kept(): Promise<string> {
  const dataDir = tempDir();
  const store = await openActivityStore({ dataDir, sync: "normal" });
  await store.append([CALL]);
  const [one, two] = [contract("t"), contract("u")];
  await store.contracts.replace(SCOPE, [one, two]);
  const shape = someShape();
  const entry = { server: "s", tool: "t", schema: '{"a":1}', schemaHash: one.outputHash ?? "" };
  await store.shapes.add([{ ...entry, shape }]);
  await store.shapes.add([{ ...entry, shape }]);
  await store.close();
  return dataDir;
}

it("finds nothing wrong with an unchanged store", async () => {
  expect(await verified(await kept())).toMatchObject({ ok: true, store_faults: [] });
});

it("finds nothing wrong with data of earlier builds, which had no digests", async () => {
  const dataDir = await kept();
  const shape = writeShape(someShape());
  tamper(dataDir, `UPDATE drift SET shape = '${shape}'`);
  tamper(dataDir, "UPDATE lists SET hash = 'before digests ' || id");
  tamper(dataDir, "UPDATE list_scopes SET since = substr(since, 1, 24)");
  expect(await verified(dataDir)).toMatchObject({
    ...{ ok: true, store_faults: [], lists: 1, unsealed_lists: 1 },
  });
  tamper(
    dataDir,
    `UPDATE drift SET shape = replace(shape, '"enum":1,"minimum":1', '"minimum":1,"enum":1')`,
  );
  expect(await verified(dataDir)).toMatchObject({
    ok: false,
    store_faults: [expect.stringMatching(/results of/)],
  });
});

it.each([
  [
    "a schema's text",
    "UPDATE schemas SET text = CAST('{}' AS BLOB) WHERE id = 1",
    /text of the schema "sha256:/,
  ],
  ["a list", "DELETE FROM list_tools WHERE tool = 'u'", /list of tools of "s" \(2025-11-25\)/],
  [
    "a tool's schema",
    "UPDATE list_tools SET input = output WHERE tool = 'u'",
    /list of tools of "s"/,
  ],
  ["a tool's name", "UPDATE list_tools SET tool = 'x' WHERE tool = 'u'", /list of tools of "s"/],
  ["the list of a server", "UPDATE list_scopes SET list = 77", /list of tools of "s"/],
  [
    "counts of results",
    `UPDATE drift SET shape = replace(shape, '"n":6', '"n":7')`,
    /results of "s"\/"t"/,
  ],
  ["the digest of results", `UPDATE drift SET shape = '{"n":7}'`, /results of "s"\/"t"/],
  ["whose results they are", "UPDATE drift SET tool = 'u'", /results of "s"\/"u"/],
  ["the schema of results", "UPDATE drift SET schema = '{}'", /results of "s"\/"t"/],
  [
    "a trigger",
    "CREATE TRIGGER planted AFTER INSERT ON activity BEGIN DELETE FROM activity WHERE 0; END",
    /a trigger that touchstone did not make: planted/,
  ],
  ["a view", "CREATE VIEW planted AS SELECT 1", /a view that touchstone did not make: planted/],
  ["an index that is gone", "DROP INDEX activity_session", /lacks the index activity_session/],
  [
    "another index",
    "DROP INDEX activity_session; CREATE INDEX activity_session ON activity (id)",
    /index activity_session is not as touchstone made it/,
  ],
  ["a trigger that is gone", "DROP TRIGGER activity_removed", /lacks the trigger activity_removed/],
])("detects a change of %s", async (_what, change, words) => {
  const dataDir = await kept();
  tamper(dataDir, change);
  const report = await verified(dataDir);
  expect(report).toMatchObject({ ok: false, faults: [] });
  expect(report.store_faults).toEqual([expect.stringMatching(words)]);
});

it.skipIf(process.platform === "win32")(
  "does not wait on a pipe in place of a journal or database",
  async () => {
    const { dataDir } = await recorded([CALL]);
    const name = "activity-01HZX.0.1.01234567.jsonl";
    execFileSync("mkfifo", [join(dataDir, name)]);
    const reader = await openActivityReader({ dataDir });
    expect((await reader?.list(filter()))?.activities).toHaveLength(1);
    await reader?.close();
    expect((await verified(dataDir)).store_faults).toEqual([
      `${name} is not a regular file: records that were in it are not seen`,
    ]);
    renameSync(join(dataDir, "activity.db"), join(dataDir, "moved.db"));
    execFileSync("mkfifo", [join(dataDir, "activity.db")]);
    const fault = {
      code: "DATABASE_UNREADABLE",
      message: expect.stringMatching(/not a regular file/),
    };
    await expect(openActivityReader({ dataDir })).rejects.toMatchObject(fault);
    await expect(openActivityStore({ dataDir, sync: "normal" })).rejects.toMatchObject(fault);
  },
);

it.skipIf(process.platform === "win32")(
  "warns about a data directory that every user can write to",
  async () => {
    const lines: string[] = [];
    const log = createLogger((line) => lines.push(line), { level: "info", format: "text" });
    for (const mode of [0o700, 0o770, 0o777]) {
      const dataDir = tempDir();
      chmodSync(dataDir, mode);
      await (await openStore(DEFAULT_ACTIVITY, dataDir, log)).close();
    }
    expect(lines).toEqual([
      expect.stringMatching(/every user may change the records in .*mode 0777/),
    ]);
  },
);
