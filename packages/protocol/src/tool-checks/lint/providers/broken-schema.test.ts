import type { JsonObject } from "@touchstone/core/advanced";
import { describe, expect, it } from "vitest";
import { lintFor } from "./lint-for.ts";
import { PROVIDERS } from "./provider.ts";

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  ...more,
});
const A = "/inputSchema/properties/a";

describe.each(PROVIDERS)("lintFor for %s", (provider) => {
  const lint = (inputSchema: JsonObject) =>
    lintFor([{ name: "t", description: "d", inputSchema }], [provider]);
  const brokenOf = (schema: JsonObject): string[] =>
    lint(schema)
      .filter(({ rule }) => rule === "schema" || rule === "unresolved-reference")
      .map(({ severity, rule, path }) => `${severity} ${rule} ${path}`);

  it.each<[string, JsonObject, string[]]>([
    [
      "a keyword among the properties",
      object({ a: { type: "string" }, type: "object" }),
      ["error schema /inputSchema/properties/type"],
    ],
    ["a type that is none", object({ a: { type: "STRING" } }), [`error schema ${A}/type`]],
    [
      "what the dialect that it names does not allow",
      object({ a: { type: "STRING" } }, { $schema: "http://json-schema.org/draft-07/schema#" }),
      [`error schema ${A}/type`],
    ],
    [
      "what no dialect allows, under one that is not known",
      object({ a: { type: "STRING" } }, { $schema: "https://a.example/dialect" }),
      [`error schema ${A}/type`],
    ],
    [
      "references that lead nowhere, beside something that is not a schema",
      object({
        a: { $ref: "#/$defs/a" },
        b: { type: "array", items: { $ref: "#/$defs/b" } },
        c: { type: "STRING" },
      }),
      [
        `error unresolved-reference ${A}/$ref`,
        "error unresolved-reference /inputSchema/properties/b/items/$ref",
        "error schema /inputSchema/properties/c/type",
      ],
    ],
    [
      "a reference to another document",
      object({ a: { $ref: "https://a.example/s.json" } }),
      [`error unresolved-reference ${A}/$ref`],
    ],
    [
      "a reference to something that is not a schema",
      object({ a: { $ref: "#/properties/b/type" }, b: { type: "string" } }),
      [`error unresolved-reference ${A}/$ref`],
    ],
    [
      "references that lead somewhere",
      object(
        { a: { $ref: "#/$defs/a%20b" }, b: { $ref: "#c" }, c: { $ref: "own#/$defs/d" } },
        {
          $defs: {
            "a b": { type: "string" },
            c: { $anchor: "c", type: "string" },
            own: {
              $id: "own",
              type: "object",
              properties: { d: { $ref: "#/$defs/d" } },
              $defs: { d: { type: "string" } },
            },
          },
        },
      ),
      [],
    ],
  ])("finds %s", (_, schema, expected) => {
    expect(brokenOf(schema).sort()).toEqual([...expected].sort());
  });

  it("says that a reference leads nowhere, and suggests no replacement", () => {
    const findings = lint(object({ a: { $ref: "#/$defs/a" } }));
    const at = findings.filter(({ path }) => path === `${A}/$ref`);
    expect(at).toMatchObject([{ message: expect.stringMatching(/leads to nothing/) }]);
  });
});
