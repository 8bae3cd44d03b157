import { createMCPClient } from "@ai-sdk/mcp";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { Agent, MCPServerStreamableHttp, run, setTracingDisabled } from "@openai/agents";
import { generateText, stepCountIs } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "../packages/gateway/src/testing/gateway.ts";
import {
  type HttpUpstreamServer,
  startHttpUpstream,
} from "../packages/gateway/src/testing/http.ts";
import { lintFor } from "../packages/protocol/src/tool-checks/lint/index.ts";
import { aiScript, openAiScript } from "../packages/runner/src/testing/scripted-models.ts";

/** A tool as a library offers it to a model, with the parameters that a request would contain. */
interface Offered {
  readonly name: string;
  readonly inputSchema: unknown;
}
/** What a model was offered, and the result of each of its calls. */
interface Conversation {
  readonly offered: readonly Offered[];
  readonly results: readonly string[];
}
/** Runs a conversation in which a scripted model calls a tool with each of these arguments. */
type Library = (url: string, name: string, inputs: readonly object[]) => Promise<Conversation>;

const unescapedJson = (value: unknown): string => JSON.stringify(value).replaceAll('\\"', '"');

/** `generateText` of the AI SDK with the tools of its MCP client. */
const aiSdk: Library = async (url, name, inputs) => {
  const client = await createMCPClient({ transport: { type: "http", url } });
  try {
    const calls = inputs.map((input) => ({ tool: name, input: JSON.stringify(input) }));
    const script = aiScript([...calls, "Done."]);
    let offered: readonly Offered[] = [];
    const model = new MockLanguageModelV4({
      doGenerate: (options) => {
        offered = (options.tools ?? []) as unknown as readonly Offered[];
        return script.doGenerate(options);
      },
    });
    const tools = (await client.tools()) as Parameters<typeof generateText>[0]["tools"];
    await generateText({
      model,
      prompt: "Search.",
      stopWhen: stepCountIs(inputs.length + 1),
      ...(tools === undefined ? {} : { tools }),
    });
    const results = (script.prompts.at(-1) ?? []).filter(({ role }) => role === "tool");
    return { offered, results: results.map(({ content }) => unescapedJson(content)) };
  } finally {
    await client.close();
  }
};

/** `run` of OpenAI Agents with an MCP server, whose schemas it converts if they are for OpenAI's strict mode. */
const openAiAgents: Library = async (url, name, inputs) => {
  setTracingDisabled(true);
  const server = new MCPServerStreamableHttp({ url, name: "server" });
  await server.connect();
  try {
    const calls = inputs.map((input) => ({ tool: name, input: JSON.stringify(input) }));
    const script = openAiScript([...calls, "Done."]);
    let offered: readonly Offered[] = [];
    const model = {
      ...script,
      getResponse: (request: { input: unknown; tools: readonly Record<string, unknown>[] }) => {
        offered = request.tools.map(({ name, parameters }) => ({
          name: String(name),
          inputSchema: parameters,
        }));
        return script.getResponse(request);
      },
    };
    const mcpConfig = { convertSchemasToStrict: url.endsWith("strict") };
    const agent = new Agent({ name: "a", model: model as never, mcpServers: [server], mcpConfig });
    await run(agent, "Search.", { maxTurns: inputs.length + 1 });
    const items = (script.inputs.at(-1) ?? []) as { type: string; output?: unknown }[];
    const results = items.filter(({ type }) => type === "function_call_result");
    return { offered, results: results.map(({ output }) => unescapedJson(output)) };
  } finally {
    await server.close();
  }
};

/** The tools of LangChain's MCP adapters, as LangChain offers them to OpenAI's models. */
const langChain: Library = async (url, name, inputs) => {
  const client = new MultiServerMCPClient({ mcpServers: { server: { transport: "http", url } } });
  try {
    const tools = await client.getTools();
    const offered = tools.map((tool) => {
      const { function: made } = convertToOpenAITool(tool as never);
      return { name: made.name, inputSchema: made.parameters };
    });
    const tool = tools.find((each) => each.name === name);
    if (tool === undefined) throw new Error(`the tool ${name} is missing`);
    const results: string[] = [];
    for (const input of inputs) {
      const result = await tool.invoke(input as never).catch((error: Error) => error.message);
      results.push(unescapedJson(result));
    }
    return { offered, results };
  } finally {
    await client.close();
  }
};

