import { compileSchema } from "@touchstone/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { meantIssues } from "./meant-issues.ts";
import type { RecordIssue } from "./record.ts";

const kind = (name: string, ...required: string[]) => ({
  type: "object",
  properties: { kind: { const: name }, n: { type: "integer" } },
  required: ["kind", ...required],
});
const TEXT = { type: "string" };

/** What a record holds of a value that breaks a schema. */
function recorded(value: unknown, schema: object): readonly RecordIssue[] {
  const { errors } = compileSchema({ value: schema }).checkValue(value);
  return errors.map(({ path, message, rule, keyword = null, schemaPath = null }) => {
    return { path, message, rule, keyword, schemaPath };
  });
}

describe("meantIssues", () => {
  it.each<[string, object, unknown, readonly string[], number]>([
    ["no union", TEXT, 1, [" type"], 0],
    [
      "the name that tells branches apart",
      { anyOf: [kind("a"), kind("b", "x", "y"), TEXT] },
      { kind: "b" },
      ["/x required", "/y required", " anyOf"],
      2,
    ],
    [
      "the branch with least that is wrong",
      { oneOf: [{ required: ["a", "b"] }, { properties: { n: TEXT } }] },
      { n: 1 },
      ["/n type", " oneOf"],
      2,
    ],
    [
      "all that are as close",
      { anyOf: [TEXT, { type: "null" }] },
      1,
      [" type", " type", " anyOf"],
      0,
    ],
    [
      "unions in unions",
      { properties: { p: { anyOf: [TEXT, { oneOf: [kind("a", "z"), kind("b")] }] } } },
      { p: { kind: "a" } },
      ["/p/z required", "/p oneOf", "/p anyOf"],
      2,
    ],
    [
      "all of branches behind references",
      {
        $defs: { a: kind("a"), b: kind("b", "x") },
        anyOf: [{ $ref: "#/$defs/a" }, { $ref: "#/$defs/b" }],
      },
      { kind: "b" },
      ["/kind const", "/x required", " anyOf"],
      0,
    ],
  ])("keeps %s", (_, schema, value, told, others) => {
    const found = meantIssues(recorded(value, schema));
    expect(found.meant.map(({ path, keyword }) => `${path} ${keyword}`)).toEqual(told);
    expect(found.others.length).toBe(others);
  });

  it("loses none, whatever a record holds", () => {
    const text = fc.constantFrom("", "/a", "/a/b", "/b");
    const issue = fc.record({
      path: text,
      message: fc.string(),
      rule: fc.constant(null),
      keyword: fc.constantFrom("anyOf", "oneOf", "const", "type", null),
      schemaPath: fc.constantFrom(
        null,
        "#/anyOf",
        "#/anyOf/0/type",
        "#/anyOf/1/oneOf",
        "#/anyOf/1/oneOf/0/const",
      ),
    });
    fc.assert(
      fc.property(fc.array(issue), (issues) => {
        const { meant, others } = meantIssues(issues);
        expect(new Set([...meant, ...others])).toEqual(new Set(issues));
        expect(meant.length === 0).toBe(issues.length === 0);
      }),
    );
  });
});
