import type { Command } from "commander";
import type { ProcessIo } from "../io/process-io.ts";
import { addCommonOptions, addHeaderOptions, parseSeconds } from "../options/common-options.ts";
import { addOutput } from "../options/output-option.ts";
import { RepeatableOption } from "../options/repeated-options.ts";
import { repairOption } from "../repair/repair-option.ts";
import type { CallOptions } from "./run-call.ts";

const EXAMPLES = `
Examples:
  $ touchstone call https://example.com/mcp
  $ touchstone call https://example.com/mcp search -a query=weather -a limit=5
  $ touchstone call echo -a message=hi -- npx -y @modelcontextprotocol/server-everything
  $ touchstone call --config touchstone.json files read_text_file '{"path":"notes.txt"}'
  $ touchstone call https://example.com/mcp search '{"limit":"5"}' --repair
  $ touchstone call https://example.com/mcp search @query.json
  $ echo '{"message":"hi"}' | touchstone call echo - -- npx -y @modelcontextprotocol/server-everything

-a takes the type of a value from the schema: numbers keep their digits, a key that is given again
makes an array, a.b=1 is a member of the object a, and any value may be JSON.

--repair reports on stderr what it fixed. Arguments that cannot be fixed as a whole stay as they are.

Exit status: 0 the tool responded, and its schemas hold; 1 the arguments or the result break the
tool's schemas, the result breaks the protocol, or the tool or its server reports an error; 2 wrong
usage; 3 the server could not be reached, or did not respond.`;

/** Adds `touchstone call`. Its modules are loaded only when it runs. */
export function registerCall(
  program: Command,
  io: ProcessIo & { readonly version: string; readonly args: readonly string[] },
): void {
  const command = program
    .command("call")
    .summary("call one tool, with its arguments and its result checked")
    .description(
      "Connects to a server, checks the arguments against the tool's input schema, calls the tool " +
        "and checks what it returns. The server is a URL, a name in the configuration, or a command " +
        "after --; the arguments are -a key=value each, or JSON, @FILE, or - for standard input. " +
        "Without a tool it lists the tools.",
    )
    .usage(
      "[options] <server> [tool] [arguments]\n       touchstone call [options] [tool] [arguments] -- <command> [args...]",
    )
    .argument("<server and tool...>")
    .addOption(
      new RepeatableOption(
        "-a, --argument <key=value>",
        "one argument, typed by the tool's schema (repeatable)",
      ).argParser((text: string, before: readonly string[] = []) => [...before, text]),
    )
    .option("--servers <file>", "use the servers in a client's file")
    .option("--timeout <seconds>", "for each response of the server", parseSeconds, 60)
    .addOption(repairOption("fix arguments that do not match the schema"))
    .option("--unchecked", "send the arguments even if they fail the check")
    .addHelpText("after", EXAMPLES);
  addOutput(command, ["pretty", "json"]);
  addCommonOptions(addHeaderOptions(command)).action(
    async (words: readonly string[], options: CallOptions) => {
      const { runCall } = await import("./run-call.ts");
      await runCall(words, options, io);
    },
  );
}
