import { describe, expect, it } from "vitest";
import { type Case, tellErrors } from "../engine/testing/cases.ts";

const UNEVALUATED: readonly Case[] = [
  [
    '{"properties":{"a":true},"unevaluatedProperties":false}',
    '{"a":1,"toString":1}',
    " #/unevaluatedProperties must NOT have unevaluated properties",
  ],
  [
    '{"anyOf":[{"properties":{"a":true}},{"properties":{"b":true}}],"unevaluatedProperties":false}',
    '{"a":1,"b":2}',
  ],
  [
    '{"anyOf":[{"properties":{"a":{"type":"null"}}},true],"unevaluatedProperties":false}',
    '{"a":1}',
    " #/unevaluatedProperties must NOT have unevaluated properties",
  ],
  [
    '{"not":{"not":{"properties":{"a":true}}},"unevaluatedProperties":{"type":"null"}}',
    '{"a":1}',
    "/a #/unevaluatedProperties/type must be null",
  ],
  [
    '{"if":{"properties":{"a":{"const":1}},"required":["a"]},"unevaluatedProperties":false}',
    '{"a":1}',
  ],
  [
    '{"if":{"properties":{"a":{"const":1}}},"unevaluatedProperties":false}',
    '{"a":2}',
    " #/unevaluatedProperties must NOT have unevaluated properties",
  ],
  ['{"allOf":[{"unevaluatedProperties":true}],"unevaluatedProperties":false}', '{"a":2}'],
  [
    '{"properties":{"a":true},"allOf":[{"unevaluatedProperties":false}]}',
    '{"a":2}',
    " #/allOf/0/unevaluatedProperties must NOT have unevaluated properties",
  ],
  [
    '{"dependentSchemas":{"a":{"properties":{"b":true}}},"properties":{"a":true},"unevaluatedProperties":false}',
    '{"a":1,"b":1}',
  ],
  ['{"patternProperties":{"^a":true},"unevaluatedProperties":false}', '{"ab":1}'],
  [
    '{"prefixItems":[true],"unevaluatedItems":false}',
    "[1,2]",
    " #/unevaluatedItems must NOT have more than 1 items",
  ],
  ['{"contains":{"const":1},"unevaluatedItems":{"type":"string"}}', '[1,"a",1]'],
  [
    '{"contains":{"const":1},"unevaluatedItems":{"type":"string"}}',
    "[1,2]",
    "/1 #/unevaluatedItems/type must be string",
  ],
  ['{"contains":{"const":1},"minContains":0,"unevaluatedItems":false}', "[1,1]"],
  [
    '{"anyOf":[{"items":{"type":"string"}},{"prefixItems":[true,true]}],"unevaluatedItems":false}',
    "[1,2]",
  ],
  [
    '{"oneOf":[{"prefixItems":[{"const":2}]},{"prefixItems":[true]}],"unevaluatedItems":false}',
    "[1]",
  ],
  [
    '{"allOf":[{"prefixItems":[true]},{"prefixItems":[true,true]}],"unevaluatedItems":false}',
    "[1,2]",
  ],
  ['{"items":{"unevaluatedItems":false},"unevaluatedItems":false}', "[[],[]]"],
  ['{"allOf":[{"unevaluatedItems":true}],"unevaluatedItems":false}', "[1]"],
  ['{"allOf":[{"unevaluatedProperties":true}],"unevaluatedProperties":false}', '{"a":1}'],
  [
    '{"unevaluatedProperties":false}',
    '{"a":1,"b":2}',
    " #/unevaluatedProperties must NOT have unevaluated properties",
    " #/unevaluatedProperties must NOT have unevaluated properties",
  ],
  [
    '{"unevaluatedProperties":{"type":"string"}}',
    '{"a":1,"b":"","c":2}',
    "/a #/unevaluatedProperties/type must be string",
    "/c #/unevaluatedProperties/type must be string",
  ],
  [
    '{"unevaluatedItems":{"type":"string"}}',
    '[1,"",2]',
    "/0 #/unevaluatedItems/type must be string",
    "/2 #/unevaluatedItems/type must be string",
  ],
];

describe("unevaluatedProperties and unevaluatedItems", () => {
  it.each(UNEVALUATED)("%s on %s", (schema, value, ...expected) => {
    expect(tellErrors(schema, value)).toEqual(expected);
  });
});
