import { describe, expect, it } from "vitest";
import { encodeUtf8 } from "../json/text.ts";
import { REGISTRY } from "../keywords/index.ts";
import type { KeywordName } from "../keywords/keyword.ts";
import { graphOf } from "../testing/judges.ts";
import { Acceptor } from "./acceptor.ts";
import { ACCEPTOR_SUPPORT } from "./can-tell.ts";

function accepts(schema: unknown, value: unknown): boolean {
  const graph = graphOf(JSON.stringify(schema), new Map(), "policy", true);
  return new Acceptor(graph).accepts(encodeUtf8(JSON.stringify(value)));
}

// biome-ignore-start lint/suspicious/noThenProperty: the name of a keyword
/** For each keyword, a schema with a value that it accepts and one that it refuses. */
const SAMPLES: Readonly<
  Record<Exclude<KeywordName, "title" | "default">, readonly [object, unknown, unknown]>
> = {
  $dynamicRef: [
    { $dynamicRef: "#a", $defs: { a: { $dynamicAnchor: "a", type: "null" } } },
    null,
    1,
  ],
  $ref: [{ $ref: "#/$defs/a", $defs: { a: { type: "null" } } }, null, 1],
  additionalProperties: [{ additionalProperties: { type: "null" } }, { a: null }, { a: 1 }],
  allOf: [{ allOf: [{ type: "null" }] }, null, 1],
  anyOf: [{ anyOf: [{ type: "null" }, { type: "string" }] }, null, 1],
  const: [{ const: "a" }, "a", 1],
  contains: [{ contains: { type: "null" } }, [null], [1]],
  dependentRequired: [{ dependentRequired: { a: ["b"] } }, { a: 1, b: 1 }, { a: 1 }],
  dependentSchemas: [{ dependentSchemas: { a: { required: ["b"] } } }, { a: 1, b: 1 }, { a: 1 }],
  else: [{ if: { type: "string" }, else: { type: "null" } }, null, 1],
  enum: [{ enum: ["a", 2] }, 2, 1],
  exclusiveMaximum: [{ exclusiveMaximum: 1 }, 0, 1],
  exclusiveMinimum: [{ exclusiveMinimum: 1 }, 2, 1],
  format: [{ format: "date" }, "2020-02-02", "1"],
  hosts: [{ hosts: ["a.example"] }, "http://a.example", "http://b.example"],
  if: [{ if: { type: "string" }, then: { maxLength: 1 } }, "a", "ab"],
  items: [{ items: { type: "null" } }, [null], [1]],
  maxContains: [{ contains: { type: "null" }, maxContains: 1 }, [null], [null, null]],
  maxItems: [{ maxItems: 1 }, [1], [1, 2]],
  maxLength: [{ maxLength: 1 }, "a", "ab"],
  maxProperties: [{ maxProperties: 1 }, { a: 1 }, { a: 1, b: 1 }],
  maximum: [{ maximum: 1 }, 1, 2],
  minContains: [{ contains: { type: "null" }, minContains: 2 }, [null, null], [null]],
  minItems: [{ minItems: 1 }, [1], []],
  minLength: [{ minLength: 1 }, "a", ""],
  minProperties: [{ minProperties: 1 }, { a: 1 }, {}],
  minimum: [{ minimum: 1 }, 1, 0],
  multipleOf: [{ multipleOf: 2 }, 2, 1],
  not: [{ not: { type: "null" } }, 1, null],
  oneOf: [{ oneOf: [{ type: "null" }, { type: "string" }] }, null, 1],
  pattern: [{ pattern: "^a$" }, "a", "b"],
  patternProperties: [{ patternProperties: { a: { type: "null" } } }, { a: null }, { a: 1 }],
  prefixItems: [{ prefixItems: [{ type: "null" }] }, [null], [1]],
  properties: [{ properties: { a: { type: "null" } } }, { a: null }, { a: 1 }],
  propertyNames: [{ propertyNames: { maxLength: 1 } }, { a: 1 }, { ab: 1 }],
  required: [{ required: ["a"] }, { a: 1 }, {}],
  then: [{ if: { type: "number" }, then: { type: "integer" } }, 1, 1.5],
  type: [{ type: "null" }, null, 1],
  unevaluatedItems: [{ unevaluatedItems: { type: "null" } }, [null], [1]],
  unevaluatedProperties: [{ unevaluatedProperties: { type: "null" } }, { a: null }, { a: 1 }],
  uniqueItems: [{ uniqueItems: true }, [1, 2], [1, 1]],
  within: [{ within: ["/a"] }, "/a/b", "/b"],
};
// biome-ignore-end lint/suspicious/noThenProperty: see above

describe("what the acceptor can judge", () => {
  it("is recorded for every keyword", () => {
    const names = new Set(REGISTRY.map(({ name }) => name));
    expect(Object.keys(ACCEPTOR_SUPPORT).sort()).toEqual([...names].sort());
  });

  it.each(Object.entries(SAMPLES))(
    "is recorded correctly for %s",
    (name, [schema, valid, invalid]) => {
      const isKnown = ACCEPTOR_SUPPORT[name as KeywordName] !== "unknown";
      expect(accepts(schema, valid)).toBe(isKnown);
      expect(accepts(schema, invalid)).toBe(false);
    },
  );
});
