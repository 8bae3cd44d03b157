import { SchemaCache } from "@touchstone/core";
import { describe, expect, it } from "vitest";
import { ToolContract } from "../../contracts/contract.ts";
import { paramHeadersOf } from "./headers.ts";

const cache = new SchemaCache();
const contract = (text: string | undefined): ToolContract =>
  new ToolContract(
    { name: "t", ...(text === undefined ? {} : { inputSchema: Buffer.from(text) }) },
    cache,
  );

describe("the headers that a tool declares", () => {
  it("are those of its input schema, read once", () => {
    const region = { type: "string", "x-mcp-header": "Region" };
    const tool = contract(JSON.stringify({ type: "object", properties: { region } }));
    const declared = paramHeadersOf(tool);
    expect(declared).toEqual({
      valid: true,
      headers: [{ path: ["region"], name: "Mcp-Param-Region", type: "string" }],
    });
    expect(paramHeadersOf(tool)).toBe(declared);
    const wrong = contract(JSON.stringify({ type: "string", "x-mcp-header": "A" }));
    expect(paramHeadersOf(wrong)).toMatchObject({ valid: false });
  });

  it.each([
    ["no schema", undefined],
    ["a schema without annotations", '{"type":"object"}'],
    ["a property of that name", '{"properties":{"x-mcp-header":{"type":"string"}}}'],
    ["a schema that is not JSON", '{"x-mcp-header"'],
  ])("are none where there is %s", (_, text) => {
    expect(paramHeadersOf(contract(text))).toEqual({ valid: true, headers: [] });
  });
});
