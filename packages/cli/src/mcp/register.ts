import type { Command } from "commander";
import type { ProcessIo } from "../io/process-io.ts";
import { addCommonOptions, parseSeconds } from "../options/common-options.ts";
import type { McpOptions } from "./tools.ts";

const EXAMPLES = `
Examples:
  $ touchstone mcp
  $ touchstone mcp --allow-commands --servers ~/.cursor/mcp.json

In a client's configuration:
  "touchstone": { "command": "touchstone", "args": ["mcp"] }

Tools read files inside of the directory in which the command runs only, and reach any URL.

Exit status: 0 the client has left; 2 wrong usage.`;

/** Adds `touchstone mcp`. Its modules are loaded only when it runs. */
export function registerMcp(program: Command, io: ProcessIo & { readonly version: string }): void {
  const command = program
    .command("mcp")
    .summary("offer checks of servers and calls to agents, as an MCP server")
    .description(
      "Serves tools over stdio: check_server, lint_tools, compare_lock, explain_call and validate_value, and prompts " +
        "that use them.",
    )
    .option("--allow-commands", "let tools start servers: commands, and servers of a configuration")
    .option("--servers <file>", "use the servers in a client's file")
    .option("--timeout <seconds>", "for each response of a server", parseSeconds, 30)
    .addHelpText("after", EXAMPLES);
  addCommonOptions(command).action(async (options: McpOptions) => {
    const { runMcp } = await import("./run-mcp.ts");
    await runMcp(options, io);
  });
}
