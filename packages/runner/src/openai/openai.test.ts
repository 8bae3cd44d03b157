import { describe, expect, it, vi } from "vitest";
import { ToolInputError } from "../index.ts";
import { openAiScript } from "../testing/scripted-models.ts";
import { loadSdk } from "../testing/sdk.ts";
import {
  checkedTool,
  inputGuardrail,
  outputGuardrail,
  toolSchema,
  withValidation,
} from "./index.ts";

const { sdk, skip } = await loadSdk("@openai/agents", () => import("@openai/agents"));

const WEATHER = {
  type: "object" as const,
  properties: { city: { type: "string" as const }, days: { type: "integer" as const } },
  required: ["city"],
  additionalProperties: false as const,
};

describe.skipIf(sdk === undefined)(`run of OpenAI Agents${skip ? ` (${skip})` : ""}`, () => {
  if (sdk === undefined) return;
  const { Agent, run, setTracingDisabled, tool } = sdk;
  setTracingDisabled(true);
  const execute = vi.fn(
    async (input: unknown): Promise<unknown> => `sunny: ${Object.keys(input as object)}`,
  );
  const definition = {
    name: "get_weather",
    description: "The weather in a city",
    parameters: WEATHER as never,
    execute,
  };
  type Tool = ReturnType<typeof tool>;

  /** The arguments that the handler got in the last conversation. */
  let seen: unknown[] = [];

  async function converse(made: unknown, ...inputs: string[]) {
    const before = execute.mock.calls.length;
    const calls = inputs.map((input) => ({ tool: "get_weather", input }));
    const model = openAiScript([...calls, "Done."]);
    const agent = new Agent({ name: "a", model: model as never, tools: [made as Tool] });
    await run(agent, "Weather?", { maxTurns: 10 });
    const items = model.inputs.at(-1) as { type: string; output?: unknown }[];
    const results = items.filter(({ type }) => type === "function_call_result");
    seen = execute.mock.calls.slice(before).map(([input]) => input);
    return results.map(({ output }) => JSON.stringify(output));
  }
  const bad = '{"town":"secret","days":"2"}';
  const good = '{"city":"Oslo","days":2}';

  it.each([true, false])("a bare tool runs on any arguments (strict %s)", async (strict) => {
    await converse(tool({ ...definition, strict: strict as true }), bad);
    expect(seen).toHaveLength(1);
  });

  const makers = {
    checkedTool: (strict: boolean) => checkedTool(tool, { ...definition, strict }),
    withValidation: (strict: boolean) =>
      withValidation(tool({ ...definition, strict: strict as true })),
    inputGuardrail: () =>
      tool({
        ...definition,
        strict: false as true,
        inputGuardrails: [inputGuardrail(WEATHER, { name: "get_weather" })],
      }),
  };

  it.each([
    ["checkedTool", true],
    ["checkedTool", false],
    ["withValidation", true],
    ["withValidation", false],
    ["inputGuardrail", false],
  ] as const)(
    "%s (strict %s) answers an invalid call and accepts the second",
    async (name, strict) => {
      const [refused, taken] = await converse(makers[name](strict), bad, good);
      expect(seen).toEqual([{ city: "Oslo", days: 2 }]);
      expect(refused).toMatch(/\/city.*required/);
      expect(refused).toMatch(/\/days.*integer/);
      expect(refused).not.toContain("secret");
      expect(taken).toContain("sunny");
    },
  );

  it("a Standard Schema blocks the handler, although the SDK hides the reason", async () => {
    const made = tool({ ...definition, parameters: toolSchema(WEATHER) as never });
    const [refused, taken] = await converse(made, bad, good);
    expect(seen).toEqual([{ city: "Oslo", days: 2 }]);
    expect(refused).toContain("An error occurred while running the tool");
    expect(taken).toContain("sunny");
  });

  it("answers a caller without a runner too", async () => {
    for (const made of [
      makers.checkedTool(true),
      makers.withValidation(true),
    ] as never[] as Tool[]) {
      const context = new sdk.RunContext();
      await expect(made.invoke(context, '{"city":')).resolves.toMatch(/valid JSON/i);
      await expect(made.invoke(context, "{}")).resolves.toMatch(/\/city.*required/);
    }
  });

  it("checks numbers digit for digit, and refuses invalid JSON", async () => {
    for (const strict of [true, false]) {
      for (const make of [makers.checkedTool, makers.withValidation]) {
        const [digits, text, fine] = await converse(
          make(strict),
          '{"city":"a","days":9007199254740993.5}',
          '{"city":"a",',
          '{"city":"a","days":9007199254740993}',
        );
        expect(digits).toMatch(/\/days.*integer/);
        expect(text).toMatch(/valid JSON/i);
        expect(fine).toContain("sunny");
      }
    }
  });

  it("drops null for absent members in strict mode, and checks the rest", async () => {
    const made = checkedTool(tool, { ...definition, strict: true });
    await converse(made, '{"city":"Oslo","days":null}', '{"city":"Oslo"}');
    expect(seen).toEqual([{ city: "Oslo" }, { city: "Oslo" }]);
    const two = { ...WEATHER, minProperties: 2 };
    const picky = checkedTool(tool, { ...definition, parameters: two as never });
    const [refused] = await converse(picky, '{"city":"Oslo","days":null}');
    expect(seen).toEqual([]);
    expect(refused).toContain("2");
  });

  it("checks digits by the given schema if the SDK does not expose one", async () => {
    const bare = (definition: never) => ({ ...tool(definition), parameters: undefined });
    const made = checkedTool(bare as never, { ...definition, strict: false });
    const text = '{"city":"a","days":9007199254740993.5}';
    await expect((made as never as Tool).invoke(new sdk.RunContext(), text)).resolves.toMatch(
      /\/days.*integer/,
    );
    expect(execute).not.toHaveBeenCalledWith(expect.objectContaining({ city: "a", days: 2 ** 53 }));
  });

  it("drops null for absent members even next to a number that no double can hold", async () => {
    const properties = { ...WEATHER.properties, id: { type: "integer" } };
    const parameters = { ...WEATHER, properties } as never;
    const made = checkedTool(tool, { ...definition, parameters, strict: true });
    const [fine, refused] = await converse(
      made,
      '{"city":"a","days":null,"id":9007199254740993}',
      '{"city":"a","days":null,"id":9007199254740993.5}',
    );
    expect(fine).toContain("sunny");
    expect(refused).toMatch(/integer/);
  });

  it("passes every refusal to errorFunction, and throws if that is null", async () => {
    const digits = '{"city":"a","days":9007199254740993.5}';
    const context = new sdk.RunContext();
    const errorFunction = vi.fn((_context: unknown, error: unknown) => `told ${error}`);
    const outputSchema = { type: "object" };
    for (const more of [{}, { strict: false }, { outputSchema }]) {
      errorFunction.mockClear();
      const own = checkedTool(tool, { ...definition, errorFunction, ...more });
      const told = await (own as never as Tool).invoke(context, digits);
      expect(told).toMatch(/^told ToolInputError: .*\n- .*\/days/);
      expect(errorFunction).toHaveBeenCalledExactlyOnceWith(context, expect.anything(), undefined);
      const none = checkedTool(tool, { ...definition, errorFunction: null, ...more });
      for (const bad of [digits, '{"city":5}']) {
        await expect((none as never as Tool).invoke(context, bad)).rejects.toThrow(ToolInputError);
      }
    }
    expect(execute).not.toHaveBeenCalledWith(expect.objectContaining({ city: "a", days: 2 ** 53 }));
  });

  it("repairs arguments if repair is on", async () => {
    const patches: unknown[] = [];
    const repair = {
      repair: ["coerce-scalars", "drop-nulls"],
      onRepair: ({ patch }: { patch: unknown }) => patches.push(patch),
    } as const;
    const input = '{"city":"Oslo","days":"2"}';
    await converse(checkedTool(tool, definition, repair), input);
    expect(seen).toEqual([{ city: "Oslo", days: 2 }]);
    await converse(withValidation(tool(definition), repair), input);
    expect(seen).toEqual([{ city: "Oslo", days: 2 }]);
    const patch = [{ op: "replace", path: "/days", value: 2 }];
    expect(patches).toEqual([patch, patch]);
  });

  it("withholds a result that violates its schema from the model", async () => {
    const outputSchema = { type: "object", properties: { degrees: { type: "number" } } };
    const guarded = tool({
      ...definition,
      outputGuardrails: [outputGuardrail(outputSchema, { name: "get_weather" })],
    });
    const wrapped = withValidation(tool(definition), { outputSchema });
    for (const made of [guarded, wrapped]) {
      execute.mockResolvedValueOnce({ degrees: "warm" }).mockResolvedValueOnce({ degrees: 1 });
      const [refused, taken] = await converse(made, good, good);
      expect(refused).toMatch(/result does not match its output schema.*\/degrees/);
      expect(taken).toContain("degrees");
    }
  });

  it("reveals nothing about other errors, as the SDK does", async () => {
    const fails = checkedTool(tool, {
      ...definition,
      execute: () => Promise.reject(new Error("password=hunter2")),
    });
    const [told] = await converse(fails, good);
    expect(told).toContain("An error occurred while running the tool");
    expect(told).not.toContain("hunter2");
  });
});
