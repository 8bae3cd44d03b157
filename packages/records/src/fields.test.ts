import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { RECORD_FIELDS } from "./record.ts";

const REFERENCE = new URL("../../../docs/reference/records.md", import.meta.url);

it("lists every record field in the reference, one per row", () => {
  const [, section = ""] = readFileSync(REFERENCE, "utf8").split("\n## Fields\n");
  const [table = ""] = section.split("\n## ");
  const rows = [...table.matchAll(/^\| (`.*?`) \|/gm)].map(([, names = ""]) => names);
  const listed = rows.flatMap((names) => [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name));
  expect(listed.toSorted()).toEqual(RECORD_FIELDS.map(([name]) => name).toSorted());
});

it("gives each field that listings filter by a column", () => {
  for (const [name, { filter, column }] of RECORD_FIELDS) {
    if (filter !== undefined) expect([name, column]).toEqual([name, expect.any(String)]);
  }
});

it("decides for each field whether it may say something about a person", () => {
  const names = (personal: boolean) =>
    RECORD_FIELDS.filter(([, field]) => (field.personal === true) === personal).map(
      ([name]) => name,
    );
  // Each new field must be in one of the two lists: `personal` in its declaration means that it is erased.
  expect(names(true).toSorted()).toEqual(ERASED.toSorted());
  expect(names(false).toSorted()).toEqual(KEPT.toSorted());
});

const ERASED = [
  ...["reason", "issues", "client", "caller", "session", "arguments", "result"],
  ...["repairs", "adapt", "patch", "response_text", "salt"],
  ...["actor", "address", "given_reason"],
];
const KEPT = [
  ...["id", "time", "type", "source", "server", "tool", "direction", "mode", "decision"],
  ...["status", "outcome", "guard", "schema_hash", "request_id", "bytes_in", "bytes_out"],
  ...["duration_ms", "redactions", "truncated", "previous_schema_hash", "approvals"],
  ...["both_schemas", "output_schema_hash", "previous_output_schema_hash"],
  ...[
    "checks",
    "role",
    "changes",
    "revision",
    "erasures",
    "erased",
    "prev_hash",
    "hash",
    "bridged",
  ],
];
