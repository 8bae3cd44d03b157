import { describe, expect, it } from "vitest";
import type { ActivityRecord } from "../record.ts";
import { CSV_HEADER, toCsv } from "./csv.ts";
import { toEcs } from "./ecs.ts";
import { toOcsf } from "./ocsf.ts";

const EMPTY: ActivityRecord = {
  ...{ id: "01M8066KDNBPSNRP3XQ9T1TBDH", time: "2026-08-31T12:00:00.250Z" },
  ...{ type: "system_start", source: "gateway", server: null, tool: null, direction: null },
  ...{ mode: null, decision: null, status: null, outcome: null, reason: null, issues: [] },
  ...{ schema_hash: null, client: null, session: null, request_id: null },
  ...{ bytes_in: null, bytes_out: null, duration_ms: null },
  ...{ prev_hash: "0".repeat(64), hash: "1".repeat(64) },
};
const FULL: ActivityRecord = {
  ...EMPTY,
  ...{ type: "tool_call", server: "files", tool: "read", direction: "output", mode: "strict" },
  ...{ decision: "blocked", status: "blocked", outcome: "guard", reason: "too large" },
  issues: [{ path: "/a", message: "too large", rule: "guard" }],
  guard: { guard: "maxBytes", limit: 10, actual: 11 },
  ...{ schema_hash: "sha256:2", client: "acme/agent/1.2", session: "sha256:3", request_id: "r1" },
  caller: "alice",
  ...{ bytes_in: 12, bytes_out: 34, duration_ms: 1.5 },
  ...{ arguments: '{"a":1}', result: "{}", redactions: 1 },
  ...{ truncated: 3, previous_schema_hash: "sha256:4" },
};
/** The fields without a place in either schema, which look the same in both. */
const OWN = {
  ...{ direction: "output", mode: "strict", decision: "blocked", status: "blocked" },
  ...{ outcome: "guard", issues: FULL.issues, guard: FULL.guard, schema_hash: "sha256:2" },
  ...{ arguments: '{"a":1}', result: "{}", redactions: 1, prev_hash: FULL.prev_hash },
  ...{ truncated: 3, previous_schema_hash: "sha256:4" },
};

describe("the Elastic Common Schema", () => {
  it("has every field of a record", () => {
    expect(toEcs(FULL)).toEqual({
      "@timestamp": FULL.time,
      "ecs.version": "8.17.0",
      message: "tool_call files/read blocked: too large",
      event: {
        ...{ id: FULL.id, kind: "event", category: ["api"], type: ["access", "denied"] },
        ...{ action: "tool_call", outcome: "failure", module: "touchstone" },
        ...{ dataset: "touchstone.activity", provider: "gateway", hash: FULL.hash },
        ...{ duration: 1_500_000, reason: "too large" },
      },
      service: { name: "files" },
      user_agent: { original: "acme/agent/1.2" },
      user: { name: "alice" },
      http: { request: { bytes: 12 }, response: { bytes: 34 } },
      touchstone: { ...OWN, tool: "read", session: "sha256:3", request_id: "r1" },
    });
  });

  it("leaves out fields that a record does not have", () => {
    const { event, touchstone: _own, ...rest } = toEcs(EMPTY);
    expect(rest).toEqual({
      "@timestamp": EMPTY.time,
      "ecs.version": "8.17.0",
      message: "system_start",
    });
    expect(event).not.toHaveProperty("duration");
    expect(event).not.toHaveProperty("reason");
    expect(toEcs({ ...EMPTY, bytes_in: 1 })["http"]).toEqual({ request: { bytes: 1 } });
    expect(toEcs({ ...EMPTY, bytes_out: 1 })["http"]).toEqual({ response: { bytes: 1 } });
  });

  it.each<[Partial<ActivityRecord>, string, string[], string]>([
    [{ type: "tool_call", status: "success" }, "api", ["access", "allowed"], "success"],
    [{ type: "tool_call", status: "warning" }, "api", ["access", "allowed"], "success"],
    [{ type: "policy_decision", status: "repaired" }, "api", ["info", "allowed"], "success"],
    [{ type: "tool_call", status: "error" }, "api", ["access", "allowed"], "failure"],
    [{ type: "tool_call", status: "rejected" }, "api", ["access", "denied"], "failure"],
    [{ type: "policy_decision", decision: "blocked" }, "api", ["info", "denied"], "unknown"],
    [{ type: "policy_decision", decision: "warning" }, "api", ["info", "allowed"], "unknown"],
    [{ type: "config_change" }, "configuration", ["change"], "unknown"],
    [{ type: "schema_change" }, "process", ["change"], "unknown"],
    [{ type: "server_change" }, "process", ["change"], "unknown"],
    [{ type: "system_start" }, "process", ["start"], "unknown"],
    [{ type: "system_stop" }, "process", ["end"], "unknown"],
  ])("categorizes %j", (record, category, type, outcome) => {
    expect(toEcs({ ...EMPTY, ...record })["event"]).toMatchObject({
      category: [category],
      type,
      outcome,
    });
  });
});

