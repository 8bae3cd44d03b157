import { dynamicTool, jsonSchema } from "ai";
import { expect, it } from "vitest";
import { withValidation } from "./tools.ts";

const execute = async () => 1;
const made = () =>
  dynamicTool({ description: "d", inputSchema: jsonSchema({ type: "object" }), execute });

it.each([
  [
    { get_weather: made(), search: made() },
    { get_weather: {}, get_wether: {} },
    'has a schema for "get_wether", but the set has no such tool; it has "get_weather", "search"',
  ],
  [
    {},
    { __proto__: null, constructor: true },
    'for "constructor", but the set has no such tool; it is empty',
  ],
  [
    Object.fromEntries(Array.from({ length: 22 }, (_, n) => [`t${n}`, made()])),
    { "a\u202e": {} },
    /for "a\\u.*202e.*", but .* "t19", and 2 more$/,
  ],
])("refuses output schemas for tools that do not exist", async (tools, outputSchemas, told) => {
  const wrapped = withValidation(tools, { outputSchemas });
  await expect(wrapped).rejects.toThrow(TypeError);
  await expect(wrapped).rejects.toThrow(told);
});

it("ignores a name without a schema", async () => {
  const outputSchemas = { other: undefined };
  const { one } = await withValidation({ one: made() }, { outputSchemas });
  expect(one.contract.output.checked).toBe(false);
});
