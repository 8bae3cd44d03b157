// Models that follow a script, so that the examples run without a key: a first call with bad arguments,
// a second with good ones, then a text.
import { createServer } from "node:http";

const CALLS = ['{"town":"Oslo","days":"2"}', '{"city":"Oslo","days":2}'];

/** A local server that plays the Messages API of Anthropic. */
export async function anthropicModel() {
  let turn = 0;
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      const input = CALLS[turn];
      const content =
        input === undefined
          ? [{ type: "text", text: "Done." }]
          : [{ type: "tool_use", id: `t${turn}`, name: "get_weather", input: JSON.parse(input) }];
      const stop_reason = input === undefined ? "end_turn" : "tool_use";
      const usage = { input_tokens: 1, output_tokens: 1 };
      const message = { id: `m${turn}`, type: "message", role: "assistant", model: "scripted" };
      turn += 1;
      response.writeHead(200, { "content-type": "application/json", connection: "close" });
      response.end(JSON.stringify({ ...message, content, stop_reason, usage }));
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

/** A language model of the AI SDK. */
export function aiModel(MockLanguageModel) {
  let turn = 0;
  const doGenerate = async () => {
    const input = CALLS[turn];
    turn += 1;
    const part =
      input === undefined
        ? { type: "text", text: "Done." }
        : { type: "tool-call", toolCallId: `t${turn}`, toolName: "get_weather", input };
    const unified = input === undefined ? "stop" : "tool-calls";
    const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
    return { content: [part], finishReason: { unified, raw: unified }, usage, warnings: [] };
  };
  return new MockLanguageModel({ doGenerate });
}

/** A model of OpenAI Agents. */
export function openAiModel() {
  let turn = 0;
  return {
    async getResponse() {
      const input = CALLS[turn];
      turn += 1;
      const status = "completed";
      const content = [{ type: "output_text", text: "Done." }];
      const item =
        input === undefined
          ? { type: "message", role: "assistant", status, content }
          : {
              type: "function_call",
              callId: `t${turn}`,
              name: "get_weather",
              arguments: input,
              status,
            };
      const details = { inputTokensDetails: [], outputTokensDetails: [] };
      const usage = { requests: 1, inputTokens: 1, outputTokens: 1, totalTokens: 2, ...details };
      return { usage, output: [item], responseId: `r${turn}` };
    },
  };
}
