import { expect, it } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { CALL } from "../testing/fixtures.ts";
import { recorded, tamper, verified } from "../testing/recorded.ts";

const COUNTS = "the counts by which records are listed are not those of the records";
const entries = Array.from({ length: 300 }, (_, n) => ({ ...CALL, tool: `t${n % 3}` }));

it.each([
  ["are gone", "DELETE FROM tally"],
  ["are too few", "UPDATE tally SET records = 1 WHERE hour = '' AND tool = 't1'"],
  ["are damaged", "UPDATE tally SET tool = CAST(x'ff41' AS TEXT) WHERE tool = 't1'"],
  ["tell of others", "INSERT INTO tally VALUES ('', 'tool_call', '', 't9', '', '', '', 1)"],
])("detects counts that %s", async (_what, change) => {
  const { dataDir } = await recorded(entries);
  tamper(dataDir, change);
  expect(await verified(dataDir)).toMatchObject({
    ok: false,
    faults: [],
    store_faults: [COUNTS],
  });
});

it("recounts more records and kinds than fit into one step", {
  ...long,
  timeout: 30_000,
}, async () => {
  const many = Array.from({ length: 21_000 }, (_, n) => ({ ...CALL, tool: `t${n % 6000}` }));
  const { dataDir } = await recorded(many);
  expect(await verified(dataDir)).toMatchObject({ ok: true, records: 21_000 });
  tamper(dataDir, "UPDATE tally SET records = records + 1 WHERE hour = '' AND tool = 't5999'");
  expect(await verified(dataDir)).toMatchObject({ ok: false, faults: [], store_faults: [COUNTS] });
});

it("finds nothing wrong if records were pruned in order", async () => {
  const { dataDir } = await recorded(entries);
  tamper(
    dataDir,
    `UPDATE chains SET pruned = 100, pruned_hash = (SELECT hash FROM activity WHERE seq = 99)`,
    "DELETE FROM activity WHERE seq < 100",
  );
  expect(await verified(dataDir)).toMatchObject({ ok: true, pruned: 100, store_faults: [] });
});

it("detects an incomplete index, which no chain shows", async () => {
  const { dataDir } = await recorded(entries);
  const declare = (condition: string): string =>
    `PRAGMA writable_schema = ON;
     UPDATE sqlite_schema SET sql = 'CREATE INDEX activity_tool ON activity (tool, server, id)
       WHERE ${condition}' WHERE name = 'activity_tool';`;
  tamper(dataDir, declare("tool = ''t1''"));
  tamper(dataDir, "REINDEX activity_tool");
  tamper(dataDir, declare("tool IS NOT NULL"));
  const report = await verified(dataDir);
  expect(report).toMatchObject({ ok: false, faults: [] });
  // The definitions of the index also differ in white space.
  expect(report.store_faults.filter((line) => line.includes("damaged"))).toHaveLength(10);
  expect(report.store_faults[0]).toMatch(/^the database is damaged: .*activity_tool/);
});
