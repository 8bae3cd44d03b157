// Clients of the official SDK, as an agent has them: tools are listed first, structured results are
// checked against what the list declares.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { callArguments } from "./tools.mjs";

/** What the benchmark's own servers are asked, and what has to come. */
const ECHO = {
  requestOf: (id, tool) => ({ name: tool, arguments: callArguments(id) }),
  isAnswer: ({ structuredContent }, id) => structuredContent?.echo === `call ${id}`,
};

function clientOver(transport, { requestOf, isAnswer } = ECHO) {
  const client = new Client({ name: "bench", version: "1.0.0" });
  return {
    async call(id, tool) {
      const result = await client.callTool(requestOf(id, tool));
      if (isAnswer(result, id, tool)) return;
      const text = JSON.stringify(result).slice(0, 300);
      throw new Error(`call ${id} of ${tool} got another answer: ${text}`);
    },
    async open() {
      await client.connect(transport);
      await client.listTools();
    },
    close: () => client.close(),
  };
}

/** On the streams of a process that runs already; only the SDK's transport for servers takes those. */
export const sdkStdioClient = (child, calls) =>
  clientOver(new StdioServerTransport(child.stdout, child.stdin), calls);

// One signal for all requests of a client would gather a listener of each.
const fetchAlone = (url, init) => fetch(url, { ...init, signal: undefined });

export const sdkHttpClient = (url) =>
  clientOver(new StreamableHTTPClientTransport(new URL(url), { fetch: fetchAlone }));
