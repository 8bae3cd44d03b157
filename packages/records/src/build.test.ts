import { type Issue, runSteps } from "@touchstone/core/advanced";
import { describe, expect, it } from "vitest";
import { rememberSecret } from "../../util/src/known-secrets.ts";
import { FAILED_ARGUMENTS_READ_BYTES } from "./bounds.ts";
import { bodyTextsOf, buildRecord } from "./build.ts";

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

describe("a record of a failed call", () => {
  const text = (value: string): Uint8Array => Buffer.from(value);
  const entry = {
    type: "tool_call",
    source: "gateway",
    result: text('{"r":1}'),
    patch: text("[]"),
  } as const;
  const of = (args: string | Uint8Array) => {
    const given = typeof args === "string" ? text(args) : args;
    const whole = { ...entry, arguments: given };
    const bodies = { maxBytes: 4_096, ofFailed: true };
    const texts = runSteps(bodyTextsOf(whole, bodies));
    const record = buildRecord(whole, "ID", new Date(0), bodies, texts);
    expect({ ...record, salt: "" }).toEqual({
      ...buildRecord(whole, "ID", new Date(0), bodies),
      salt: "",
    });
    return record;
  };

  it("has its arguments, and neither a result nor a patch", () => {
    const record = of('{"a":1}');
    expect(record).toMatchObject({ arguments: '{"a":1}', redactions: 0 });
    expect(record.salt).toBeDefined();
    expect(record).not.toHaveProperty("result");
    expect(record).not.toHaveProperty("patch");
  });

  it.each(["{a:1}", "not JSON", '{"a":1]', '{"a":"\\q"}', "{'password':'hunter2'}"])(
    "does not have %j, which is not JSON",
    (args) => {
      const record = of(args);
      for (const field of ["arguments", "redactions", "salt"]) {
        expect(record).not.toHaveProperty(field);
      }
    },
  );

  it("is cut to 4 KiB at a character, wherever an escape or a character of several bytes is", () => {
    for (const character of ["é", "😀", "\\ud83d\\ude00", "\\n", "\ud83d"]) {
      for (let before = 0; before < 12; before += 1) {
        const args = `{"a":"${"x".repeat(before)}${character.repeat(3_000)}"}`;
        const kept = of(args).arguments ?? "";
        expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(4_096 + 3);
        expect(kept).toMatch(/…$/);
        expect(Buffer.from(args).toString()).toContain(kept.slice(0, -1));
      }
    }
  });

  it("has no half of a secret that the cut or the end of what was held is inside", () => {
    for (const at of [4_000, 4_090, 20_400, FAILED_ARGUMENTS_READ_BYTES - 20]) {
      for (const secret of [TOKEN, "https://me:hunter2-hunter2@x.example/", `password=hunter2 `]) {
        const args = `{"a":"${"x".repeat(at)} ${secret} ${"y".repeat(40_000)}"}`;
        const list = `["${"x".repeat(at)}","${secret}","${"y".repeat(40_000)}"]`;
        for (const whole of [args, list]) {
          const record = of(text(whole).subarray(0, FAILED_ARGUMENTS_READ_BYTES));
          expect(record.arguments).not.toMatch(/ghp_|a1a1|hunter2/);
        }
      }
    }
  });

  it("has no secret of the configuration", () => {
    rememberSecret("known-s3cret");
    expect(of('{"a":["known-s3cret"]}').arguments).toBe('{"a":["[redacted]"]}');
  });
});
