import { describe, expect, it } from "vitest";
import { D4, D7, D2019, D2020, faultOf, graph, property } from "./testing/graph.ts";

describe("buildGraph: references", () => {
  it("finds a given document by its key and by its own $id", () => {
    const documents = {
      "http://x/a.json": { $id: "http://y/b.json", type: "null", $defs: { c: { type: "array" } } },
    };
    for (const uri of ["http://x/a.json", "http://y/b.json"]) {
      const { root } = graph({ $ref: `${uri}#/$defs/c` }, documents);
      expect(root.$ref).toMatchObject({
        type: ["array"],
        origin: `${uri === "http://y/b.json" ? "http://x/a.json" : uri}#/$defs/c`,
      });
    }
  });

  it("include the official metaschemas", () => {
    for (const uri of [D4, D7, D2019, D2020, D2020.replace("https", "http")]) {
      expect(graph({ $ref: uri }).root.$ref?.origin).toContain("json-schema.org/draft");
    }
  });

  it("resolves dynamic references per scope", () => {
    const { root } = graph({
      $ref: "strings",
      $defs: {
        list: {
          $id: "list",
          items: { $dynamicRef: "#item" },
          $defs: { any: { $dynamicAnchor: "item" } },
        },
        strings: {
          $id: "strings",
          $ref: "list",
          $defs: { item: { $dynamicAnchor: "item", type: "string" } },
        },
      },
    });
    expect(root.$ref?.$ref?.items?.$dynamicRef).toMatchObject({ type: ["string"] });
  });

  it("keeps the outermost of two anchors, and the ones an inner resource adds", () => {
    const inner = {
      $id: "inner",
      prefixItems: [{ $dynamicRef: "#both" }, { $dynamicRef: "#own" }],
      $defs: {
        both: { $dynamicAnchor: "both", type: "null" },
        own: { $dynamicAnchor: "own", type: "array" },
      },
    };
    const both = { $dynamicAnchor: "both", type: "string" };
    const { root } = graph({ $ref: "inner", $defs: { both, inner } });
    const items = root.$ref?.prefixItems?.map(({ $dynamicRef }) => $dynamicRef?.type);
    expect(items).toEqual([["string"], ["array"]]);
  });

  it("limits the number of anchors in all dynamic scopes", () => {
    const chain = (length: number): unknown => {
      const resource = (i: number) => ({
        $id: `r${i}`,
        $dynamicAnchor: `a${i}`,
        $ref: `r${i + 1}`,
      });
      const $defs = Array.from({ length }, (_, i) => [`r${i}`, resource(i)]);
      return { $ref: "r0", $defs: { ...Object.fromEntries($defs), end: { $id: `r${length}` } } };
    };
    // The limit is 16 anchors for each of 20,000 subschemas. The first scope has one anchor, and the last one has all
    // of them.
    expect(graph(chain(799)).nodes).toHaveLength(801);
    expect(faultOf(() => graph(chain(800)))).toMatchObject({ code: "too_many_subschemas" });
  });

  it.each<[string, unknown, string]>([
    ["a pointer to nothing", { items: { $ref: "#/$defs/a" } }, "/items/$ref"],
    ["an inherited member", { $ref: "#/constructor" }, "/$ref"],
    ["the length of an array", { allOf: [true], $ref: "#/allOf/length" }, "/$ref"],
    ["another document", { $ref: "http://x/y.json" }, "/$ref"],
    ["a file", { $ref: "file:///etc/passwd" }, "/$ref"],
    ["an anchor that nobody has", { $dynamicRef: "#a" }, "/$dynamicRef"],
    ["something that is not a schema", { $ref: "#/x", x: 5 }, "/$ref"],
    ["malformed percent-encoding", { $ref: "#%zz" }, "/$ref"],
    [
      "two schemas of one name",
      { $ref: "a", $defs: { x: { $id: "a", type: "null" }, y: { $id: "a", type: "array" } } },
      "/$ref",
    ],
  ])("refuses %s", (_name, schema, path) => {
    expect(faultOf(() => graph(schema))).toMatchObject({ code: "unresolved_reference", path });
  });

  it("treats two equal schemas with the same name as one", () => {
    const twin = { $id: "a", type: "null" };
    const { root } = graph({ $ref: "a", $defs: { x: twin, y: { ...twin } } });
    expect(root.$ref).toMatchObject({ type: ["null"] });
  });

  it("ignores references in unused parts", () => {
    expect(graph({ $defs: { x: { $ref: "#/nowhere" } } }).nodes).toHaveLength(1);
  });

  it("refuses a broken schema referenced inside an unknown keyword", () => {
    const schema = { $ref: "#/x-y", "x-y": { properties: { a: { minimum: "1" } } } };
    expect(faultOf(() => graph(schema))).toMatchObject({
      code: "metaschema",
      path: "/x-y/properties/a/minimum",
    });
  });

  it("names the document of a fault", () => {
    const broken = { "http://x/a": { $ref: "#/b" }, "http://x/c": { type: "nothing" } };
    expect(faultOf(() => graph({ $ref: "http://x/a" }, broken))).toMatchObject({
      code: "unresolved_reference",
      path: "",
      message: expect.stringContaining("/$ref of the document http://x/a"),
    });
    expect(faultOf(() => graph({ $ref: "http://x/c" }, broken))).toMatchObject({
      code: "metaschema",
      message: expect.stringContaining('in the document "http://x/c" at /type'),
    });
  });
});

