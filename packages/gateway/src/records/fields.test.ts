import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { RECORD_FIELDS } from "./record.ts";

const REFERENCE = new URL("../../../../docs/reference/records.md", import.meta.url);

it("lists every record field in the reference, one per row", () => {
  const [, section = ""] = readFileSync(REFERENCE, "utf8").split("\n## Fields\n");
  const rows = [...section.matchAll(/^\| (`.*?`) \|/gm)].map(([, names = ""]) => names);
  const listed = rows.flatMap((names) => [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name));
  expect(listed.toSorted()).toEqual(RECORD_FIELDS.map(([name]) => name).toSorted());
});

it("gives each field that listings filter by a column", () => {
  for (const [name, { filter, column }] of RECORD_FIELDS) {
    if (filter !== undefined) expect([name, column]).toEqual([name, expect.any(String)]);
  }
});
