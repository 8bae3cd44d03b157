import { describe, expect, it } from "vitest";
import { checkedSchema } from "./ai/index.ts";
import { InvalidSchemaError, toolSchema } from "./index.ts";
import { inputGuardrail, outputGuardrail } from "./openai/index.ts";

const sdk = { jsonSchema: (_: never, options: object): object => options };

describe("without a schema", () => {
  it.each<[string, (schema: unknown, options: object) => unknown, string]>([
    ["toolSchema", toolSchema, "input"],
    ["checkedSchema", (schema, options) => checkedSchema(sdk, schema, options), "input"],
    ["inputGuardrail", inputGuardrail, "input"],
    ["outputGuardrail", outputGuardrail, "output"],
  ])("refuses to create a %s that accepts everything", (_name, make, side) => {
    for (const schema of [undefined, null]) {
      const error = new RegExp(
        `^The ${side} schema of the tool "t" cannot be used, 1 fault:\\n- the schema: it is ${schema},`,
      );
      expect(() => make(schema, { name: "t" })).toThrow(InvalidSchemaError);
      expect(() => make(schema, { name: "t" })).toThrow(error);
      expect(() => make(schema, { lenient: true })).not.toThrow();
    }
    expect(() => make({}, {})).not.toThrow();
    if (side === "input") expect(() => make(undefined, { raw: true })).not.toThrow();
  });
});
