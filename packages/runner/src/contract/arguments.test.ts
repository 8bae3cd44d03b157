import { describe, expect, it } from "vitest";
import { checkedSchema } from "../ai/index.ts";
import { checkedTool } from "../anthropic/index.ts";
import { checked } from "../checked.ts";
import { checkedTools } from "../mcp/index.ts";
import { checkedTool as openAiTool } from "../openai/index.ts";

const object = { type: "object" };

/** Returns the error for a tool whose definition has these members, a name and a `run` function. */
function said(members: object): string {
  const make = (): unknown => checkedTool({ name: "t", run: () => "", ...members } as never);
  expect(make).toThrow();
  try {
    return String(make());
  } catch (error) {
    return String((error as Error).message).split("\n")[1] ?? "";
  }
}

describe("a tool without a schema under the right name", () => {
  it.each([
    [{}, 'it is missing: pass it as "inputSchema"'],
    [{ inputSchema: null }, 'it is missing: pass it as "inputSchema"'],
    [{ input_schema: object }, 'it is given as "input_schema": pass it as "inputSchema"'],
    [{ parameters: object }, 'it is given as "parameters": pass it as "inputSchema"'],
    [{ inputSchema: '{"type":"object"}' }, "it is a string: pass the result of JSON.parse"],
    [{ inputSchema: 5 }, "it is a number"],
    [{ inputSchema: [] }, "it is an array"],
  ])("gets an error that says so: %j", (members, what) => {
    expect(said(members)).toBe(
      `- the schema: ${what}; the schema of a tool's arguments is an object with \`type: "object"\` (not_a_schema)`,
    );
  });

  it("gets an error that says so for an MCP server's tools too", () => {
    const definition = { name: "t", input_schema: object, handler: () => ({ content: [] }) };
    expect(() => checkedTools([definition as never])).toThrow('it is given as "input_schema"');
  });
});

describe("an argument that is not a function", () => {
  it("is named in the error", () => {
    expect(() => checked(undefined as never, { input: object })).toThrow(
      "checked takes the function to run first; it is undefined",
    );
    const definition = { name: "t", parameters: object, execute: () => "" };
    expect(() => openAiTool(definition as never, (() => ({})) as never)).toThrow(
      "checkedTool takes the SDK's tool first, and then the definition",
    );
    expect(() => checkedSchema({} as never, object)).toThrow(
      "checkedSchema takes { jsonSchema } of the AI SDK first",
    );
    const tool = { name: "t", inputSchema: object };
    expect(() => checkedTool(tool as never)).toThrow('the tool "t" has no run');
  });
});