describe("the Open Cybersecurity Schema Framework", () => {
  it("has every field of a record", () => {
    expect(toOcsf(FULL)).toEqual({
      ...{ category_uid: 6, category_name: "Application Activity" },
      ...{ class_uid: 6003, class_name: "API Activity", activity_id: 99 },
      ...{ activity_name: "tool_call", type_uid: 600_399, type_name: "API Activity: Other" },
      ...{ time: Date.UTC(2026, 7, 31, 12, 0, 0, 250), severity_id: 3, severity: "Medium" },
      ...{ status_id: 2, status: "Failure", status_detail: "too large", duration: 2 },
      message: "tool_call files/read blocked: too large",
      metadata: {
        ...{ version: "1.6.0", uid: FULL.id, event_code: "tool_call", log_name: "activity" },
        ...{ original_time: FULL.time, correlation_uid: "r1" },
        product: { name: "touchstone", vendor_name: "Touchstone" },
      },
      actor: { app_name: "acme/agent", session: { uid: "sha256:3" }, user: { name: "alice" } },
      api: {
        operation: "read",
        service: { name: "files" },
        request: { uid: "r1" },
        response: { error: "blocked", error_message: "too large" },
      },
      src_endpoint: {
        name: "acme/agent",
        agent_list: [{ name: "acme/agent", version: "1.2", type_id: 99, type: "MCP client" }],
      },
      unmapped: { ...OWN, source: "gateway", bytes_in: 12, bytes_out: 34, hash: FULL.hash },
    });
  });

  it("leaves out fields that a record does not have", () => {
    const ocsf = toOcsf(EMPTY);
    expect(ocsf).not.toHaveProperty("status_detail");
    expect(ocsf).not.toHaveProperty("duration");
    expect(ocsf).toMatchObject({ status_id: 0, status: "Unknown" });
    expect(ocsf["metadata"]).not.toHaveProperty("correlation_uid");
    expect(ocsf["api"]).toEqual({ operation: "system_start", service: { name: "touchstone" } });
    expect([ocsf["actor"], ocsf["src_endpoint"]]).toEqual([
      { app_name: "unknown" },
      { name: "unknown" },
    ]);
  });

  it.each([
    ["success", 1, 1, {}],
    ["warning", 2, 1, {}],
    ["repaired", 2, 1, {}],
    ["error", 2, 2, { error: "error" }],
    ["blocked", 3, 2, { error: "blocked" }],
    ["rejected", 3, 2, { error: "rejected" }],
  ] as const)("sets the severity of the status %s", (status, severity_id, status_id, response) => {
    expect(toOcsf({ ...EMPTY, status })).toMatchObject({ severity_id, status_id });
    expect(toOcsf({ ...EMPTY, status })["api"]).toMatchObject({ response });
  });

  it.each([
    ["agent", { name: "agent" }],
    ["/1", { name: "/1" }],
    ["agent/", { name: "agent", agent_list: [{ name: "agent", version: "" }] }],
  ])("splits the client %j into name and version", (client, endpoint) => {
    const found = toOcsf({ ...EMPTY, client })["src_endpoint"];
    expect(found).toMatchObject(endpoint);
    expect(Object.keys(found as object)).toEqual(Object.keys(endpoint));
  });
});

describe("CSV", () => {
  it("has a column for each field, and quotes where necessary", () => {
    const cells: Record<string, string> = {
      ...{ id: EMPTY.id, time: EMPTY.time, type: "system_start", source: "gateway" },
      ...{ server: '"a,""b"""', reason: '"x\ny"', issues: "[]" },
      ...{ prev_hash: EMPTY.prev_hash, hash: EMPTY.hash },
    };
    const row = CSV_HEADER.trimEnd()
      .split(",")
      .map((name) => cells[name] ?? "");
    expect(toCsv({ ...EMPTY, server: 'a,"b"', reason: "x\ny" })).toBe(`${row.join(",")}\r\n`);
    expect(Object.keys(cells).filter((name) => !CSV_HEADER.includes(name))).toEqual([]);
    expect(toCsv(FULL)).toContain(
      ',"{""guard"":""maxBytes"",""limit"":10,""actual"":11}",sha256:2,acme/agent/1.2,alice,sha256:3,r1,12,34,1.5,',
    );
  });

  it.each([..."=+-@\t\r\n＝＋－＠"])("prevents a formula that begins with %j", (sign) => {
    expect(toCsv({ ...EMPTY, tool: `${sign}1` })).toMatch(/,"?'[=+\-@\t\r\n＝＋－＠]1"?,/);
  });
});
