// `node examples/agents/run.mjs NAME`: the conversation of an example with a model that follows a
// script, and what the model got to read after its bad call and its good one.

import { isProgram } from "../is-program.mjs";
import { aiModel, anthropicModel, openAiModel } from "./models.mjs";

const BAD = { town: "Oslo", days: "2" };
const GOOD = { city: "Oslo", days: 2 };

/** By the name of the example: the texts that the model got. */
export const CONVERSATIONS = {
  async anthropic() {
    const { default: Anthropic } = await import("@anthropic-ai/sdk");
    const { ask } = await import("./anthropic.mjs");
    const model = await anthropicModel();
    const lines = [];
    try {
      const runner = ask(new Anthropic({ apiKey: "none", baseURL: model.url }));
      for await (const _ of runner) {
        const response = await runner.generateToolResponse();
        for (const { content } of response?.content ?? []) lines.push(content);
      }
    } finally {
      model.close();
    }
    return lines;
  },
  async ai() {
    const { MockLanguageModelV4 } = await import("ai/test");
    const { ask } = await import("./ai.mjs");
    const { steps } = await ask(aiModel(MockLanguageModelV4));
    const parts = steps.flatMap(({ content }) => content);
    return parts.flatMap(({ type, error, output }) => {
      if (type === "tool-error") return [String(error)];
      return type === "tool-result" ? [output] : [];
    });
  },
  async openai() {
    const { setTracingDisabled } = await import("@openai/agents");
    const { ask } = await import("./openai.mjs");
    setTracingDisabled(true);
    const { history } = await ask(openAiModel());
    const results = history.filter(({ type }) => type === "function_call_result");
    return results.map(({ output }) => (typeof output === "string" ? output : output.text));
  },
  async langchain() {
    const { getWeather } = await import("./langchain.mjs");
    const lines = [];
    for (const [i, args] of [BAD, GOOD].entries()) {
      const call = { type: "tool_call", id: `t${i}`, name: "get_weather", args };
      lines.push((await getWeather.invoke(call)).content);
    }
    return lines;
  },
  async mcp() {
    const { Client, InMemoryTransport } = await import("@modelcontextprotocol/client");
    const { careful, server } = await import("./mcp.mjs");
    const client = new Client({ name: "agent", version: "1.0.0" });
    const [here, there] = InMemoryTransport.createLinkedPair();
    await Promise.all([server.connect(there), client.connect(here)]);
    const call = (door, args) => door.callTool({ name: "get_weather", arguments: args });
    const safe = await careful(client);
    // Refused by the server, refused by the client, and taken.
    const results = [await call(client, BAD), await call(safe, BAD), await call(safe, GOOD)];
    await client.close();
    return results.map(({ content }) => content[0].text);
  },
  async functions() {
    const { answer } = await import("./functions.mjs");
    return [await answer(BAD), await answer(GOOD)];
  },
};

if (isProgram(import.meta.url)) {
  const name = process.argv[2] ?? "";
  if (Object.hasOwn(CONVERSATIONS, name)) {
    for (const text of await CONVERSATIONS[name]()) console.log(`${text}\n`);
  } else {
    console.error(`Name an example: ${Object.keys(CONVERSATIONS).join(", ")}`);
    process.exitCode = 2;
  }
}
