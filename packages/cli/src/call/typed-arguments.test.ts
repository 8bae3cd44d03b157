import { expect, it } from "vitest";
import { CliExit } from "../io/exit.ts";
import { typedArguments } from "./typed-arguments.ts";

const SCHEMA = {
  type: "object",
  $defs: {
    id: { type: "integer" },
    mixed: { enum: [2, "2"] },
    node: { properties: { next: { $ref: "#/$defs/node" } } },
  },
  properties: {
    city: { type: "string" },
    count: { type: "integer" },
    ratio: { type: "number" },
    deep: { type: "boolean" },
    tags: { type: "array", items: { type: "string" } },
    ids: { type: "array", items: { $ref: "#/$defs/id" } },
    pair: { type: "array", prefixItems: [{ type: "string" }, { type: "integer" }] },
    id: { $ref: "#/$defs/id" },
    either: { type: ["string", "integer"] },
    nullable: { anyOf: [{ type: "string" }, { type: "null" }] },
    one: { allOf: [{ type: ["integer", "boolean"] }, { type: ["integer", "string"] }] },
    unit: { enum: ["celsius", 1] },
    level: { enum: [1, 5] },
    grade: { enum: ["1", "5"] },
    fixed: { const: "5" },
    fixedNumber: { const: 5 },
    mixed: { enum: [1, 2, "3"] },
    twice: { enum: [3, "3", true, "null"] },
    listed: { enum: [[1, 2], { a: 1 }, "[1]"] },
    objects: { anyOf: [{ const: { a: [1] } }, { type: "string" }] },
    levels: { type: "array", items: { enum: [1, "2"] } },
    branch: { anyOf: [{ enum: [1, 2] }, { enum: ["3"] }] },
    named: { anyOf: [{ enum: [0, 1, 5] }, { type: "string" }] },
    all: { oneOf: [{ const: "all" }, { type: "array", items: { type: "integer" } }] },
    both: { enum: [1, "2", 3], allOf: [{ enum: ["2", 3] }, { $ref: "#/$defs/mixed" }] },
    open: {},
    oneOrMany: { oneOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
    where: {
      type: "object",
      properties: { lat: { type: "number" }, name: { type: "string" }, "a.b": { type: "string" } },
    },
    chosen: { anyOf: [{ properties: { zip: { type: "string" } } }, { type: "null" }] },
    "dotted.name": { type: "string" },
    x: { type: "object", properties: { y: { type: "string" } } },
    "x.y": { type: "string" },
    node: { $ref: "#/$defs/node" },
    'say "it"': { type: "string" },
    never: false,
  },
};

const BIG = "12345678901234567890.123456789012345678901234567890";

it.each([
  [["city=Oslo"], '{"city":"Oslo"}'],
  [["city=5"], '{"city":"5"}'],
  [["city=true"], '{"city":"true"}'],
  [["city=a=b"], '{"city":"a=b"}'],
  [["city="], '{"city":""}'],
  [['city="quoted"'], '{"city":"\\"quoted\\""}'],
  [["city=@alice"], '{"city":"@alice"}'],
  [["count=5", "city=Oslo"], '{"count":5,"city":"Oslo"}'],
  [["count=9007199254740993"], '{"count":9007199254740993}'],
  [[`ratio=${BIG}`], `{"ratio":${BIG}}`],
  [["ratio=1e400"], '{"ratio":1e400}'],
  [["ratio=-0"], '{"ratio":-0}'],
  [["ratio= 1.50 "], '{"ratio":1.50}'],
  [["deep=false"], '{"deep":false}'],
  // A value that does not fit is sent as it was read, so that the check refuses it.
  [["count=5.5"], '{"count":5.5}'],
  [["count=five"], '{"count":"five"}'],
  [["count=05"], '{"count":"05"}'],
  [["deep=yes"], '{"deep":"yes"}'],
  [["tags=a"], '{"tags":["a"]}'],
  [["tags=a", "tags=5"], '{"tags":["a","5"]}'],
  [['tags=["a","b"]'], '{"tags":["a","b"]}'],
  [["ids=1", "ids=2"], '{"ids":[1,2]}'],
  [["ids=[1, 2.0]"], '{"ids":[1, 2.0]}'],
  [["pair=1", "pair=2"], '{"pair":["1",2]}'],
  [["id=7"], '{"id":7}'],
  [["either=7"], '{"either":7}'],
  [['either="7"'], '{"either":"7"}'],
  [["either=x"], '{"either":"x"}'],
  [["nullable=null"], '{"nullable":null}'],
  [["nullable=5"], '{"nullable":"5"}'],
  [["one=5"], '{"one":5}'],
  [["unit=1"], '{"unit":1}'],
  [["unit=celsius"], '{"unit":"celsius"}'],
  [["either=7.5"], '{"either":"7.5"}'],
  [["either=1e400"], '{"either":1e400}'],
  [["level=5"], '{"level":5}'],
  [["level=5.0"], '{"level":5.0}'],
  [["level=6"], '{"level":6}'],
  [["grade=5"], '{"grade":"5"}'],
  [["fixed=5"], '{"fixed":"5"}'],
  [["fixedNumber=5"], '{"fixedNumber":5}'],
  [["mixed=1"], '{"mixed":1}'],
  [["mixed=3"], '{"mixed":"3"}'],
  [['mixed="3"'], '{"mixed":"3"}'],
  [["mixed=4"], '{"mixed":4}'],
  // Both types are allowed, and JSON is preferred.
  [["twice=3"], '{"twice":3}'],
  [['twice="3"'], '{"twice":"3"}'],
  [["twice=true"], '{"twice":true}'],
  [["twice=null"], '{"twice":"null"}'],
  [["listed=[1, 2]"], '{"listed":[1, 2]}'],
  [['objects={"a":[1]}'], '{"objects":{"a":[1]}}'],
  [['objects={"a":2}'], '{"objects":"{\\"a\\":2}"}'],
  [["listed=[1]"], '{"listed":"[1]"}'],
  [["listed=[3]"], '{"listed":[3]}'],
  [['listed={"a":1}'], '{"listed":{"a":1}}'],
  [["levels=1", "levels=2"], '{"levels":[1,"2"]}'],
  [["branch=2"], '{"branch":2}'],
  [["branch=3"], '{"branch":"3"}'],
  [["named=5"], '{"named":5}'],
  [["named=-0"], '{"named":-0}'],
  [["named=7"], '{"named":"7"}'],
  [["all=all"], '{"all":"all"}'],
  [["all=7"], '{"all":[7]}'],
  [["both=2"], '{"both":"2"}'],
  [["open=5"], '{"open":5}'],
  [["open={"], '{"open":"{"}'],
  [["oneOrMany=a"], '{"oneOrMany":"a"}'],
  [["oneOrMany=a", "oneOrMany=b"], '{"oneOrMany":["a","b"]}'],
  [["where.lat=1", "where.name=2"], '{"where":{"lat":1,"name":"2"}}'],
  [["where.a.b=x"], '{"where":{"a.b":"x"}}'],
  [["where.other=1"], '{"where":{"other":1}}'],
  [['where={"lat":1}'], '{"where":{"lat":1}}'],
  [["chosen.zip=0150"], '{"chosen":{"zip":"0150"}}'],
  [["dotted.name=x"], '{"dotted.name":"x"}'],
  [["node.next.next=null"], '{"node":{"next":{"next":null}}}'],
  [['say "it"=x'], '{"say \\"it\\"":"x"}'],
  [["__proto__=1", "constructor=2"], '{"__proto__":1,"constructor":2}'],
  [["never=1"], '{"never":1}'],
  [[], "{}"],
])("turns %j into %s", (words, text) => {
  expect(typedArguments(words, SCHEMA)).toBe(text);
  expect(() => JSON.parse(text)).not.toThrow();
});

it.each([
  [["city"], "-a city: write it as key=value"],
  [["=x"], "-a =x: write it as key=value"],
  [["city=a", "city=b"], "-a city is given 2 times, and takes one value: string"],
  [["unit=a", "unit=b"], '-a unit is given 2 times, and takes one value: "celsius" | 1'],
  [["x.y=1"], '-a x.y means "x.y" or "x" > "y": pass all arguments as JSON'],
  [["city.name=1"], '-a city.name: "city" is not an object with such a member.'],
  [
    ["citty.name=1"],
    '-a citty.name: the tool declares neither "citty.name" nor "citty" — did you mean "city"? If',
  ],
  [["where.lat=1", "where={}"], "-a where: its object is given both whole and by its members"],
  [["where={}", "where.lat=1"], "-a where.lat: its object is given both whole and by its members"],
  [["\u001b[2J"], "-a \\u{1b}[2J: write it as key=value"],
])("refuses %j", (words, message) => {
  const refused = (): string => typedArguments(words, SCHEMA);
  expect(refused).toThrow(CliExit);
  expect(refused).toThrow(message);
});

const loop: Record<string, unknown> = { type: "object" };
loop["allOf"] = [loop, { $ref: "#" }];
loop["properties"] = { a: loop };
const wide = { anyOf: Array.from({ length: 50 }, () => ({ $ref: "#" })) };

it.each([
  ["no schema", undefined],
  ["null", null],
  ["a list", []],
  ["false", false],
  [
    "keywords of other types",
    { properties: 5, required: "x", type: 7, anyOf: {}, allOf: "x", items: 3 },
  ],
  ["a schema that leads to itself", loop],
  ["branches that lead to themselves", wide],
  ["a reference to nowhere", { $ref: "#/%zz", properties: { a: { $ref: "#/none" } } }],
])("reads a=1 whatever the schema is: %s", (_, schema) => {
  expect(typedArguments(["a=1"], schema)).toBe('{"a":1}');
});
