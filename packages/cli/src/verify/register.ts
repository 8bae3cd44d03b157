import { type Command, InvalidArgumentError, Option } from "commander";
import { LEVELS } from "../findings/finding.ts";
import type { ProcessIo } from "../io/process-io.ts";
import { addCommonOptions, addHeaderOptions, parseSeconds } from "../options/common-options.ts";
import { addReports } from "../options/output-option.ts";
import { listOption, RepeatableOption } from "../options/repeated-options.ts";
import type { VerifyOptions } from "./run-verify.ts";

const EXAMPLES = `
Examples:
  $ touchstone wrap --capture session.jsonl -- npx -y @modelcontextprotocol/server-everything
  $ touchstone verify session.jsonl -- npx -y @modelcontextprotocol/server-everything
  $ touchstone verify session.jsonl https://example.com/mcp -o junit > verify.xml
  $ touchstone verify session.jsonl --tools search --exact /structuredContent/total -- node server.js

A tool that has no readOnlyHint is called only if --tools names it: a call may change something.

Exit status: 0 no call ends differently than before, by --fail-on; 1 one does; 2 wrong usage, or no capture; 3 the
server does not answer, a file cannot be read or written, no call was repeated, or nothing was found and
not every result could be checked or the server ended before all calls were repeated.`;

/** Adds `touchstone verify`. Its modules are loaded only when it runs. */
export function registerVerify(
  program: Command,
  io: ProcessIo & { readonly version: string; readonly args: readonly string[] },
): void {
  const command = program
    .command("verify")
    .summary("repeat recorded calls, and report what a server does differently")
    .description(
      "Repeats calls in a file that wrap or serve --capture wrote, of tools that declare in the capture and now that " +
        "they only read, and compares: whether a call is accepted, whether the result matches the output schema, " +
        "types and names of what is in results, and values where --exact asks for them. What differs is called a second " +
        "time, and counts only if it differs again.",
    )
    .usage(
      "[options] <file> <server>\n       touchstone verify [options] <file> -- <command> [args...]",
    )
    .argument("<file and server...>")
    .option("--recorded <name>", "the server in the capture, if it has several")
    .addOption(
      listOption("--tools <names>", "call these tools too, which may do more than read (a,b)"),
    )
    .addOption(
      new RepeatableOption(
        "--exact <path>",
        "compare values at and below this pointer into a result; * is any name or index (repeatable)",
      ).argParser(parsePath),
    )
    .option("--servers <file>", "use the servers in a client's file")
    .option("--timeout <seconds>", "for each response of the server", parseSeconds, 30)
    .addOption(
      new Option("--fail-on <level>", "exit 1 for findings of this level or above")
        .choices(LEVELS)
        .default("error"),
    )
    .addHelpText("after", EXAMPLES);
  addReports(command);
  addCommonOptions(addHeaderOptions(command)).action(
    async (words: readonly string[], options: VerifyOptions) => {
      const { runVerifyServer } = await import("./run-verify.ts");
      await runVerifyServer(words, options, io);
    },
  );
}

/** Reads a value of --exact, and adds it to those before. */
function parsePath(text: string, before: readonly string[] | undefined): readonly string[] {
  if (!text.startsWith("/")) {
    throw new InvalidArgumentError("It must begin with /, such as /structuredContent/total.");
  }
  return [...(before ?? []), text];
}
