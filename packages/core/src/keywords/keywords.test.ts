import { describe, expect, it } from "vitest";
import { type Case, tellErrors } from "../engine/testing/cases.ts";
import { testContext } from "../engine/testing/context.ts";
import { explain } from "../engine/testing/interpret.ts";
import { plainGraph } from "../engine/testing/plain-graph.ts";

const VALUES: readonly Case[] = [
  ["true", "1"],
  ["false", "1", " #/false schema boolean schema is false"],
  ['{"type":"integer"}', "1.0"],
  ['{"type":"integer"}', "1.5", " #/type must be integer"],
  ['{"type":["string","null"]}', "1", " #/type must be string,null"],
  ['{"type":"object"}', "[]", " #/type must be object"],
  ['{"type":"array"}', "{}", " #/type must be array"],
  ['{"type":"number"}', '"1"', " #/type must be number"],
  ['{"type":"boolean"}', "0", " #/type must be boolean"],
  ['{"const":{"a":1,"b":[0]}}', '{"b":[-0],"a":1.0}'],
  ['{"const":{"a":1}}', '{"a":1,"b":1}', " #/const must be equal to constant"],
  ['{"const":0}', "-0"],
  ['{"const":false}', "0", " #/const must be equal to constant"],
  ['{"const":{"toString":1}}', "{}", " #/const must be equal to constant"],
  ['{"enum":[1,"a",null,[{}]]}', "[{}]"],
  ['{"enum":[1,"1"]}', "true", " #/enum must be equal to one of the allowed values"],
  ['{"enum":[]}', "1", " #/enum must be equal to one of the allowed values"],
  ['{"enum":[{"__proto__":1}]}', '{"__proto__":1}'],
  ['{"enum":[{"__proto__":1}]}', "{}", " #/enum must be equal to one of the allowed values"],
  ['{"multipleOf":0.01}', "19.99"],
  ['{"multipleOf":0.01}', "19.999", " #/multipleOf must be multiple of 0.01"],
  ['{"maximum":1,"exclusiveMaximum":1}', "1", " #/exclusiveMaximum must be < 1"],
  [
    '{"minimum":2,"exclusiveMinimum":1}',
    "1",
    " #/minimum must be >= 2",
    " #/exclusiveMinimum must be > 1",
  ],
  ['{"minimum":2}', '"1"'],
  ['{"maxLength":1}', '"😀"'],
  ['{"maxLength":1}', '"😀a"', " #/maxLength must NOT have more than 1 characters"],
  ['{"minLength":2}', '"😀"', " #/minLength must NOT have fewer than 2 characters"],
  ['{"minLength":2}', '"\\ud83d\\ud83d"'],
  ['{"pattern":"^a"}', '"ba"', ' #/pattern must match pattern "^a"'],
  ['{"format":"date"}', '"2020-02-30"', ' #/format must match format "date"'],
  ['{"format":"never-heard-of"}', '"x"'],
  ['{"format":"int32"}', "2147483648", ' #/format must match format "int32"'],
  ['{"format":"int32"}', '"x"'],
  ['{"format":"date"}', "1"],
];

const ARRAYS: readonly Case[] = [
  ['{"maxItems":1}', "[1,2]", " #/maxItems must NOT have more than 1 items"],
  ['{"minItems":1}', "[]", " #/minItems must NOT have fewer than 1 items"],
  ['{"items":false}', "[1]", "/0 #/items/false schema boolean schema is false"],
  ['{"prefixItems":[true],"items":false}', "[1,2]", " #/items must NOT have more than 1 items"],
  ['{"prefixItems":[{"type":"string"},false]}', "[1]", "/0 #/prefixItems/0/type must be string"],
  ['{"contains":{"const":1}}', "[]", " #/contains must contain at least 1 valid item(s)"],
  ['{"contains":{"const":1},"minContains":0}', "[2]"],
  [
    '{"contains":{"const":1},"maxContains":1}',
    "[2,1,1,3]",
    "/0 #/contains/const must be equal to constant",
    " #/contains must contain at least 1 and no more than 1 valid item(s)",
  ],
  ['{"contains":{"const":1},"maxContains":1}', "[2,1,3]"],
  ['{"contains":{"const":1},"minContains":0,"maxContains":0}', "[2]"],
  [
    '{"contains":{"const":1},"minContains":0,"maxContains":1}',
    "[1,1]",
    " #/contains must contain at least 0 and no more than 1 valid item(s)",
  ],
  ['{"contains":{"const":1},"minContains":2}', "[1,2,1]"],
  [
    '{"contains":{"const":1},"minContains":2}',
    "[1,2]",
    "/1 #/contains/const must be equal to constant",
    " #/contains must contain at least 2 valid item(s)",
  ],
  [
    '{"contains":true,"minContains":2,"maxContains":1}',
    "[1]",
    " #/contains must contain at least 2 and no more than 1 valid item(s)",
  ],
  ['{"uniqueItems":true}', '[1,true,"1",{"a":1},[1],null,{"b":1},0,false,"__proto__"]'],
  ['{"uniqueItems":false}', "[1,1]"],
  [
    '{"uniqueItems":true}',
    "[0,-0]",
    " #/uniqueItems must NOT have duplicate items (items ## 0 and 1 are identical)",
  ],
  [
    '{"uniqueItems":true}',
    '[{"a":1,"b":2},3,{"b":2,"a":1.0},3]',
    " #/uniqueItems must NOT have duplicate items (items ## 1 and 3 are identical)",
  ],
];

