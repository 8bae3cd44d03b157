import { mcpServer, serveStdio } from "@touchstone/gateway/mcp-server";
import { EXIT_OK } from "../io/exit.ts";
import { type ProcessIo, stopSignal } from "../io/process-io.ts";
import { PROMPTS } from "./prompts.ts";
import { type McpOptions, offeredTools } from "./tools.ts";

const INSTRUCTIONS =
  "Touchstone checks MCP servers and calls of their tools. Use check_server and lint_tools while you write a server, compare_lock before a release, validate_value before a call, and explain_call after a blocked one.";

/** Serves the tools of Touchstone on the process's streams until the client disconnects. */
export async function runMcp(
  options: McpOptions,
  io: ProcessIo & { readonly version: string },
): Promise<void> {
  const server = mcpServer({
    introduction: {
      capabilities: { tools: {}, prompts: {} },
      serverInfo: { name: "touchstone", title: "Touchstone", version: io.version },
      instructions: INSTRUCTIONS,
    },
    tools: offeredTools(options, io),
    prompts: PROMPTS,
  });
  const signal = stopSignal(io);
  await serveStdio(server, { input: io.stdin, output: io.stdoutStream, signal });
  io.exit(EXIT_OK);
}
