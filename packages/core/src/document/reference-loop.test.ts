import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileDeclared } from "../compile.ts";
import { renderForModel } from "../report/render/model.ts";

const D7 = "http://json-schema.org/draft-07/schema#";
const D2019 = "https://json-schema.org/draft/2019-09/schema";
const VALUES = [null, true, 0, 1.5, "", "a", [], [1], {}, { a: 1 }, { a: { a: 1 } }];

describe("a schema that always applies itself to the same value is unusable", () => {
  it.each<[string, object, string]>([
    ["by a reference", { $ref: "#" }, ""],
    ["beside a type", { type: "object", $ref: "#" }, ""],
    ["by allOf", { type: "object", allOf: [{ type: "object" }, { $ref: "#" }] }, "/allOf/1"],
    [
      "over two definitions",
      {
        $ref: "#/$defs/A",
        $defs: { A: { $ref: "#/$defs/b~1%25" }, "b/%": { allOf: [{ $ref: "#/$defs/A" }] } },
      },
      "/$defs/b~1%/allOf/0",
    ],
    [
      "by a definition that is not the root",
      { allOf: [{ $ref: "#/$defs/A" }], $defs: { A: { $ref: "#/$defs/A" } } },
      "/$defs/A",
    ],
    [
      "by an anchor",
      { $ref: "#a", $defs: { x: { $anchor: "a", allOf: [{ $ref: "#a" }] } } },
      "/$defs/x/allOf/0",
    ],
    ["by an identifier", { $id: "http://x/s", $ref: "s" }, ""],
    ["by a dynamic anchor", { $dynamicAnchor: "n", allOf: [{ $dynamicRef: "#n" }] }, "/allOf/0"],
    ["by $recursiveRef", { $schema: D2019, $recursiveAnchor: true, $recursiveRef: "#" }, ""],
    ["in draft-07", { $schema: D7, allOf: [{ $ref: "#" }] }, "/allOf/0"],
  ])("%s", (_, schema, path) => {
    const compiled = compileDeclared({ value: schema });
    expect(compiled.error).toMatchObject({ code: "reference_loop", path });
    for (const value of VALUES) {
      const check = compiled.validate(value);
      expect(check.outcome).toBe("uncompilable");
      expect(renderForModel(check, { tool: "t" })).toContain(
        "changing the arguments will not help",
      );
    }
  });

  it.each<[string, object]>([
    ["a tree", { properties: { a: { $ref: "#" } }, items: { $ref: "#" } }],
    [
      "two uses of one definition",
      { allOf: [{ $ref: "#/$defs/a" }, { $ref: "#/$defs/a" }], $defs: { a: {} } },
    ],
    ["a loop in a definition that nothing uses", { $defs: { A: { $ref: "#/$defs/A" } } }],
    [
      "a reference that draft-07 ignores beside another",
      { $schema: D7, $ref: "#/definitions/a", allOf: [{ $ref: "#" }], definitions: { a: {} } },
    ],
    ["a branch after one that passes", { anyOf: [true, { $ref: "#" }] }],
    ["a condition that is never met", JSON.parse('{"if":false,"then":{"$ref":"#"}}')],
    [
      "names",
      { propertyNames: { maxLength: 3 }, properties: { a: { propertyNames: { $ref: "#" } } } },
    ],
  ])("%s is usable", (_, schema) => {
    const compiled = compileDeclared({ value: schema });
    expect(compiled.error).toBeUndefined();
    for (const value of VALUES) expect(compiled.validate(value).outcome).not.toBe("budget");
  });

  // With these schemas, the check of some values does end.
  it.each<[string, object, unknown, unknown]>([
    ["a member", { properties: { a: { $ref: "#/properties/a" } } }, {}, { a: 1 }],
    [
      "a member, over two definitions",
      {
        properties: { a: { $ref: "#/$defs/A" } },
        $defs: { A: { $ref: "#/$defs/B" }, B: { $ref: "#/$defs/A" } },
      },
      {},
      { a: "x" },
    ],
    ["items", { items: { allOf: [{ $ref: "#/items" }] } }, [], [1]],
    ["the second branch of anyOf", { anyOf: [{ type: "null" }, { $ref: "#" }] }, null, 1],
    ["then", JSON.parse('{"if":{"type":"string"},"then":{"$ref":"#"}}'), 1, "a"],
    ["a dependent schema", { dependentSchemas: { a: { $ref: "#" } } }, {}, { a: 1 }],
    ["not, after a type", { type: "string", not: { $ref: "#" } }, 1, "a"],
  ])(
    "a loop in %s leaves the schema usable, without advice about the value",
    (_, schema, good, bad) => {
      const compiled = compileDeclared({ value: schema });
      expect(compiled.error).toBeUndefined();
      expect(compiled.validate(good).outcome).toMatch(/pass|violation/);
      const check = compiled.validate(bad);
      expect(check).toMatchObject({
        outcome: "budget",
        errors: [{ keyword: "budget", params: { schema: "reference_loop" } }],
      });
      // Records and responses contain the check as JSON.
      for (const each of [check, JSON.parse(JSON.stringify(check))]) {
        expect(renderForModel(each, { tool: "t" })).toBe(
          'The arguments of "t" could not be checked.\n' +
            "- The schema refers to itself for the same value, and the check did not end. This is a fault of the server.",
        );
      }
    },
  );

  it("never if a value has a verdict", () => {
    const { schema } = fc.letrec((tie) => ({
      ref: fc.constantFrom("#", "#/$defs/a", "#/$defs/b").map(($ref) => ({ $ref })),
      leaf: fc.constantFrom<object | boolean>(
        true,
        false,
        {},
        { type: "string" },
        { type: "object" },
        { const: 1 },
      ),
      schema: fc.oneof(
        { maxDepth: 3 },
        tie("leaf"),
        tie("ref"),
        fc.record({ allOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }) }),
        fc.record({
          anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }),
          type: fc.constant("object"),
        }),
        fc.record({
          type: fc.constantFrom("string", "object"),
          $ref: fc.constantFrom("#", "#/$defs/a"),
        }),
        fc.record({ properties: fc.record({ a: tie("schema") }) }),
        fc.record({ not: tie("schema") }),
      ),
    }));
    const isObject = (each: unknown): each is object => typeof each === "object" && each !== null;
    let loops = 0;
    fc.assert(
      fc.property(
        schema.filter(isObject),
        schema,
        schema,
        fc.constantFrom(...VALUES),
        (root, a, b, value) => {
          const $defs = { a, b };
          const { error: fault } = compileDeclared({ value: { ...root, $defs } });
          if (fault?.code !== "reference_loop") return;
          loops += 1;
          // The same schema is not refused if it applies to a member, so this shows what the engine does with the
          // value.
          const moved = JSON.parse(
            JSON.stringify({ properties: { v: root }, $defs }).replaceAll(
              '"$ref":"#"',
              '"$ref":"#/properties/v"',
            ),
          );
          const check = compileDeclared({ value: moved }).validate({ v: value });
          expect(check.outcome).toBe("budget");
        },
      ),
      { numRuns: 400 },
    );
    expect(loops).toBeGreaterThan(20);
  });
});
