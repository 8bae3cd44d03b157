import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { InvalidSchemaError } from "../index.ts";
import { aiScript } from "../testing/scripted-models.ts";
import { loadSdk } from "../testing/sdk.ts";
import { checkedSchema, withValidation } from "./index.ts";

const { sdk, skip } = await loadSdk("ai", async () => {
  const [ai, test] = await Promise.all([import("ai"), import("ai/test")]);
  return { ...ai, MockLanguageModelV4: test.MockLanguageModelV4 };
});

interface Weather {
  city: string;
  days?: number;
}

const WEATHER = {
  properties: { city: { type: "string" }, days: { type: "integer" } },
  required: ["city"],
};

describe.skipIf(sdk === undefined)(`generateText of the AI SDK${skip ? ` (${skip})` : ""}`, () => {
  if (sdk === undefined) return;
  const { dynamicTool, generateText, jsonSchema, MockLanguageModelV4, stepCountIs, tool } = sdk;
  const { TypeValidationError } = sdk;
  const execute = vi.fn(async ({ city }: Weather, _options?: unknown) => ({
    text: `sunny in ${city}`,
  }));
  const description = "The weather in a city";

  async function converse(tools: Parameters<typeof generateText>[0]["tools"], inputs: string[]) {
    execute.mockClear();
    const calls = inputs.map((input) => ({ tool: "get_weather", input }));
    const { prompts, doGenerate } = aiScript([...calls, "Done."]);
    await generateText({
      model: new MockLanguageModelV4({ doGenerate }),
      prompt: "Weather?",
      stopWhen: stepCountIs(inputs.length + 1),
      ...(tools === undefined ? {} : { tools }),
    });
    const messages = (prompts.at(-1) ?? []).filter(({ role }) => role === "tool");
    return messages.map(({ content }) => JSON.stringify(content));
  }
  const inputs = ['{"town":"secret","days":"2"}', '{"city":"Oslo"}'];

  it("a bare tool runs on any arguments", async () => {
    const inputSchema = jsonSchema<Weather>({ type: "object", ...(WEATHER as object) });
    await converse({ get_weather: tool({ description, inputSchema, execute }) }, inputs);
    expect(execute).toHaveBeenCalledTimes(2);
  });

  it.each(["tool", "dynamicTool"] as const)("checks the arguments of a %s", async (kind) => {
    const inputSchema = checkedSchema(
      { jsonSchema: jsonSchema<Weather>, TypeValidationError },
      WEATHER,
      { name: "get_weather" },
    );
    const made =
      kind === "tool"
        ? tool({ description, inputSchema, execute })
        : dynamicTool({
            description,
            inputSchema,
            execute: (input, options) => execute(input as Weather, options),
          });
    const [refused, taken] = await converse({ get_weather: made }, inputs);
    expect(execute).toHaveBeenCalledExactlyOnceWith({ city: "Oslo" }, expect.anything());
    expect(refused).toMatch(/\/city.*required.*\/days.*integer/);
    expect(refused).not.toContain("secret");
    expect(taken).toContain("sunny in Oslo");
    expect(inputSchema.contract.input.checked).toBe(true);
  });

  it("reports issues without the SDK's error class too", async () => {
    const inputSchema = checkedSchema({ jsonSchema: jsonSchema<Weather> }, WEATHER);
    const [refused] = await converse(
      { get_weather: tool({ description, inputSchema, execute }) },
      inputs,
    );
    expect(refused).toMatch(/\/city.*required.*\/days.*integer/);
    expect(execute).toHaveBeenCalledTimes(1);
  });

  it("checks existing tools, such as those of an MCP client", async () => {
    const bare = dynamicTool({
      description,
      inputSchema: jsonSchema(Promise.resolve({ type: "object", ...(WEATHER as object) })),
      execute: (input, options) => execute(input as Weather, options),
    });
    const tools = await withValidation({ get_weather: bare }, { TypeValidationError });
    expect(tools.get_weather.description).toBe(description);
    const [refused] = await converse(tools, inputs);
    expect(refused).toMatch(/\/city.*required/);
    expect(execute).toHaveBeenCalledExactlyOnceWith({ city: "Oslo" }, expect.anything());
  });

  it("checks arguments that reach execute without a validation", async () => {
    const inputSchema = jsonSchema<Weather>({ type: "object", ...(WEATHER as object) });
    const bare = { description, inputSchema, execute };
    const { get_weather } = await withValidation({ get_weather: bare });
    execute.mockClear();
    expect(() => get_weather.execute({ city: 5 } as never)).toThrow(/\/city.*string/);
    expect(execute).not.toHaveBeenCalled();
    await expect(get_weather.execute({ city: "Oslo" })).resolves.toEqual({ text: "sunny in Oslo" });
  });

  it("checks arguments again that a program changed after the SDK validated them", async () => {
    const inputSchema = jsonSchema<Weather>({ type: "object", ...(WEATHER as object) });
    const bare = tool({
      description,
      inputSchema,
      execute,
      onInputAvailable: ({ input }: { input: unknown }) =>
        void Reflect.set(input as object, "days", "2"),
    });
    const [refused] = await converse(await withValidation({ get_weather: bare }), [
      '{"city":"Oslo"}',
    ]);
    expect(refused).toMatch(/\/days.*integer/);
    expect(execute).not.toHaveBeenCalled();
  });

  it("checks tools whose schemas are created lazily", async () => {
    const inputSchema = () => jsonSchema<Weather>({ type: "object", ...(WEATHER as object) });
    const outputSchema = () => jsonSchema({ type: "object", required: ["degrees"] });
    const made = await withValidation({
      get_weather: tool({ description, inputSchema, execute }),
      get_degrees: tool({ description, inputSchema, outputSchema: outputSchema as never, execute }),
    });
    const [refused] = await converse(made, inputs);
    expect(refused).toMatch(/\/city.*required/);
    expect(execute).toHaveBeenCalledExactlyOnceWith({ city: "Oslo" }, expect.anything());
    expect(() => made.get_weather.execute?.({ city: 5 } as never, {} as never)).toThrow(/\/city/);
    await expect(made.get_degrees.execute?.({ city: "Oslo" }, {} as never)).rejects.toThrow(
      /degrees/,
    );
  });

  it("passes on what the tool's own validation returns", async () => {
    const validate = async (value: unknown) => {
      const city = (value as Weather).city.toUpperCase();
      return { success: true as const, value: { city, days: "two" } as unknown as Weather };
    };
    const schema = { type: "object", ...(WEATHER as object) } as const;
    const bare = tool({ description, inputSchema: jsonSchema(schema, { validate }), execute });
    await converse(await withValidation({ get_weather: bare }), ['{"city":"Oslo"}']);
    const made = { city: "OSLO", days: "two" };
    expect(execute).toHaveBeenCalledExactlyOnceWith(made, expect.anything());
  });

  it("withholds a result that violates its schema, even the last of several", async () => {
    const output = { type: "object", properties: { text: { type: "integer" } } };
    const bare = dynamicTool({
      description,
      inputSchema: jsonSchema({ type: "object" }),
      execute: async () => ({ text: "sunny" }),
    });
    const streaming = dynamicTool({
      description,
      inputSchema: jsonSchema({ type: "object" }),
      async *execute() {
        yield { text: 1 };
        yield { text: "sunny" };
      },
    });
    for (const get_weather of [bare, streaming]) {
      const tools = await withValidation(
        { get_weather },
        { outputSchemas: { get_weather: output } },
      );
      const [refused] = await converse(tools, ["{}"]);
      expect(refused).toMatch(/result does not match its output schema.*\/text/);
    }
  });

  it("passes on all results of a tool that yields several", async () => {
    const given = [{ text: 1 }, { text: 2 }];
    const counting = dynamicTool({
      description,
      inputSchema: jsonSchema({ type: "object" }),
      async *execute() {
        yield* given;
      },
    });
    const output = { type: "object", properties: { text: { type: "integer" } } };
    const made = await withValidation({ counting }, { outputSchemas: { counting: output } });
    const results = made.counting.execute?.({}, { toolCallId: "1", messages: [], context: {} });
    const seen: unknown[] = [];
    for await (const result of results as AsyncIterable<unknown>) seen.push(result);
    expect(seen).toEqual(given);
  });

  it("says for each tool what is checked", async () => {
    const inputSchema = jsonSchema({ type: "object", ...(WEATHER as object) });
    const broken = jsonSchema({ type: "object", required: 5 } as object);
    const zod = z.object({ city: z.string() });
    const execute = async () => 1;
    const tools = {
      good: tool({ inputSchema, execute }),
      broken: tool({ inputSchema: broken, execute }),
      zod: tool({ inputSchema: zod, execute }),
      bare: { description: "d", inputSchema: undefined },
    };
    const { good, ...others } = await withValidation(tools, { lenient: true });
    expect(good.contract).toMatchObject({ tool: "good", input: { checked: true } });
    expect(others).toMatchObject({
      broken: { contract: { input: { checked: false, reason: "unusable_schema" } } },
      zod: { contract: { input: { checked: false, reason: "sdk" } } },
      bare: { contract: { input: { checked: false, reason: "no_schema" } } },
    });
    const { broken: unread } = await withValidation({ broken: tools.broken }, { raw: true });
    expect(unread.contract.input).toMatchObject({ checked: false, reason: "raw" });
    expect(tools.good).not.toHaveProperty("contract");
  });

  it("keeps members of the tool's class", async () => {
    class WeatherTool {
      readonly inputSchema = jsonSchema<Weather>({ type: "object", ...(WEATHER as object) });
      #unit = "c";
      get description() {
        return `in ${this.#unit}`;
      }
      execute(_input: object) {
        return this.#unit;
      }
      toModelOutput() {
        return { type: "text" as const, value: this.#unit };
      }
    }
    const { get_weather } = await withValidation({ get_weather: new WeatherTool() });
    expect(get_weather).toBeInstanceOf(WeatherTool);
    expect(get_weather.description).toBe("in c");
    expect(Reflect.apply(get_weather.toModelOutput, undefined, [])).toMatchObject({ value: "c" });
    expect(Object.keys(get_weather)).toContain("toModelOutput");
    expect(() => get_weather.execute({ city: 5 } as never)).toThrow(/\/city/);
    expect(get_weather.execute({ city: "Oslo" })).toBe("c");
    const raw = await withValidation({ get_weather: new WeatherTool() }, { raw: true });
    expect(Reflect.apply(raw.get_weather.execute, undefined, [{}])).toBe("c");
  });

  it("refuses a broken schema at construction", async () => {
    const broken = { type: "object", properties: { a: { type: "strin" } } };
    expect(() => checkedSchema({ jsonSchema }, broken)).toThrow(InvalidSchemaError);
    const made = dynamicTool({ inputSchema: jsonSchema(broken as object), execute: async () => 1 });
    await expect(withValidation({ made })).rejects.toThrow(InvalidSchemaError);
    await expect(withValidation({ made }, { lenient: true })).resolves.toHaveProperty("made");
  });
});
