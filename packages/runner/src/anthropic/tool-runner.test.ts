import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { betaZodTool } from "@anthropic-ai/sdk/helpers/beta/zod";
import type { BetaRunnableTool } from "@anthropic-ai/sdk/lib/tools/BetaRunnableTool";
import { ToolError } from "@anthropic-ai/sdk/lib/tools/ToolError";
import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { type AnthropicModel, startAnthropicModel, type Turn } from "../testing/anthropic-model.ts";
import { checkedTool, withValidation } from "./index.ts";

const WEATHER = {
  type: "object",
  properties: { city: { type: "string" }, days: { type: "integer", maximum: 10 } },
  required: ["city"],
  additionalProperties: false,
} as const;

let model: AnthropicModel | undefined;
afterEach(() => model?.close());

async function converse(tool: BetaRunnableTool, turns: readonly Turn[], stream = false) {
  model = await startAnthropicModel(turns);
  const client = new Anthropic({ apiKey: "key", baseURL: model.url, maxRetries: 0 });
  const runner = client.beta.messages.toolRunner({
    model: "m",
    max_tokens: 100,
    stream,
    messages: [{ role: "user", content: "Weather?" }],
    tools: [tool],
  });
  await runner.runUntilDone();
  return model;
}

const calls = (...inputs: string[]): Turn[] => [
  ...inputs.map((input) => ({ tool: "get_weather", input })),
  "Done.",
];

