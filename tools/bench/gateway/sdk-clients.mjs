// Clients of the official SDK, used as an agent does: tools are listed first, and structured results are checked
// against the declared schemas.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { callArguments } from "./tools.mjs";

/** The calls to the benchmark's own servers, and the results to expect. */
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

/** Uses the streams of a process that already runs; only the SDK's transport for servers accepts those. */
export const sdkStdioClient = (child, calls) =>
  clientOver(new StdioServerTransport(child.stdout, child.stdin), calls);

// If all requests of a client shared one signal, it would collect a listener for each.
const fetchAlone = (url, init) => fetch(url, { ...init, signal: undefined });

export const sdkHttpClient = (url) =>
  clientOver(new StreamableHTTPClientTransport(new URL(url), { fetch: fetchAlone }));