const SEARCH = {
  type: "object",
  properties: {
    q: { type: "string", minLength: 1 },
    limit: { $ref: "#/$defs/limit", description: "The most results." },
    sort: { type: "string", enum: ["up", "down"] },
  },
  required: ["q"],
  dependentRequired: { sort: ["limit"] },
  $defs: { limit: { type: "integer", minimum: 1 } },
};
const TOOLS = [
  // Clients that read tools by MCP's own types refuse the whole list because of the title.
  { name: "search", title: null, description: "Searches.", inputSchema: SEARCH },
  { name: "files/read all", description: "Reads.", inputSchema: { type: "object" } },
  { name: "bare", description: "Has no schema." },
];

let upstream: HttpUpstreamServer;
let touchstone: TestGateway;
let calls: unknown[] = [];

beforeAll(async () => {
  upstream = await startHttpUpstream(({ body }, response) => {
    const { id, method, params } = JSON.parse(body || "{}");
    if (id === undefined) return void response.writeHead(202).end();
    if (method === "tools/call") calls.push(params.arguments);
    const { protocolVersion } = params ?? {};
    const results: Readonly<Record<string, object>> = {
      initialize: {
        protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "s", version: "1" },
      },
      "tools/list": { tools: TOOLS },
      "tools/call": { content: [{ type: "text", text: `found by ${params?.name}` }] },
    };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result: results[method] ?? {} }));
  });
  const entry = (provider: string): object => ({
    url: upstream.url,
    touchstone: {
      input_validation: { mode: "strict" },
      adapt: {
        for: [provider],
        unusable_tools: "leave_out",
        names: { max: 64, prefix_length: 0 },
      },
    },
  });
  touchstone = await startTestGateway({
    mcpServers: {
      plain: { url: upstream.url },
      "openai-strict": entry("openai-strict"),
      "gemini-openapi": entry("gemini-openapi"),
    },
  });
});
afterAll(async () => {
  await touchstone.close();
  await upstream.close();
});
beforeEach(() => {
  calls = [];
});

/** Members that these libraries add to the top level of all parameters. The AI SDK omits them again for Google. */
const CLOSED = "/inputSchema/additionalProperties";

describe.each([
  ["the AI SDK", aiSdk, [CLOSED]],
  ["OpenAI Agents", openAiAgents, [CLOSED]],
  ["LangChain", langChain, []],
] as const)("%s", (_, converse, adds: readonly string[]) => {
  it("refuses the list of the server itself, for one title and one missing schema", async () => {
    await expect(converse(touchstone.url("plain"), "search", [])).rejects.toThrow();
  });

  it.each(["openai-strict", "gemini-openapi"] as const)(
    "offers tools as %s takes them, and their calls are checked by the server's own schemas",
    async (provider) => {
      const left = provider === "openai-strict" ? { limit: null, sort: null } : {};
      const { offered, results } = await converse(touchstone.url(provider), "search", [
        { q: "ab", ...left },
        { q: "ab", limit: 3, sort: "up" },
        // Only the server's schema has the condition on `sort`.
        { q: "ab", ...left, sort: "up" },
      ]);
      expect(offered.map(({ name }) => name)).toEqual([
        "search",
        expect.stringMatching(/^[A-Za-z0-9_-]+$/),
        "bare",
      ]);
      const refused = lintFor(offered, [provider]).filter(
        ({ severity, path }) => severity === "error" && !adds.includes(path),
      );
      expect(refused).toEqual([]);
      expect(calls).toEqual([{ q: "ab" }, { q: "ab", limit: 3, sort: "up" }]);
      expect(results).toEqual([
        expect.stringContaining("found by search"),
        expect.stringContaining("found by search"),
        expect.stringMatching(/blocked before it reached the server.*\/limit/),
      ]);
    },
  );

  it("calls a renamed tool, which the server gets under its own name", async () => {
    const url = touchstone.url("openai-strict");
    const { offered } = await converse(url, "search", []);
    const { results } = await converse(url, offered[1]?.name ?? "", [{}]);
    expect(results).toEqual([expect.stringContaining("found by files/read all")]);
  });
});
