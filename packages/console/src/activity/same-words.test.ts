import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { ACTIVITY_SCOPES, DECISIONS, DIRECTIONS, OUTCOMES } from "../../../records/src/filter.ts";
import { CALL_SCOPES } from "../../../records/src/filter-names.ts";
import { openActivityStore } from "../../../records/src/open-sqlite.ts";
import type { ActivityEntry } from "../../../records/src/record.ts";
import {
  ACTIVITY_STATUSES,
  ACTIVITY_TYPES,
  REFUSED_STATUSES as GATEWAY_REFUSED,
} from "../../../records/src/record.ts";
import { responseProblem } from "../api/operations.ts";
import { REFUSED_STATUSES } from "./call.ts";
import { filtersOf } from "./filter.ts";

// The page has separate texts for values that the gateway also lists: this test compares both lists.

it("the page has the same filters and values as the gateway", () => {
  const names = (view: "calls" | "records") =>
    filtersOf(view)
      .map(({ name }) => name)
      .toSorted();
  expect(names("records")).toEqual(ACTIVITY_SCOPES.toSorted());
  expect(names("calls")).toEqual([...CALL_SCOPES, "q", "rule", "problem", "without"].toSorted());
  const choices = filtersOf("records").filter(({ values }) => values !== undefined);
  expect(Object.fromEntries(choices.map(({ name, values }) => [name, values]))).toEqual({
    type: ACTIVITY_TYPES,
    direction: DIRECTIONS,
    decision: DECISIONS,
    status: ACTIVITY_STATUSES,
    outcome: OUTCOMES,
  });
});

it("the page counts the same statuses as refused", () => {
  expect(REFUSED_STATUSES).toEqual(GATEWAY_REFUSED);
});

const json = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
const ENTRY: Required<ActivityEntry> = {
  ...{ type: "policy_decision", source: "gateway", server: "s", tool: "t", direction: "input" },
  ...{ mode: "warn", decision: "warning", status: "warning", outcome: "guard", reason: "why" },
  issues: [
    {
      ...{ path: "/a", message: "m", rule: "type", keyword: "type", schemaPath: "#/type" },
      ...{ instancePath: "/a", params: { type: "string" } },
    },
  ],
  guard: { guard: "maxBytes", limit: 1, actual: 2 },
  ...{ schema_hash: `sha256:${"0".repeat(64)}`, client: "c/1", request_id: "r" },
  ...{ caller: "alice", session: "id" },
  ...{ previous_schema_hash: `sha256:${"1".repeat(64)}`, truncated: 4 },
  ...{ both_schemas: true, output_schema_hash: `sha256:${"2".repeat(64)}` },
  previous_output_schema_hash: `sha256:${"3".repeat(64)}`,
  ...{
    repairs: "coerce-scalars at /n",
    adapt: "mirror_content",
    bridged: "2025-11-25>2026-07-28",
    patch: json([]),
    response_text: "text",
    checks: "input warn pass",
    approvals: "a".repeat(43),
    erasures: "b".repeat(43),
  },
  ...{ actor: "auth.keys", role: "admin", address: "127.0.0.1" },
  ...{ changes: "activity.drift: false → true", given_reason: "why", revision: "2025-11-25" },
  ...{ bytes_in: 1, bytes_out: 2, duration_ms: 3, arguments: json({}), result: json({}) },
};

it("the page understands every field of a record", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "touchstone-console-"));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const bodies = { maxBytes: 1000 };
  const store = await openActivityStore({ dataDir, sync: "normal", bodies });
  onTestFinished(() => store.close());
  const [written] = await store.append([ENTRY]);
  if (written === undefined) throw new Error("nothing was written");
  expect(responseProblem("getActivityRecord", JSON.parse(JSON.stringify(written)))).toBeUndefined();
});
