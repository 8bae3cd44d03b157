import { type Command, InvalidArgumentError, Option } from "commander";
import type { ProcessIo } from "../io/process-io.ts";
import {
  addCommonOptions,
  addHeaderOptions,
  parseReportFile,
  parseSeconds,
} from "../options/common-options.ts";
import { addReports } from "../options/output-option.ts";
import { RepeatableOption } from "../options/repeated-options.ts";
import { serverOnlyFlags } from "../tools/typed-for-server.ts";
import type { LockCommandOptions } from "./run-lock.ts";

const EXAMPLES = `
Examples:
  $ touchstone lock -- npx -y @modelcontextprotocol/server-everything
  $ touchstone lock --check -- npx -y @modelcontextprotocol/server-everything
  $ touchstone lock --check --allow closed --allow-unproven -- node server.js
  $ touchstone lock --check --fail-on text https://example.com/mcp -o sarif > lock.sarif
  $ touchstone lock --lock tools.lock tools-list.json

The file holds what a server declares, and nothing of what its tools, prompts and resources return:
that cannot be pinned.

Exit status: 0 written, or nothing of the class of --fail-on has changed; 1 with --check, something
has (a change that is unproven counts as breaking); 2 wrong usage, or a lock file that cannot be used; 3 the server does not answer, or a file cannot
be read or written.`;

type Allowed = "closed" | "opened";

/** Reads a value of --allow, and adds it to earlier ones. */
function allowing(text: string, before: readonly Allowed[] | undefined): readonly Allowed[] {
  if (text !== "closed" && text !== "opened") {
    throw new InvalidArgumentError("Allowed choices are closed, opened.");
  }
  return [...(before ?? []), text];
}

/** Adds `touchstone lock`. Its modules are loaded only when it runs. */
export function registerLock(
  program: Command,
  io: ProcessIo & { readonly version: string; readonly args: readonly string[] },
): void {
  const command = program
    .command("lock")
    .summary("pin what a server declares, and check later what has changed")
    .description(
      "Writes the tools, prompts, resource templates and instructions of a server to a lock file. " +
        "With --check it compares them with the file and reports what each difference means: breaking " +
        "(with arguments that were accepted and are refused now), unproven, text only, compatible " +
        "(proved), or new.",
    )
    .usage("[options] <server or file>\n       touchstone lock [options] -- <command> [args...]")
    .argument("<server or file...>")
    .option("--lock <file>", "the lock file", parseReportFile, "touchstone.lock")
    .option("--name <name>", "the server's name in the lock file (default: as wrap names it)")
    .option("--check", "compare with the lock file instead of writing it")
    .option("--servers <file>", "use the servers in a client's file")
    .option("--timeout <seconds>", "for each response of the server", parseSeconds, 30)
    .addOption(
      new Option("--fail-on <class>", "with --check, exit 1 for these changes")
        .choices(["breaking", "text", "any"])
        .default("breaking"),
    )
    .addOption(
      new RepeatableOption(
        "--allow <what>",
        "accept schemas that now only refuse (closed) or allow (opened) undeclared members",
      )
        .choices(["closed", "opened"])
        .argParser(allowing),
    )
    .option(
      "--allow-unproven",
      "accept schemas for which there is neither a proof nor a counterexample",
    )
    .addHelpText("after", EXAMPLES);
  addReports(command);
  addCommonOptions(addHeaderOptions(command)).action(
    async (words: readonly string[], options: LockCommandOptions) => {
      const { runLock } = await import("./run-lock.ts");
      await runLock(words, { ...options, forServer: serverOnlyFlags(command) }, io);
    },
  );
}
