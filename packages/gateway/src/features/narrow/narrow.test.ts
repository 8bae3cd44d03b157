import { runSteps } from "@touchstone/core/advanced";
import { describe, expect, it } from "vitest";
import { compileNarrow, type Narrowing, narrowIssues } from "./narrow.ts";
import { similarArgumentSteps } from "./near-arguments.ts";

const LIMITS = { maxBytes: 5_242_880, maxDepth: 64 };
const schema = { properties: { a: { items: { pattern: "^(a|aa)+$" } } } };
const NARROW: Narrowing = {
  ...{ mode: "strict", tool: "t", secrets: [], advertise: false, schema },
  compiled: compileNarrow({ schema }),
};
const argumentsText = (a: readonly string[]): Buffer => Buffer.from(JSON.stringify({ a }));

describe("arguments that policy forbids", () => {
  it.each([
    [["aa"], []],
    [["b"], [{ path: "/a/0", rule: "policy", keyword: "narrow" }]],
  ])("%j", (a, issues) => {
    expect(narrowIssues(NARROW, argumentsText(a), LIMITS)).toMatchObject(issues);
  });
});

describe("a name that resembles one in the policy", () => {
  const allowed = (schema: object, value: object): readonly unknown[] =>
    narrowIssues(
      { ...NARROW, schema: schema as never, compiled: compileNarrow({ schema: schema as never }) },
      Buffer.from(JSON.stringify(value)),
      LIMITS,
    ).map(({ path, keyword }) => [path, keyword]);
  const PATH = { properties: { path: { within: ["/n"] } } };
  const near = (path: string) => [[path, "narrow"]];

  it.each<[string, object, object, readonly unknown[]]>([
    ["at the root", PATH, { Path: "/etc" }, near("/Path")],
    ["inside", { properties: { o: PATH } }, { o: { PATH: 1 } }, near("/o/PATH")],
    [
      "in an item",
      { properties: { l: { items: PATH } } },
      { l: [{}, { paTh: 1 }] },
      near("/l/1/paTh"),
    ],
    [
      "in a first item",
      { properties: { l: { prefixItems: [PATH] } } },
      { l: [{ Path: 1 }] },
      near("/l/0/Path"),
    ],
    ["in any member", { additionalProperties: PATH }, { x: { Path: 1 } }, near("/x/Path")],
    ["in a part", { allOf: [PATH] }, { Path: "/etc" }, near("/Path")],
    ["that is forbidden", { not: { required: ["force"] } }, { Force: true }, near("/Force")],
    ["by a reference", { $ref: "#/$defs/a", $defs: { a: PATH } }, { Path: 1 }, near("/Path")],
    [
      "by an anchor",
      { properties: { o: { $ref: "#p" } }, $defs: { p: { $anchor: "p", ...PATH } } },
      { o: { Path: 1 } },
      near("/o/Path"),
    ],
    [
      "by an anchor of a part that the policy names otherwise",
      { properties: { o: { $ref: "#p" }, path: {} }, $defs: { p: { $anchor: "p" } } },
      { o: { Path: 1 } },
      [],
    ],
    [
      "by the identifier of a part",
      { properties: { o: { $ref: "p.json" } }, $defs: { p: { $id: "p.json", ...PATH } } },
      { o: { Path: 1 } },
      near("/o/Path"),
    ],
    [
      "by a dynamic reference",
      { $dynamicAnchor: "p", properties: { ...PATH.properties, o: { $dynamicRef: "#p" } } },
      { o: { o: { Path: 1 } } },
      near("/o/o/Path"),
    ],
    [
      "by a reference to itself",
      { ...PATH, anyOf: [true, { $ref: "#" }] },
      { Path: 1 },
      near("/Path"),
    ],
    [
      "that the policy has as well",
      { properties: { ...PATH.properties, Path: true } },
      { Path: 1 },
      [],
    ],
    ["at another place", PATH, { env: { PATH: "/bin" }, path: "/n/a" }, []],
    ["behind white space", PATH, { " ": 1, Path: 1 }, near("/Path")],
    ["that is another one", PATH, { paths: 1, way: 2 }, []],
    [
      "with an underscore",
      { properties: { filePath: { within: ["/n"] } } },
      { file_path: "/" },
      near("/file_path"),
    ],
    ["in a policy without names", { maxProperties: 2 }, { Path: 1 }, []],
  ])("%s", (_, schema, value, expected) => {
    expect(allowed(schema, value)).toEqual(expected);
  });

  it("is not searched for in invalid JSON, but found despite white space", () => {
    expect(narrowIssues(NARROW, Buffer.from('{"a'), LIMITS)).toMatchObject([{ rule: "policy" }]);
    expect(narrowIssues(NARROW, Buffer.from('{ "A" : [ ] } \n'), LIMITS)).toMatchObject([
      { path: "/A", keyword: "narrow" },
    ]);
  });

  it("is found in bounded time, even in large arguments", () => {
    const near = (schema: object, value: unknown): unknown =>
      runSteps(similarArgumentSteps(schema, Buffer.from(JSON.stringify(value))));
    const recursive = { properties: { path: { $ref: "#" } } };
    const deep = `${'{"path":'.repeat(20_000)}{}${"}".repeat(20_000)}`;
    expect(runSteps(similarArgumentSteps(recursive, Buffer.from(deep)))).toMatchObject({
      rule: "policy",
    });
    const many = Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`a${i}`, 1]));
    expect(near(PATH, many)).toMatchObject({ path: "", rule: "policy" });
    const list = { properties: { l: { items: PATH } } };
    const items = Array.from({ length: 5_000 }, () => ({ path: "/n", size: 1 }));
    expect(near(list, { l: items })).toBeUndefined();
    expect(near(list, { l: [...items, 5, { PATH: 1 }] })).toMatchObject({
      path: "/l/5001/PATH",
    });
    expect(near(list, { l: [...items, ...items] })).toMatchObject({ rule: "policy" });
  });
});
