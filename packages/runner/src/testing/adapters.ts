import { runRunnableTool } from "@anthropic-ai/sdk/lib/tools/BetaRunnableTool";
import { ToolError } from "@anthropic-ai/sdk/lib/tools/ToolError";
import { checkedSchema } from "../ai/index.ts";
import { checkedTool as anthropicTool } from "../anthropic/index.ts";
import { checked } from "../index.ts";
import { withValidation as langChainTool } from "../langchain/index.ts";
import { checkedTools } from "../mcp/index.ts";
import { inputGuardrail, withValidation as openAiTool } from "../openai/index.ts";

/** A call of the tool `tool` through an adapter. */
export interface BadCallOf {
  readonly schema: object;
  readonly args: unknown;
}

/** Calls a tool through an adapter. Returns the text that the model sees, or what the handler returned. */
export type Door = (call: BadCallOf, handler: () => string) => Promise<string>;

const wording = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** Every adapter, by its name. Adapters that do not need their SDK run without it. */
export const DOORS: Readonly<Record<string, Door>> = {
  functions: async ({ schema, args }, handler) => {
    try {
      return checked((_: unknown) => handler(), { input: schema, name: "tool" })(args);
    } catch (error) {
      return wording(error);
    }
  },
  anthropic: async ({ schema, args }, handler) => {
    const definition = { name: "tool", inputSchema: schema, run: handler };
    const tool = anthropicTool(definition, { ToolError });
    const { content } = await runRunnableTool(tool as never, args, {} as never);
    return String(content);
  },
  ai: async ({ schema, args }, handler) => {
    const jsonSchema = (_: never, options: { validate: (value: unknown) => object }) => options;
    const { validate } = checkedSchema({ jsonSchema: jsonSchema as never }, schema, {
      name: "tool",
    }) as { validate: (value: unknown) => { success: boolean; error?: Error } };
    const result = validate(args);
    return result.success ? handler() : wording(result.error);
  },
  openai: async ({ schema, args }, handler) => {
    const tool = { name: "tool", parameters: schema, invoke: async () => handler() };
    return String(await openAiTool(tool).invoke(...([{}, JSON.stringify(args)] as never as [])));
  },
  "openai guardrail": async ({ schema, args }, handler) => {
    const guardrail = inputGuardrail(schema, { name: "tool" });
    const { behavior } = await guardrail.run({ toolCall: { arguments: JSON.stringify(args) } });
    return behavior.type === "allow" ? handler() : behavior.message;
  },
  langchain: async ({ schema, args }, handler) => {
    const tool = langChainTool({ name: "tool", schema, call: async () => handler() });
    return (tool.call as (args: unknown) => Promise<string>)(args).catch(wording);
  },
  mcp: async ({ schema, args }, handler) => {
    const text = async () => ({ content: [{ text: handler() }] });
    const { call } = checkedTools<unknown, { content: { text: string }[] }>([
      { name: "tool", inputSchema: schema, handler: text },
    ]);
    const { content } = await call({ name: "tool", arguments: args as never }, undefined);
    return content.map((block) => block.text).join("\n");
  },
};
