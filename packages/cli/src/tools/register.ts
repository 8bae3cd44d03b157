import type { Command } from "commander";
import type { ProcessIo } from "../io/process-io.ts";
import { addCommonOptions, addHeaderOptions, parseSeconds } from "../options/common-options.ts";
import { addOutput } from "../options/output-option.ts";
import type { ToolsOptions } from "./run-tools.ts";
import { serverOnlyFlags } from "./typed-for-server.ts";

const EXAMPLES = `
Examples:
  $ touchstone tools -- npx -y @modelcontextprotocol/server-everything
  $ touchstone tools https://example.com/mcp
  $ touchstone tools --config touchstone.json files read_text_file
  $ touchstone tools --servers ~/.cursor/mcp.json
  $ touchstone tools https://example.com/mcp -o json > tools-list.json

With a tool's name it describes that tool; without a server it lists the tools of every enabled
server of the configuration. json is what check and lint read.

Exit status: 0 done; 2 wrong usage, no such tool, or no tools in the file; 3 a server does not
answer, or the file cannot be read.`;

/** Adds `touchstone tools`. Its modules are loaded only when it runs. */
export function registerTools(
  program: Command,
  io: ProcessIo & { readonly version: string; readonly args: readonly string[] },
): void {
  const command = program
    .command("tools")
    .summary("list a server's tools, or describe one")
    .description("Lists the tools that a server declares, or describes one of them.")
    .usage(
      "[options] [server, URL or file] [tool]\n       touchstone tools [options] [tool] -- <command> [args...]",
    )
    .argument("[server and tool...]")
    .option("--servers <file>", "use the servers in a client's file")
    .option("--timeout <seconds>", "for each response of a server", parseSeconds, 30)
    .addHelpText("after", EXAMPLES);
  addOutput(command, ["table", "wide", "json", "jsonl", "yaml"]);
  addCommonOptions(addHeaderOptions(command)).action(
    async (words: readonly string[], options: ToolsOptions) => {
      const { runTools } = await import("./run-tools.ts");
      await runTools(words, { ...options, forServer: serverOnlyFlags(command) }, io);
    },
  );
}
