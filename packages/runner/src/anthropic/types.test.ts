import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import type {
  BetaRunnableTool,
  BetaToolRunContext,
} from "@anthropic-ai/sdk/lib/tools/BetaRunnableTool";
import { ToolError } from "@anthropic-ai/sdk/lib/tools/ToolError";
import type { BetaTextBlockParam } from "@anthropic-ai/sdk/resources/beta";
import { describe, expect, expectTypeOf, it } from "vitest";
import { checkedTool, withValidation } from "./index.ts";

const inputSchema = { type: "object", properties: { city: { type: "string" } } } as const;
const base = { name: "a", inputSchema };
const text = (value: string): BetaTextBlockParam => ({ type: "text", text: value });

/** The compiler is the test: everything passed here must have the SDK's type of a tool. */
const runnable = ({ name }: BetaRunnableTool): string => name;

describe("the types of checkedTool", () => {
  it("match the SDK's tools with every member", () => {
    for (const name of [
      runnable(
        checkedTool(
          {
            name: "a",
            description: "d",
            inputSchema,
            strict: true,
            defer_loading: true,
            eager_input_streaming: null,
            cache_control: { type: "ephemeral", ttl: "1h" },
            allowed_callers: ["direct", "code_execution_20260120"],
            input_examples: [{ city: "Oslo", days: [1, 2] }],
            run: () => "x",
            close: async () => {},
          },
          { ToolError },
        ),
      ),
      runnable(checkedTool({ ...base, cache_control: null, run: () => undefined })),
      runnable(
        checkedTool({
          ...base,
          run: async ({ city }: { city: string }, context?: BetaToolRunContext) =>
            `${city} ${context?.toolUse.id}`,
        }),
      ),
      runnable(
        withValidation(
          betaTool({ ...base, description: "d", allowed_callers: ["direct"], run: () => "x" }),
        ),
      ),
    ]) {
      expect(name).toBe("a");
    }
    const definition = {
      ...base,
      allowed_callers: ["direct"],
      cache_control: { type: "ephemeral" },
      run: () => "x",
    } as const;
    expect(runnable(checkedTool(definition))).toBe("a");
    // @ts-expect-error the API has no such caller
    runnable(checkedTool({ ...base, allowed_callers: ["nobody"], run: () => "x" }));
    // @ts-expect-error the API has no such cache
    runnable(checkedTool({ ...base, cache_control: { type: "eternal" }, run: () => "x" }));
  });

  it("match every kind of content of the SDK", () => {
    const source = { type: "base64", media_type: "image/png", data: "" } as const;
    runnable(checkedTool({ ...base, run: () => [{ type: "text", text: "x" }] }));
    runnable(checkedTool({ ...base, run: async () => [{ type: "image", source }] }));
    runnable(checkedTool({ ...base, run: (): readonly BetaTextBlockParam[] => [text("x")] }));
    runnable(checkedTool({ ...base, run: async ({ city }) => (city === "x" ? "x" : [text("x")]) }));
    runnable(
      checkedTool({
        ...base,
        run: () => [
          text("x"),
          {
            type: "search_result",
            source: "s",
            title: "t",
            content: [{ type: "text", text: "x" }],
          },
          { type: "tool_reference", tool_name: "b" },
        ],
      }),
    );
    // @ts-expect-error the API has no such block
    runnable(checkedTool({ ...base, run: () => [{ type: "nonsense" }] }));
  });

  it("describe what the model receives", () => {
    const blocks = checkedTool({ ...base, run: async () => [text("x")] });
    expectTypeOf(blocks.run).returns.resolves.toExtend<BetaTextBlockParam[]>();
    const either = checkedTool({ ...base, run: ({ a }) => (a === 1 ? "x" : [text("x")]) });
    expectTypeOf(either.run).returns.resolves.toExtend<string | BetaTextBlockParam[]>();
    expectTypeOf(either.run).returns.resolves.not.toEqualTypeOf<string>();
    for (const tool of [
      checkedTool({ ...base, run: () => ({ degrees: 21 }) }),
      checkedTool({ ...base, run: async () => [1, 2] }),
      checkedTool({ ...base, outputSchema: { type: "array" }, run: () => [text("x")] }),
    ]) {
      expectTypeOf(tool.run).returns.resolves.toEqualTypeOf<string>();
    }
    const none = checkedTool({ ...base, outputSchema: null, run: () => [text("x")] });
    expectTypeOf(none.run).returns.resolves.toExtend<BetaTextBlockParam[]>();
    const given: unknown = undefined;
    const perhaps = checkedTool({ ...base, outputSchema: given, run: () => [text("x")] });
    expectTypeOf(perhaps.run).returns.resolves.toExtend<string | BetaTextBlockParam[]>();
    expectTypeOf(perhaps.run).returns.resolves.not.toExtend<string>();
  });

  it("keep a definition's members, but drop the schemas", () => {
    const tool = checkedTool({ ...base, strict: true, outputSchema: {}, run: () => 1 });
    expectTypeOf(tool.strict).toEqualTypeOf<true>();
    expectTypeOf(tool).not.toHaveProperty("outputSchema");
    expectTypeOf(tool).not.toHaveProperty("inputSchema");
    expect(tool).toMatchObject({ strict: true });
  });

  it("accept an explicit type for arguments", () => {
    const tool = checkedTool<{ city: string }>({ ...base, run: ({ city }) => city });
    expectTypeOf(tool.parse).returns.toEqualTypeOf<{ city: string }>();
    expect(runnable(tool)).toBe("a");
  });

  it("send a list that is not content as JSON text", async () => {
    const sent = async (run: () => unknown): Promise<unknown> =>
      checkedTool({ ...base, run }).run({ city: "x" });
    expect(await sent(() => [1, 2])).toBe("[1,2]");
    expect(await sent(() => [text("x"), { degrees: 21 }])).toBe(
      '[{"type":"text","text":"x"},{"degrees":21}]',
    );
    expect(await sent(() => [text("x")])).toEqual([text("x")]);
    expect(await sent(() => [])).toEqual([]);
  });
});
