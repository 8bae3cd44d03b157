import type { Turn } from "./anthropic-model.ts";

type Prompt = readonly { readonly role: string; readonly content: unknown }[];

/** A model of the AI SDK (specification v4) that follows a script, and the prompts that it received. */
export function aiScript(turns: readonly Turn[]): {
  readonly prompts: Prompt[];
  readonly doGenerate: (options: { readonly prompt: unknown }) => Promise<never>;
} {
  const prompts: Prompt[] = [];
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  const doGenerate = async ({ prompt }: { readonly prompt: unknown }): Promise<never> => {
    const turn = turns[prompts.length] ?? "I am lost.";
    const toolCallId = `call_${prompts.length}`;
    prompts.push(prompt as Prompt);
    const isText = typeof turn === "string";
    const part = isText
      ? { type: "text", text: turn }
      : { type: "tool-call", toolCallId, toolName: turn.tool, input: turn.input };
    const unified = isText ? "stop" : "tool-calls";
    return {
      content: [part],
      finishReason: { unified, raw: unified },
      usage,
      warnings: [],
    } as never;
  };
  return { prompts, doGenerate };
}

/** A model of the OpenAI Agents SDK that follows a script, and the inputs that it received. */
export function openAiScript(turns: readonly Turn[]): {
  readonly inputs: unknown[];
  readonly getResponse: (request: { readonly input: unknown }) => Promise<never>;
  readonly getStreamedResponse: () => never;
} {
  const inputs: unknown[] = [];
  return {
    inputs,
    getResponse: async ({ input }) => {
      const turn = turns[inputs.length] ?? "I am lost.";
      const callId = `call_${inputs.length}`;
      inputs.push(input);
      const item =
        typeof turn === "string"
          ? {
              type: "message",
              role: "assistant",
              status: "completed",
              content: [{ type: "output_text", text: turn }],
            }
          : {
              type: "function_call",
              callId,
              name: turn.tool,
              arguments: turn.input,
              status: "completed",
            };
      const details = { inputTokensDetails: [], outputTokensDetails: [] };
      const usage = { requests: 1, inputTokens: 1, outputTokens: 1, totalTokens: 2, ...details };
      return { usage, output: [item], responseId: callId } as never;
    },
    getStreamedResponse: () => {
      throw new Error("the script does not stream");
    },
  };
}
