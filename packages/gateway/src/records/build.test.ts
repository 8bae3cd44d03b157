import type { Issue } from "@touchstone/core";
import { describe, expect, it } from "vitest";
import { rememberSecret } from "../util/known-secrets.ts";
import { buildRecord } from "./build.ts";

const TOKEN = `ghp_${"a1".repeat(18)}`;
const KEY = "-----BEGIN PRIVATE KEY-----MIIE";
const CARD = 4111111111111111;

function recorded(...issues: Partial<Issue>[]) {
  const whole = issues.map((issue) => ({ path: "/a", message: "m", rule: "value", ...issue }));
  const entry = { type: "policy_decision", source: "gateway", issues: whole as Issue[] } as const;
  return buildRecord(entry, "ID", new Date(0));
}

describe("the issues of a record", () => {
  it.each<[string, Partial<Issue>, Partial<Issue>, number]>([
    ["in a path", { path: `/${TOKEN}/b` }, { path: "/[redacted]/b" }, 1],
    [
      "in a message, twice",
      { message: `${TOKEN} and ${TOKEN}` },
      { message: "[redacted] and [redacted]" },
      2,
    ],
    [
      "in a parameter",
      { params: { allowed: [TOKEN] } },
      { params: { allowed: ["[redacted]"] } },
      1,
    ],
    ["behind a line break", { path: `/a\n${TOKEN}` }, { path: "/a\n[redacted]" }, 1],
    ["that is a key", { path: `/${KEY}` }, { path: "/[redacted]" }, 1],
    [
      "that is a number",
      { path: `/${TOKEN}`, params: { limit: CARD } },
      { path: "/[redacted]" },
      2,
    ],
  ])("redact secrets %s", (_, issue, kept, redactions) => {
    const record = recorded(issue);
    expect(record.issues).toMatchObject([{ path: "/a", rule: "value", ...kept }]);
    expect(record.redactions).toBe(redactions);
    expect(JSON.stringify(record)).not.toMatch(/ghp_|BEGIN|4111/);
  });

  it("stay unchanged without secrets, and are not counted", () => {
    const record = recorded({ path: "/b", keyword: "enum" }, {});
    expect(record.issues).toEqual([
      { path: "/b", message: "m", rule: "value", keyword: "enum" },
      { path: "/a", message: "m", rule: "value" },
    ]);
    expect(record).not.toHaveProperty("redactions");
  });
});

it.each(["client", "tool", "request_id", "actor"] as const)(
  "the %s of a record has no secret of the configuration",
  (field) => {
    rememberSecret("known-s3cret");
    const entry = { type: "tool_call", source: "gateway" } as const;
    const record = buildRecord({ ...entry, [field]: "a/known-s3cret/1" }, "ID", new Date(0));
    expect(record).toMatchObject({ [field]: "a/[redacted]/1", redactions: 1 });
    const long = buildRecord({ ...entry, [field]: "known-s3cret".repeat(100) }, "ID", new Date(0));
    expect(long[field]).toMatch(/^(?:\[redacted\])+…$|^[[\]dacter]+…$/);
    expect(long[field]).toHaveLength(256);
  },
);
