import { describe, expect, it } from "vitest";
import type { SchemaNode } from "../keywords/node.ts";
import { D4, D7, D2019, D2020, graph, property } from "./testing/graph.ts";

describe("buildGraph: places", () => {
  it("names a schema by its place in the author's document", () => {
    const { root } = graph({
      properties: { "a/b~ %é": { items: { type: "null" } } },
      allOf: [true, { $ref: "#/$defs/x" }],
      $defs: { x: { minimum: 1 } },
    });
    const odd = property(root, "a/b~ %é");
    expect(odd?.origin).toBe("#/properties/a~1b~0%20%25%C3%A9");
    expect(odd?.items?.origin).toBe(`${odd?.origin}/items`);
    expect(root.allOf?.[0]).toMatchObject({ always: true, origin: "#/allOf/0" });
    expect(root.allOf?.[1]?.$ref?.origin).toBe("#/$defs/x");
  });

  it("handles names without percent-encoding, and names of prototypes", () => {
    const { root } = graph(
      '{"properties":{"\\ud800":{},"__proto__":{"type":"null"},"constructor":{"$ref":"#/properties/__proto__"}}}',
    );
    expect([...(root.properties?.keys() ?? [])]).toEqual(["\ud800", "__proto__", "constructor"]);
    expect(property(root, "constructor")?.$ref).toBe(property(root, "__proto__"));
    expect(property(root, "__proto__")?.type).toEqual(["null"]);
  });

  it("numbers its nodes in order of discovery", () => {
    const { nodes, root } = graph({ properties: { a: {}, b: { $ref: "#" } } });
    expect(nodes.map(({ id }) => id)).toEqual([0, 1, 2]);
    expect(nodes[0]).toBe(root);
    expect(property(root, "b")?.$ref).toBe(root);
  });

  it("keeps numbers that no double can hold", () => {
    const { root, lossy } = graph(
      '{"maximum":9007199254740993,"properties":{"a":{"enum":[1,{"x":[9007199254740993]}]},"b":{"const":1e400}}}',
    );
    expect(lossy).toBe(true);
    expect(root.maximum?.exact).toEqual({ sign: 1, digits: "9007199254740993", exponent: 0 });
    const [plain, exact] = property(root, "a")?.enum ?? [];
    expect(plain?.decimals).toBeUndefined();
    expect([...(exact?.decimals?.keys() ?? [])]).toEqual(["/x/0"]);
    expect([...(property(root, "b")?.const?.decimals?.keys() ?? [])]).toEqual([""]);
    expect(graph('{"maximum":1.5}').lossy).toBe(false);
  });
});

describe("buildGraph: older forms", () => {
  it("keeps the author's spelling of a keyword", () => {
    const bounds = graph({ $schema: D4, maximum: 5, exclusiveMaximum: true, minimum: 1 }).root;
    expect(bounds).toMatchObject({ exclusiveMaximum: { value: 5 }, minimum: { value: 1 } });
    expect(bounds.maximum).toBeUndefined();
    expect(bounds.written?.get("exclusiveMaximum")).toEqual({
      keyword: "maximum",
      schemaPath: "#/maximum",
    });
    expect(bounds.written?.has("minimum")).toBe(false);

    const tuple = graph({ $schema: D2019, items: [{ type: "null" }], additionalItems: false }).root;
    expect(tuple.prefixItems?.[0]?.origin).toBe("#/items/0");
    expect(tuple.items).toMatchObject({ always: false, origin: "#/additionalItems" });
    expect(tuple.written?.get("items")?.keyword).toBe("additionalItems");

    const needs = graph({ $schema: D7, dependencies: { a: ["b"], c: { minProperties: 2 } } }).root;
    expect(needs.dependentRequired).toEqual(new Map([["a", ["b"]]]));
    expect(needs.dependentSchemas?.get("c")?.origin).toBe("#/dependencies/c");
    expect(needs.written?.get("dependentSchemas")?.schemaPath).toBe("#/dependencies");
  });

  it("keeps dependencies along with the keywords that replaced them", () => {
    const { root } = graph({ dependencies: { a: ["b"] }, dependentRequired: { a: ["c"] } });
    expect(root.dependentRequired).toEqual(new Map([["a", ["c"]]]));
    expect(root.allOf?.[0]).toMatchObject({
      origin: "#",
      dependentRequired: new Map([["a", ["b"]]]),
    });
  });

  it.each<[string, object, keyof SchemaNode]>([
    ["draft-04 const", { $schema: D4, const: 1 }, "const"],
    [
      "draft-07 unevaluatedProperties",
      { $schema: D7, unevaluatedProperties: false },
      "unevaluatedProperties",
    ],
    ["2020-12 additionalItems", { $schema: D2020, additionalItems: false }, "items"],
    ["2020-12 $recursiveRef", { $schema: D2020, $recursiveRef: "#" }, "$dynamicRef"],
    ["2019-09 $dynamicRef", { $schema: D2019, $dynamicRef: "elsewhere" }, "$dynamicRef"],
    ["then without if", JSON.parse('{"then":false}'), "then"],
    ["keywords beside an old $ref", { $schema: D7, $ref: D7, type: "null" }, "type"],
    ["vendor keywords", { $async: true, nullable: true, $data: 1, type: "null" }, "format"],
  ])("ignores %s", (_name, schema, keyword) => {
    expect(graph(schema).root[keyword]).toBeUndefined();
  });

  it("asserts known formats, and lists the unknown ones", () => {
    const { root, unknownFormats } = graph({ format: "date", items: { format: "x-y" } });
    expect(root.format).toBe("date");
    expect(root.items?.format).toBeUndefined();
    expect(unknownFormats).toEqual(new Map([["x-y", "/items/format"]]));
  });
});
