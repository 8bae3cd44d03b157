import { expect, it } from "vitest";
import { type ChangeRecord, groupChanges } from "./change-groups.ts";

const record = (minute: number, more: Partial<ChangeRecord> = {}): ChangeRecord => ({
  time: new Date(Date.UTC(2026, 0, 1, 12, minute)).toISOString(),
  ...{ server: "crm", tool: "read", direction: "input", mode: null },
  ...{ schema_hash: "b", previous_schema_hash: "a" },
  ...more,
});
const pinned = {
  mode: "strict",
  direction: null,
  schema_hash: "def2",
  previous_schema_hash: "def1",
};

it.each([
  ["two revisions and the pin", [record(9), record(8), record(2, pinned)], [3]],
  ["input and output schema", [record(1), record(0, { direction: "output" })], [2]],
  [
    "there and back",
    [record(1, { schema_hash: "a", previous_schema_hash: "b" }), record(0)],
    [1, 1],
  ],
  ["the same again after an hour", [record(59), record(0)], [1, 1]],
  ["two tools", [record(1), record(0, { tool: "write" })], [1, 1]],
  ["two servers", [record(1), record(0, { server: "files" })], [1, 1]],
  ["what is not a tool", [record(1, { tool: null }), record(0, { tool: null })], [1, 1]],
  ["one between those of another", [record(2), record(1, { tool: "write" }), record(0)], [2, 1]],
  ["nothing", [], []],
])("groups %s", (_, records, sizes) => {
  const groups = groupChanges(records);
  expect(groups.map(({ length }) => length)).toEqual(sizes);
  expect(groups.flat().toSorted((a, b) => (a.time < b.time ? 1 : -1))).toEqual(records);
});
