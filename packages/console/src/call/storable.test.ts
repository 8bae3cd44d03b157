import { expect, it } from "vitest";
import { SchemaSource } from "../form/source.ts";
import { storableDraft } from "./storable.ts";

const PLAIN = new SchemaSource('{"type":"object"}');
const HIDING = new SchemaSource(
  '{"properties":{"pin":{"type":"string","format":"password"},"a":{"type":"object","properties":{"k":{"writeOnly":true},"n":{}}},"list":{"items":{"format":"password"}}}}',
);

it.each<[SchemaSource, string, string | undefined]>([
  [PLAIN, '{ "city": "a token of love" }', '{\n  "city": "a token of love"\n}'],
  [PLAIN, '{"n":9007199254740993}', '{"n":9007199254740993}'],
  [PLAIN, '{"city":"Kiel","api_key":"x"}', '{\n  "city": "Kiel"\n}'],
  [PLAIN, '{"a":[{"Password":"x","n":1.0}]}', '{\n  "a": [\n    {\n      "n": 1.0\n    }\n  ]\n}'],
  [PLAIN, '{"city":"Kiel"', '{"city":"Kiel"'],
  [PLAIN, '{"api_key":"x"', undefined],
  [PLAIN, `"${"x".repeat(100_001)}"`, undefined],
  [HIDING, '{"pin":"1","a":{"k":"2","n":3},"list":["4"]}', '{\n  "a": {\n    "n": 3\n  }\n}'],
  [HIDING, '{"pin":"1"', undefined],
])("stores a draft without its secrets (%#)", (source, text, stored) => {
  expect(storableDraft(text, source)).toBe(stored);
});
