import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { DEFAULT_ADDRESS } from "../config-file.ts";
import { configJsonSchema, knownKeys } from "./editor-schema.ts";

describe("configJsonSchema", () => {
  const schema = configJsonSchema();
  const validate = new Ajv2020({
    strict: true,
    strictRequired: false,
    strictTypes: false,
    allErrors: true,
  }).compile(schema);

  it("is a 2020-12 schema that accepts what is accepted", () => {
    expect(schema["$schema"]).toBe("https://json-schema.org/draft/2020-12/schema");
    const good = {
      mcpServers: {
        a: {
          command: "c",
          foreign: 1,
          touchstone: { tools: { t: { input_validation: { mode: "off" } } } },
        },
        b: { url: "https://x", type: "http" },
      },
      output_validation: { rules: { extra: "ignore" }, missing_structured_content: "block" },
      limits: { sessions: 1 },
    };
    expect([validate(good), validate.errors]).toEqual([true, null]);
  });

  it.each([
    { inputvalidation: {} },
    { input_validation: { mode: "Strict" } },
    { limits: { sessions: 0 } },
    { mcpServers: { a: {} } },
    { mcpServers: { a: { command: "c", url: "u" } } },
    { mcpServers: { a: { type: "sse", url: "http://x" } } },
    { mcpServers: { a: { command: "c", touchstone: { x: 1 } } } },
  ])("refuses %j", (bad) => {
    expect(validate(bad)).toBe(false);
  });

  it("tells the defaults that hold", () => {
    expect(schema).toMatchObject({
      properties: {
        listen: { properties: { address: { default: DEFAULT_ADDRESS } } },
        input_validation: { properties: { max_bytes: { default: 5_242_880 } } },
        protocol_validation: { properties: { max_bytes: { default: 262_144 } } },
      },
    });
  });

  it("knows the keys at any path, also where a name is one of ours or of Object's", () => {
    expect(knownKeys(["limits"])).toEqual([
      "request_bytes",
      "upstream_frame_bytes",
      "sessions",
      "children",
      "concurrent_calls",
      "call_timeout",
    ]);
    expect(knownKeys(["mcpServers", "constructor", "touchstone", "tools", "properties"])).toEqual([
      "input_validation",
      "output_validation",
      "protocol_validation",
    ]);
    expect(knownKeys(["nowhere"])).toEqual([]);
  });
});
