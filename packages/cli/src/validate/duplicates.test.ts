import { describe, expect, it } from "vitest";
import { validate } from "./testing/run.ts";

const TWICE = '{\n  "city": 5,\n  "city": "Oslo"\n}';

describe("touchstone validate with duplicate keys", () => {
  it("warns with line and column, and checks the last value", async () => {
    const { code, stdout } = await validate({ "a.json": TWICE }, ["-s", "@s.json", "@a.json"]);
    expect(stdout.split("\n")).toEqual([
      "valid    a.json",
      "  3:3 warning: /city occurs twice in its object; only the last one was checked",
      '    3 |   "city": "Oslo"',
      "          ^^^^^^",
      "1 document, 0 invalid",
      "",
    ]);
    expect(code).toBe(0);
  });

  it.each([
    ["json", /"valid": true[\s\S]*"rule": "duplicate",\s+"line": 3,\s+"column": 3/],
    ["sarif", /"ruleId": "duplicate"[\s\S]*"level": "warning"[\s\S]*"startLine": 3,/],
    ["junit", /failures="0"[\s\S]*3:3 warning: \/city occurs twice/],
  ])("reports it as %s", async (format, text) => {
    const args = ["-s", "@s.json", "-f", format, "@a.json"];
    const { code, stdout } = await validate({ "a.json": TWICE }, args);
    expect(stdout).toMatch(text);
    expect(code).toBe(0);
  });

  it("lists the warning with the other issues, only for the lines that have it", async () => {
    const lines = '{"city":"Oslo"}\n{"city":1,"city":"Oslo"}\n{"city":"Oslo","city":1}\n';
    const args = ["-s", "@s.json", "--jsonl", "@l.jsonl"];
    const { code, stdout } = await validate({ "l.jsonl": lines }, args);
    expect(stdout).toMatch(/^valid {4}l\.jsonl:2\n {2}2:11 warning: \/city occurs twice/);
    expect(stdout).toMatch(/\ninvalid {2}l\.jsonl:3: 1 issue\n {2}3:23 Change \/city/);
    expect(stdout).toMatch(/\n3 documents, 1 invalid\n$/);
    expect(code).toBe(1);
  });

  it("does not look for duplicates in a document over a limit", async () => {
    const args = ["-s", "@s.json", "--max-depth", "1", "-f", "json", "@a.json"];
    const { stdout } = await validate({ "a.json": TWICE }, args);
    expect(JSON.parse(stdout)).toMatchObject([{ outcome: "guard", warnings: [] }]);
  });

  it("warns about duplicates in the schema and in other documents", async () => {
    const files = {
      "t.json": '{"properties":{"n":{"$ref":"urn:u"}},\n "type":"array","type":"object"}',
      "u.json": '{"minimum":1,"minimum":2}',
      "a.json": '{"n":2}',
    };
    const args = ["-s", "@t.json", "--document", "urn:u=@u.json", "@a.json"];
    const { code, stderr } = await validate(files, args);
    const rest = "occurs twice in its object; only the last one was checked";
    expect(stderr.split("\n")).toEqual([
      `touchstone: warning: t.json:2:17 /type ${rest}`,
      `touchstone: warning: u.json:1:14 /minimum ${rest}`,
      "",
    ]);
    expect(code).toBe(0);
  });
});
