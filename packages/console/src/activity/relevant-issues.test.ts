import { compileDeclared, type Issue } from "@touchstone/core/advanced";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splitRelevantIssues } from "./relevant-issues.ts";

const kind = (name: string, ...required: string[]) => ({
  type: "object",
  properties: { kind: { const: name }, n: { type: "integer" } },
  required: ["kind", ...required],
});
const TEXT = { type: "string" };

/** Returns the record of the issues of a value that violates a schema. */
function recorded(value: unknown, schema: object): readonly Issue[] {
  return compileDeclared({ value: schema }).validate(value).errors;
}

describe("splitRelevantIssues", () => {
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
      "all of branches behind references, where the schema is not known",
      {
        $defs: { a: kind("a"), b: kind("b", "x") },
        anyOf: [{ $ref: "#/$defs/a" }, { $ref: "#/$defs/b" }],
      },
      { kind: "b" },
      ["/kind const", "/x required", " anyOf"],
      0,
    ],
  ])("keeps only %s", (_, schema, value, told, others) => {
    const found = splitRelevantIssues(recorded(value, schema));
    expect(found.meant.map(({ path, keyword }) => `${path} ${keyword}`)).toEqual(told);
    expect(found.others.length).toBe(others);
  });

  const kinds = { a: kind("a"), b: kind("b", "x"), c: { $ref: "#/$defs/b" } };
  const refs = (...names: string[]) => names.map((name) => ({ $ref: `#/$defs/${name}` }));
  it.each<[string, object, unknown, readonly string[], number]>([
    [
      "the branch that was meant",
      { $defs: kinds, anyOf: refs("a", "b") },
      { kind: "b" },
      ["/x required", " anyOf"],
      1,
    ],
    [
      "the branch behind two references",
      { $defs: kinds, oneOf: refs("a", "c") },
      { kind: "b" },
      ["/x required", " oneOf"],
      1,
    ],
    [
      "what is inside a branch, behind further references",
      {
        $defs: {
          ...kinds,
          one: { properties: { p: { $ref: "#/$defs/a" } }, required: ["y", "z"] },
          two: { properties: { p: { $ref: "#/$defs/b" } }, required: ["y"] },
        },
        anyOf: refs("one", "two"),
      },
      { p: { kind: "b", x: 1, n: "1" } },
      ["/y required", "/p/n type", " anyOf"],
      4,
    ],
    [
      "what something else asks for as well",
      { $defs: kinds, allOf: refs("b"), anyOf: refs("a", "b") },
      { kind: "a", n: "1" },
      [
        ...["/n type", "/x required", "/kind const", "/n type", " anyOf"],
        ...["/x required", "/kind const", "/n type"],
      ],
      0,
    ],
    [
      "what branches share, of each of them",
      {
        $defs: { n: { properties: { n: { type: "integer" } } } },
        anyOf: [
          { $ref: "#/$defs/n", required: ["a", "b"] },
          { $ref: "#/$defs/n", required: ["a"] },
        ],
      },
      { n: "1" },
      ["/n type", "/n type", "/a required", " anyOf"],
      2,
    ],
    [
      "all where a schema is inside itself",
      { anyOf: [{ type: "string" }, { properties: { p: { $ref: "#" } }, required: ["p"] }] },
      { p: {} },
      ["/p/p required", "/p anyOf", " anyOf"],
      2,
    ],
  ])("with the schema keeps only %s", (_, schema, value, told, others) => {
    const found = splitRelevantIssues(recorded(value, schema), schema);
    expect(found.meant.map(({ path, keyword }) => `${path} ${keyword}`)).toEqual(told);
    expect(found.others.length).toBe(others);
  });

  it("loses no issue of any record", () => {
    const text = fc.constantFrom("", "/a", "/a/b", "/b");
    const issue = fc.record({
      path: text,
      message: fc.string(),
      rule: fc.constant("value" as const),
      keyword: fc.constantFrom("anyOf", "oneOf", "const", "type", undefined),
      schemaPath: fc.constantFrom(
        undefined,
        "#/anyOf",
        "#/anyOf/0/type",
        "#/anyOf/1/oneOf",
        "#/anyOf/1/oneOf/0/const",
      ),
    });
    fc.assert(
      fc.property(fc.array(issue), fc.boolean(), (given, isKnown) => {
        const issues = given as readonly Issue[];
        const schema = { anyOf: [{ $ref: "#/anyOf/1" }, { oneOf: [{ const: 1 }, { $ref: "#" }] }] };
        const { meant, others } = splitRelevantIssues(issues, isKnown ? schema : undefined);
        expect(new Set([...meant, ...others])).toEqual(new Set(issues));
        expect(meant.length === 0).toBe(issues.length === 0);
      }),
    );
  });
});