describe("buildGraph: dialects", () => {
  const metaschema = (vocabulary: object) => ({
    "http://x/meta": { $schema: D2020, $id: "http://x/meta", $vocabulary: vocabulary },
  });
  const vocab = (name: string) => `https://json-schema.org/draft/2020-12/vocab/${name}`;

  it("respects $vocabulary", () => {
    const documents = metaschema({ [vocab("core")]: true, [vocab("applicator")]: true });
    const { root } = graph(
      { $schema: "http://x/meta", minimum: 5, items: { type: "null" } },
      documents,
    );
    expect(root.minimum).toBeUndefined();
    expect(root.items).toBeDefined();
    expect(root.items?.type).toBeUndefined();
  });

  it("refuses a dialect with an unknown required vocabulary, and an unknown dialect", () => {
    const documents = metaschema({ "http://x/vocab": true });
    for (const uri of ["http://x/meta", "http://x/other"]) {
      const fault = faultOf(() => graph({ $schema: uri }, documents));
      expect(fault).toMatchObject({ code: "unknown_dialect", path: "/$schema" });
    }
    const optional = metaschema({ [vocab("core")]: true, "http://x/vocab": false });
    expect(graph({ $schema: "http://x/meta" }, optional).root).toBeDefined();
  });

  it("reads an embedded resource in its own dialect", () => {
    const { root } = graph({
      $schema: D2020,
      properties: {
        a: { $id: "a", $schema: D7, items: [{ type: "null" }], additionalItems: false },
      },
    });
    expect(property(root, "a")).toMatchObject({ items: { always: false } });
    const broken = { $defs: { a: { $id: "a", $schema: D7, prefixItems: 5, items: 5 } } };
    expect(faultOf(() => graph(broken))).toMatchObject({
      code: "metaschema",
      path: "/$defs/a/items",
    });
  });
});

describe("buildGraph: limits", () => {
  it("follows a chain of references of any length", () => {
    const $defs: Record<string, object> = { d5000: { type: "null" } };
    for (let i = 0; i < 5000; i++) $defs[`d${i}`] = { $ref: `#/$defs/d${i + 1}` };
    expect(graph({ $ref: "#/$defs/d0", $defs }).nodes).toHaveLength(5002);
  });

  it("limits the combinations of dynamic scopes", () => {
    // Each step enters one of two resources, and each path through them is another scope.
    const $defs: Record<string, object> = {};
    for (let i = 0; i < 40; i++) {
      const next = i === 39 ? {} : { anyOf: [{ $ref: `s${i + 1}a` }, { $ref: `s${i + 1}b` }] };
      for (const side of ["a", "b"]) {
        $defs[`${i}${side}`] = { $id: `s${i}${side}`, $dynamicAnchor: `n${i}`, ...next };
      }
    }
    expect(faultOf(() => graph({ $ref: "s0a", $defs }))).toMatchObject({
      code: "too_many_subschemas",
    });
  });
});

it("finds the schema for a name shared by many equal ones, any number of times", () => {
  const equal = Object.fromEntries(
    Array.from({ length: 3_000 }, (_, i) => [`e${i}`, { $anchor: "a", type: "string" }]),
  );
  const allOf = Array.from({ length: 3_000 }, () => ({ $ref: "#a" }));
  expect(graph({ $defs: equal, allOf }).root.allOf).toHaveLength(3_000);
  const other = { ...equal, x: { $anchor: "a", type: "number" } };
  expect(faultOf(() => graph({ $defs: other, allOf }))?.code).toBe("unresolved_reference");
});

describe("a $id that is not the key of a document", () => {
  const NAMED = { $id: "http://x/named.json", type: "string" };
  const large = { $id: "http://x/large", allOf: Array.from({ length: 25_000 }, () => ({})) };

  it.each<[string, unknown]>([
    ["in a value", NAMED],
    ["in text", JSON.stringify(NAMED)],
    ["in bytes", new TextEncoder().encode(JSON.stringify(NAMED))],
    ["escaped in JSON", '{"$id":"http://x/\\u006eamed.json","type":"string"}'],
    ["escaped in the URI", { $id: "http://x/%6Eamed.json", type: "string" }],
    ["relative to where it is kept", { $id: "../named.json", type: "string" }],
    ["of a part", { $id: "http://x/", not: { $id: "named.json", type: "string" } }],
  ])("is found in its document, %s, without reading others", (_where, document) => {
    const documents = { "http://x/large": large, "http://x/a/b": document };
    const { root } = graph({ $ref: "http://x/named.json" }, documents);
    expect(root.$ref?.type).toEqual(["string"]);
  });

  it("is found despite invalid documents, which are reported otherwise", () => {
    const broken = { $schema: "http://x/named.json#" };
    const documents = { "http://x/broken": broken, "http://x/a": NAMED };
    expect(graph({ $ref: "http://x/named.json" }, documents).root.$ref?.type).toEqual(["string"]);
    const fault = faultOf(() => graph({ $ref: "http://x/named.json" }, { b: broken }));
    expect(fault?.message).toContain('in the document "schema://document/b"');
  });

  it("can be spelled in several ways if it ends with a slash", () => {
    const documents = { "http://x/a": { $id: "http://x/b/c/..", type: "string" } };
    expect(graph({ $ref: "http://x/b/" }, documents).root.$ref?.type).toEqual(["string"]);
  });
});