describe("inside the tool runner", () => {
  const run = vi.fn(({ city }: { city: string }) => `sunny in ${city}`);
  const definition = {
    name: "get_weather",
    description: "The weather in a city",
    inputSchema: WEATHER,
    strict: true,
    cache_control: { type: "ephemeral" as const },
    run,
  };
  afterEach(() => run.mockClear());

  it("a bare tool runs on any arguments", async () => {
    const { results } = await converse(betaTool(definition), calls('{"town":"Oslo"}'));
    expect(run).toHaveBeenCalledWith({ town: "Oslo" }, expect.anything());
    expect(results()).toEqual([expect.objectContaining({ content: "sunny in undefined" })]);
  });

  it.each([
    ["checkedTool", () => checkedTool(definition, { ToolError })],
    ["withValidation", () => withValidation(betaTool(definition), { ToolError })],
  ] as const)(
    "%s answers an invalid call with a text, accepts the second and runs the handler once",
    async (_name, make) => {
      for (const stream of [false, true]) {
        run.mockClear();
        const bad = '{"town":"Oslo","days":"2"}';
        const { results, requests, close } = await converse(
          make(),
          calls(bad, '{"city":"Oslo","days":2}'),
          stream,
        );
        expect(run).toHaveBeenCalledExactlyOnceWith(
          { city: "Oslo", days: 2 },
          expect.objectContaining({ toolUse: expect.anything() }),
        );
        const [refused, taken] = results();
        expect(refused).toMatchObject({ is_error: true });
        expect(refused?.content).toMatch(/^The arguments of "get_weather" do not match/);
        expect(refused?.content).toMatch(/\/city.*required/);
        expect(refused?.content).toMatch(/\/days.*integer/);
        expect(refused?.content).not.toContain("Oslo");
        expect(taken).toEqual(expect.objectContaining({ content: "sunny in Oslo" }));
        expect(taken).not.toHaveProperty("is_error");
        expect(requests[0]?.tools).toEqual([
          {
            type: "custom",
            name: "get_weather",
            description: "The weather in a city",
            input_schema: WEATHER,
            strict: true,
            cache_control: { type: "ephemeral" },
          },
        ]);
        await close();
      }
    },
  );

  it("returns a readable message if ToolError is not given", async () => {
    const { results } = await converse(checkedTool(definition), calls("{}"));
    expect(results()[0]?.content).toMatch(/^Error: The arguments of "get_weather" do not match/);
    expect(run).not.toHaveBeenCalled();
  });

  it("checks the numbers of a streamed call digit for digit", async () => {
    const tool = checkedTool({
      ...definition,
      inputSchema: { ...WEATHER, properties: { ...WEATHER.properties, days: { type: "integer" } } },
    });
    const { results } = await converse(
      tool,
      calls('{"city":"Oslo","days":9007199254740993.5}', '{"city":"Oslo","days":1e2}'),
      true,
    );
    expect(results()[0]?.content).toMatch(/\/days.*integer/);
    expect(run).toHaveBeenCalledExactlyOnceWith({ city: "Oslo", days: 100 }, expect.anything());
  });

  it("refuses a streamed call that was cut off, even if the rest is valid", async () => {
    const cut = '{"city":"Oslo","days":';
    const bare = await converse(betaTool(definition), calls(cut), true);
    expect(run).toHaveBeenCalledWith({ city: "Oslo" }, expect.anything());
    await bare.close();
    run.mockClear();
    const { results } = await converse(checkedTool(definition), calls(cut), true);
    expect(results()[0]?.content).toContain("Invalid JSON");
    expect(run).not.toHaveBeenCalled();
  });

  it("sends valid results as JSON, and tells the model about invalid ones", async () => {
    const outputSchema = { type: "object", properties: { degrees: { type: "number" } } };
    const degrees = vi.fn();
    const tool = checkedTool({ ...definition, outputSchema, run: degrees });
    degrees.mockResolvedValueOnce({ degrees: 21.5 }).mockResolvedValueOnce({ degrees: "warm" });
    degrees.mockResolvedValueOnce({ degrees: Number.NaN });
    const { results, requests } = await converse(
      tool,
      calls('{"city":"a"}', '{"city":"b"}', '{"city":"c"}'),
    );
    expect(results()[0]).toMatchObject({ content: '{"degrees":21.5}' });
    expect(results()[1]).toMatchObject({ is_error: true });
    expect(results()[1]?.content).toMatch(/ran, and its result does not match.*\n- .*\/degrees/);
    expect(results()[2]?.content).toMatch(/\/degrees: must be a number; it is null/);
    expect(requests[0]?.tools?.[0]).not.toHaveProperty("outputSchema");
    expect(requests[0]?.tools?.[0]).not.toHaveProperty("contract");
  });

  it("treats null as no output schema, and sends text unchanged", async () => {
    const { results } = await converse(
      checkedTool({ ...definition, outputSchema: null, run: () => "mild" }),
      calls('{"city":"a"}'),
    );
    expect(results()[0]).toMatchObject({ content: "mild" });
  });

  it("keeps a Zod tool's own parse, after the JSON Schema check", async () => {
    const inputSchema = z.object({ city: z.string().toUpperCase() });
    const tool = withValidation(
      betaZodTool({ name: "get_weather", description: "d", inputSchema, run }),
    );
    const { results } = await converse(tool, calls('{"city":1}', '{"city":"oslo"}'));
    expect(run).toHaveBeenCalledExactlyOnceWith({ city: "OSLO" }, expect.anything());
    expect(results()[0]?.content).toMatch(/\/city.*string/);
  });

  it("passes a repaired copy to the handler if repair is on", async () => {
    const receipts: unknown[] = [];
    const tool = checkedTool(definition, {
      repair: ["coerce-scalars"],
      onRepair: (receipt) => receipts.push(receipt),
    });
    for (const stream of [false, true]) {
      await (await converse(tool, calls('{"city":"Oslo","days":"3"}'), stream)).close();
    }
    expect(run.mock.calls.map(([args]) => args)).toEqual([
      { city: "Oslo", days: 3 },
      { city: "Oslo", days: 3 },
    ]);
    const patch = [{ op: "replace", path: "/days", value: 3 }];
    const receipt = { tool: "get_weather", patch, repairs: ["coerce-scalars"] };
    expect(receipts).toEqual([receipt, receipt]);
  });
});