const OBJECTS: readonly Case[] = [
  [
    '{"maxProperties":0}',
    '{"__proto__":1}',
    " #/maxProperties must NOT have more than 0 properties",
  ],
  ['{"minProperties":1}', "{}", " #/minProperties must NOT have fewer than 1 properties"],
  [
    '{"required":["constructor","__proto__"]}',
    "{}",
    " #/required must have required property 'constructor'",
    " #/required must have required property '__proto__'",
  ],
  ['{"required":["__proto__"]}', '{"__proto__":1}'],
  ['{"properties":{"__proto__":false}}', "{}"],
  [
    '{"properties":{"__proto__":{"type":"string"},"a/b":false}}',
    '{"a/b":1,"__proto__":1}',
    "/__proto__ #/properties/__proto__/type must be string",
    "/a~1b #/properties/a~1b/false schema boolean schema is false",
  ],
  [
    '{"properties":{"a":{}},"patternProperties":{"^b":{"type":"null"}},"additionalProperties":false}',
    '{"a":1,"b":1,"toString":1}',
    " #/additionalProperties must NOT have additional properties",
    "/b #/patternProperties/%5Eb/type must be null",
  ],
  [
    '{"additionalProperties":{"type":"null"}}',
    '{"a":1}',
    "/a #/additionalProperties/type must be null",
  ],
  [
    '{"propertyNames":{"maxLength":1}}',
    '{"ab":1}',
    " #/propertyNames/maxLength must NOT have more than 1 characters",
    " #/propertyNames property name must be valid",
  ],
  [
    '{"dependentRequired":{"a":["b","c"],"d":["e"]}}',
    '{"a":1}',
    " #/dependentRequired must have properties b, c when property a is present",
    " #/dependentRequired must have properties b, c when property a is present",
  ],
  [
    '{"dependentSchemas":{"a":{"required":["b"]}}}',
    '{"a":1}',
    " #/dependentSchemas/a/required must have required property 'b'",
  ],
  ['{"dependentSchemas":{"toString":false}}', "{}"],
];

const COMPOSITES: readonly Case[] = [
  [
    '{"allOf":[{"type":"null"},{"maximum":0}]}',
    "1",
    " #/allOf/0/type must be null",
    " #/allOf/1/maximum must be <= 0",
  ],
  [
    '{"anyOf":[{"type":"null"},{"maximum":0}]}',
    "1",
    " #/anyOf/0/type must be null",
    " #/anyOf/1/maximum must be <= 0",
    " #/anyOf must match a schema in anyOf",
  ],
  ['{"anyOf":[{"type":"null"},{}]}', "1"],
  [
    '{"oneOf":[{"maximum":0},{},{"type":"number"},{"type":"null"}]}',
    "1",
    " #/oneOf/0/maximum must be <= 0",
    " #/oneOf must match exactly one schema in oneOf",
  ],
  ['{"oneOf":[{"maximum":0},{}]}', "1"],
  ['{"not":{"type":"number"}}', "1", " #/not must NOT be valid"],
  [
    '{"if":{"minimum":0},"then":{"maximum":5},"else":{"type":"null"}}',
    "6",
    " #/then/maximum must be <= 5",
    ' #/if must match "then" schema',
  ],
  [
    '{"if":{"minimum":0},"else":{"const":-1}}',
    "-2",
    " #/else/const must be equal to constant",
    ' #/if must match "else" schema',
  ],
  ['{"if":false}', "1"],
  [
    '{"$ref":"#/$defs/a","type":"integer","$defs":{"a":{"minimum":3}}}',
    "1.5",
    " #/type must be integer",
    " #/$defs/a/minimum must be >= 3",
  ],
  // If the type has keywords of its own, here `required`, its error comes where their errors would come.
  [
    '{"type":"object","required":["a"],"const":1,"minLength":2}',
    '"a"',
    " #/const must be equal to constant",
    " #/minLength must NOT have fewer than 2 characters",
    " #/type must be object",
  ],
];

describe.each([
  ["values", VALUES],
  ["arrays", ARRAYS],
  ["objects", OBJECTS],
  ["composites", COMPOSITES],
])("keywords on %s", (_name, cases) => {
  it.each(cases)("%s on %s", (schema, value, ...expected) => {
    expect(tellErrors(schema, value)).toEqual(expected);
  });
});

it("reports the keyword and the schema path as the schema wrote them", () => {
  const { root, ...rest } = plainGraph({ dependentRequired: { a: ["b"] } });
  const written = new Map([
    ["dependentRequired", { keyword: "dependencies", schemaPath: "#/dependencies" }],
  ]);
  const graph = { ...rest, root: { ...root, written } };
  expect(explain(graph, { a: 1 }, testContext(), { maxIssues: 9 })).toMatchObject({
    errors: [{ keyword: "dependencies", schemaPath: "#/dependencies", data: { a: 1 } }],
    counts: { required: 1 },
  });
});
