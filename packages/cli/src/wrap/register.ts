import { type Command, InvalidArgumentError, Option } from "commander";
import type { ProcessIo } from "../io/process-io.ts";
import {
  addCheckingOptions,
  addCommonOptions,
  addHeaderOptions,
  addLogFormat,
  parseReportFile,
} from "../options/common-options.ts";
import type { WrapCommandOptions } from "./run-wrap.ts";
import { isWrapName } from "./wrap-name.ts";

const EXAMPLES = `
Examples:
  $ touchstone wrap -- npx -y @modelcontextprotocol/server-everything
  $ touchstone wrap --mode strict --name files -- npx -y @modelcontextprotocol/server-filesystem ~/notes
  $ touchstone wrap --capture session.jsonl -- npx -y @modelcontextprotocol/server-everything
  $ touchstone wrap --url https://example.com/mcp --header "Authorization=Bearer $TOKEN"
  $ touchstone wrap --url https://example.com/mcp --header-env Authorization=AUTHORIZATION

In a client's configuration (touchstone install does it for you), put "wrap -- " in front of a server's command:
  "files": { "command": "touchstone", "args": ["wrap", "--", "npx", "-y", "…"] }

Exit status: the server's own; 2 wrong usage; 3 the server could not be started or the records
could not be written; 128 + n when signal n ended the server.`;

/** Adds `touchstone wrap`. Its modules are loaded only when it runs. */
export function registerWrap(program: Command, io: ProcessIo): void {
  const command = addWrapOptions(program.command("wrap"))
    .summary("serve one MCP server over stdio, with every tool call checked")
    .description(
      "Starts a command as an MCP server, or connects to one by URL, and acts as a stdio MCP server in " +
        "front of it: it forwards every message byte for byte and checks tool calls on the way.",
    )
    .addHelpText("after", EXAMPLES);
  command.action(
    async (server: string | undefined, args: string[], options: WrapCommandOptions) => {
      const { runWrap } = await import("./run-wrap.ts");
      await runWrap(server, args, options, io);
    },
  );
}

/** Adds the arguments and options of `touchstone wrap`, also for whoever reads them in a client's file. */
export function addWrapOptions(command: Command): Command {
  command
    .argument("[command]", "the server's command")
    .argument("[args...]", "its arguments")
    .passThroughOptions()
    .option("--url <url>", "a Streamable HTTP server, instead of a command")
    .addOption(new Option("--installed <note>", "left by install for uninstall").hideHelp())
    .option("--name <name>", "the server's name in the records (default: from the command)", named)
    .option("--caller <name>", "who calls: the name in records, metrics and spans", named)
    .option(
      "--capture <file>",
      "append frames to this file, with known secrets redacted, for replay",
      parseReportFile,
    );
  return addLogFormat(addCommonOptions(addCheckingOptions(addHeaderOptions(command))));
}

function named(text: string): string {
  if (!isWrapName(text)) throw new InvalidArgumentError("It must not be empty.");
  return text;
}
