import type { Command } from "commander";
import type { ProcessIo } from "../io/process-io.ts";
import { addCommonOptions, addHeaderOptions, parseSeconds } from "../options/common-options.ts";
import { addFindingOptions, addReports } from "../options/output-option.ts";
import { serverOnlyFlags } from "../tools/typed-for-server.ts";
import type { ToolCheckOptions } from "./run-check.ts";

const EXAMPLES = `
Examples:
  $ touchstone check -- npx -y @modelcontextprotocol/server-everything
  $ touchstone check https://example.com/mcp -o sarif > check.sarif
  $ touchstone check https://example.com/mcp --header-env Authorization=AUTHORIZATION
  $ touchstone check --servers ~/.cursor/mcp.json files
  $ touchstone check tools-list.json --fail-on error
  $ touchstone check tools-list.json --revision 2025-11-25
  $ touchstone check tools-list.json --adapt claude-code,gemini

Exit status: 0 clean; 1 findings of the level of --fail-on or above; 2 wrong usage, or no tools in
the file; 3 the server does not answer, or the file cannot be read.`;

/** Adds `touchstone check`. Its modules are loaded only when it runs. */
export function registerCheck(
  program: Command,
  io: ProcessIo & { readonly version: string; readonly args: readonly string[] },
): void {
  const command = program
    .command("check")
    .summary("check every tool that a server declares")
    .description(
      "Connects to a server, or reads a captured tools/list, and checks each tool: names, " +
        "descriptions, schemas, references, patterns, sizes. The server is a URL, a name in the " +
        "configuration, or a command after --; a file named - is standard input.",
    )
    .usage("[options] <server or file>\n       touchstone check [options] -- <command> [args...]")
    .argument("<server or file...>")
    .option("--servers <file>", "use the servers in a client's file")
    .option(
      "--adapt <clients>",
      "also show what adapt changes for these clients and providers, comma-separated",
    )
    .option("--revision <version>", "check a file by this MCP revision, such as 2025-11-25")
    .option("--timeout <seconds>", "for each response of the server", parseSeconds, 30)
    .addHelpText("after", EXAMPLES);
  addReports(addFindingOptions(command, "warning"));
  addCommonOptions(addHeaderOptions(command)).action(
    async (words: readonly string[], options: ToolCheckOptions) => {
      const { runCheck } = await import("./run-check.ts");
      await runCheck(words, { ...options, forServer: serverOnlyFlags(command) }, io);
    },
  );
}
