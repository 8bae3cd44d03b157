import { mcpTool } from "@anthropic-ai/sdk/helpers/beta/mcp";
import { ToolError } from "@anthropic-ai/sdk/lib/tools/ToolError";
import { describe, expect, it, vi } from "vitest";
import { InvalidSchemaError, ToolInputError, ToolOutputError } from "../index.ts";
import { checkedClient } from "../mcp/index.ts";
import { type AnthropicRunnableTool, checkedTool, withValidation } from "./index.ts";

const weather = {
  name: "get_weather",
  inputSchema: { type: "object" as const, required: ["city"] },
  outputSchema: { type: "object", properties: { degrees: { type: "number" } } },
};

describe("tools of an MCP server", () => {
  const callTool = vi.fn(async () => ({
    content: [],
    structuredContent: { degrees: "warm" } as Record<string, unknown>,
  }));

  it("are checked on both sides, and keep the SDK's symbol", async () => {
    const client = checkedClient({ callTool: callTool as never }, [weather]);
    const bare = mcpTool(weather, client as never, { strict: true });
    const tool = withValidation(bare, { ToolError });
    expect(Object.getOwnPropertySymbols(tool)).toEqual(Object.getOwnPropertySymbols(bare));
    expect(JSON.parse(JSON.stringify(tool))).toEqual(JSON.parse(JSON.stringify(bare)));
    expect(() => tool.parse({})).toThrow(ToolError);
    expect(tool.parse({ city: "a" })).toEqual({ city: "a" });
    const error: unknown = await Promise.resolve(tool.run({ city: "a" })).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(ToolError);
    expect(JSON.stringify((error as ToolError).content)).toContain("/degrees");
  });

  it("can declare no properties, which the SDK writes as null", () => {
    const tool = withValidation(
      mcpTool({ name: "t", inputSchema: { type: "object" } }, {} as never),
    );
    expect(tool.contract?.input.checked).toBe(true);
    expect(() => tool.parse([])).toThrow(ToolInputError);
  });
});

describe("a tool of a class", () => {
  class Weather {
    readonly name = "get_weather";
    readonly input_schema = weather.inputSchema;
    readonly closed: string[] = [];
    #unit = "c";
    get description() {
      return `in ${this.#unit}`;
    }
    run(_args: object) {
      return this.#unit;
    }
    again(args: object) {
      return this.run(args);
    }
    close() {
      this.closed.push(this.#unit);
    }
  }

  it("keeps its class's members, even private ones", () => {
    const bare = new Weather();
    const tool = withValidation(bare);
    expect(tool).toBeInstanceOf(Weather);
    expect(tool.description).toBe("in c");
    tool.close();
    expect(bare.closed).toEqual(["c"]);
    expect(tool.run({ city: "a" })).toBe("c");
    expect(JSON.stringify(tool)).toBe(JSON.stringify(bare));
    expect(bare).not.toHaveProperty("contract");
  });

  it("does not bypass the check through its own method", () => {
    const tool = withValidation(new Weather());
    expect(() => tool.again({})).toThrow(ToolInputError);
    expect(withValidation(tool).again({ city: "a" })).toBe("c");
  });
});

describe("run by a program that does not call parse", () => {
  const inputSchema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };

  it("does not run on arguments that violate the schema", () => {
    const run = vi.fn(() => "ran");
    const made = checkedTool({ name: "t", inputSchema, run }, { ToolError });
    const bare = { name: "t", input_schema: inputSchema, run };
    for (const tool of [made, withValidation(bare, { ToolError })]) {
      for (const bad of [{ n: "1" }, {}, "x", null, undefined]) {
        expect(() => tool.run(bad as never)).toThrow(ToolError);
      }
    }
    expect(run).not.toHaveBeenCalled();
    expect(made.run({ n: 1 })).toBe("ran");
  });

  it("does not run on arguments that a program changed after parse", () => {
    const run = vi.fn();
    const tool = withValidation({
      name: "t",
      input_schema: inputSchema,
      run,
      parse: (x: unknown) => x,
    } as never);
    const { parse, run: runs } = tool as unknown as Required<AnthropicRunnableTool>;
    const args = parse({ n: 1 }) as Record<string, unknown>;
    args["n"] = "1";
    expect(() => runs(args as never)).toThrow(ToolInputError);
    expect(run).not.toHaveBeenCalled();
  });

  it("runs on whatever parse returned for valid arguments", () => {
    const run = vi.fn((made: unknown) => made);
    const makers: ((content: { n: number }) => unknown)[] = [
      ({ n }) => ({ n: `${n}` }),
      ({ n }) => `${n}`,
      (content) => Object.assign(content, { n: `${content.n}` }),
    ];
    for (const parse of makers) {
      const tool = withValidation({ name: "t", input_schema: inputSchema, run, parse } as never);
      const { parse: parsed, run: runs } = tool as unknown as Required<AnthropicRunnableTool>;
      const made = parsed({ n: 1 });
      expect(runs(made as never)).toBe(made);
      expect(() => runs({ n: "1" } as never)).toThrow(ToolInputError);
    }
  });
});

describe("withValidation", () => {
  it("returns tools without an input schema unchanged", () => {
    const memory = {
      type: "memory_20250818",
      name: "memory",
      run: () => "",
      parse: (x: unknown) => x,
    };
    expect(withValidation(memory)).toBe(memory);
  });

  it("refuses an unusable schema unless it is lenient", () => {
    const tool = { name: "t", input_schema: { type: "object", required: 5 }, run: () => "" };
    expect(() => withValidation(tool)).toThrow(InvalidSchemaError);
    expect(withValidation(tool, { lenient: true }).contract?.input.checked).toBe(false);
    const noObject = { name: "t", inputSchema: { type: "string" }, run: () => "" };
    expect(() => checkedTool(noObject)).toThrow(/does not allow one/);
    expect(() => checkedTool({ ...noObject, inputSchema: 5 })).toThrow(InvalidSchemaError);
  });

  it.each([
    ['{"a":1}', true],
    ['{"a":"x"}', false],
    ["plain words", false],
    [[{ type: "text", text: '{"a":1}' }], true],
    [[{ type: "image" }, { type: "text", text: '{"a":"x"}' }], false],
    [[], false],
  ])("checks the content %j", async (content, valid) => {
    const outputSchema = { type: "object", properties: { a: { type: "integer" } } };
    const tool = { name: "t", input_schema: {}, run: async () => content };
    const result = withValidation(tool, { outputSchema }).run();
    if (valid) await expect(result).resolves.toBe(content);
    else await expect(result).rejects.toThrow(ToolOutputError);
  });

  it("adds a missing type to the schema, and sends content unchanged", async () => {
    const run = vi.fn(async () => [{ type: "text" as const, text: "x" }]);
    const tool = checkedTool({ name: "t", inputSchema: { properties: { a: {} } }, run });
    expect(tool.input_schema).toEqual({ type: "object", properties: { a: {} } });
    await expect(tool.run({})).resolves.toEqual([{ type: "text", text: "x" }]);
    const odd = checkedTool({ name: "t", inputSchema: {}, run: () => ({ a: 1 }) });
    expect(odd.run({})).toBe('{"a":1}');
  });
});
