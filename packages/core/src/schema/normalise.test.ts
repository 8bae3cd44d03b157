import { describe, expect, it } from "vitest";
import { compileSchema } from "./compile.ts";

const text = (schema: string) => compileSchema({ text: schema });

describe("names that JavaScript objects have anyway", () => {
  it.each([
    ['{"required":["constructor"]}', "{}", false],
    ['{"required":["constructor"]}', '{"constructor":1}', true],
    ['{"required":["__proto__"]}', "{}", false],
    ['{"required":["__proto__"]}', '{"__proto__":1}', true],
    ['{"properties":{"__proto__":{"type":"string"}}}', '{"__proto__":1}', false],
    ['{"properties":{"__proto__":{"type":"string"}}}', "{}", true],
    ['{"properties":{"__proto__":{}},"additionalProperties":false}', '{"__proto__":1}', true],
    ['{"patternProperties":{"__proto__":{"type":"string"}}}', '{"__proto__":1}', false],
    ['{"properties":{"toString":{"type":"string"}}}', "{}", true],
    ['{"properties":{"toString":{"type":"string"}}}', '{"toString":1}', false],
    ['{"properties":{"nullable":{"type":"string"}}}', '{"nullable":1}', false],
    ['{"additionalProperties":false}', '{"constructor":1}', false],
    ['{"unevaluatedProperties":false,"anyOf":[{"properties":{"a":{}}}]}', '{"toString":1}', false],
    ['{"unevaluatedProperties":false,"anyOf":[{"properties":{"a":{}}}]}', '{"a":1}', true],
    [
      '{"unevaluatedProperties":{"type":"string"},"anyOf":[{"properties":{"a":{}}}]}',
      '{"valueOf":1}',
      false,
    ],
    ['{"const":{"toString":1}}', '{"toString":1}', true],
    ['{"const":{"a":1}}', '{"valueOf":1}', false],
    ['{"enum":[{"a":1}]}', '{"toString":1}', false],
    ['{"items":{"type":"string"},"uniqueItems":true}', '["__proto__","__proto__"]', false],
  ])("%s on %s: %s", (schema, value, valid) => {
    const compiled = text(schema);
    expect(compiled.check(value).outcome).toBe(valid ? "pass" : "violation");
    expect(compiled.checkValue(JSON.parse(value)).outcome).toBe(valid ? "pass" : "violation");
    // With a number elsewhere that makes it the exact variant.
    const beside = compileSchema({ text: `{"prefixItems":[${schema}]}` });
    expect(beside.check(`[${value},1e400]`).outcome).toBe(valid ? "pass" : "violation");
  });
});

it.each([
  ['{"$async":true,"type":"string"}', "1", false],
  ['{"properties":{"a":{"$async":true,"type":"string"}}}', '{"a":1}', false],
  ['{"type":"string","nullable":true}', "null", false],
  ['{"nullable":true}', "5", true],
  [
    '{"type":"object","discriminator":{"propertyName":"x"},"oneOf":[{"required":["a"]}]}',
    '{"a":1}',
    true,
  ],
  ['{"properties":{"a":{},"b":{"const":{"$data":"1/a"}}}}', '{"a":1,"b":1}', false],
  ['{"formatMinimum":"2030-01-01","format":"date"}', '"2020-01-01"', true],
  [
    '{"examples":[{"$id":"http://x/a"},{"$id":"http://x/a"}],"x-own":{"$id":"http://x/a"}}',
    "1",
    true,
  ],
  ['{"x-types":{"nullable":{"type":"string"}},"$ref":"#/x-types/nullable"}', "1", false],
])("vendor keywords change no verdict: %s on %s: %s", (schema, value, valid) => {
  expect(text(schema).check(value).outcome).toBe(valid ? "pass" : "violation");
});
