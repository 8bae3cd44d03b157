import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readPart, readRecord } from "./record.ts";

const RECORD = { id: "01AB", time: "2026-11-22T00:00:00.000Z", type: "tool_call" };

describe("a record", () => {
  it("has null for values that are absent or of the wrong type", () => {
    const given = { ...RECORD, server: "a", tool: 1, duration_ms: "3", bytes_in: 7, issues: null };
    expect(readRecord(given)).toMatchObject({
      ...RECORD,
      server: "a",
      tool: null,
      duration_ms: null,
      bytes_in: 7,
      arguments: null,
      issues: [],
    });
  });

  it("keeps unknown fields, to show them", () => {
    const given = { ...RECORD, quirks: 2, note: "x", is_odd: false, list: [], nothing: null };
    expect(readRecord(given)?.others).toEqual([
      ["quirks", 2],
      ["note", "x"],
      ["is_odd", false],
    ]);
  });

  it("has the issues that have a path and a message", () => {
    const issue = {
      path: "/a",
      message: "must be string",
      rule: "type",
      schemaPath: "#/type",
      instancePath: "/a",
      params: { type: "string", received: "integer" },
    };
    const issues = readRecord({ ...RECORD, issues: [issue, { path: "/b" }, 1, null] })?.issues;
    expect(issues).toEqual([{ ...issue, keyword: null }]);
  });

  it.each([null, [], "x", {}, { ...RECORD, id: 1 }, { ...RECORD, time: undefined }])(
    "cannot be read from %j",
    (item) => {
      expect(readRecord(item)).toBeUndefined();
    },
  );

  it("can be read from anything without throwing", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), (members, issues) => {
        expect(readRecord({ ...members, ...RECORD, issues })?.id).toBe("01AB");
      }),
    );
  });
});

describe("a page of records", () => {
  it("has its records, and how to continue", () => {
    const answer = { activities: [RECORD, 1], total: 9, next_cursor: "c" };
    expect(readPart(answer)).toMatchObject({ total: 9, next: "c", records: [{ id: "01AB" }] });
    expect(readPart({ ...answer, next_cursor: null })).not.toHaveProperty("next");
  });

  it.each([null, {}, { activities: {}, total: 1 }, { activities: [] }])(
    "cannot be read from %j",
    (answer) => {
      expect(readPart(answer)).toBeUndefined();
    },
  );
});
