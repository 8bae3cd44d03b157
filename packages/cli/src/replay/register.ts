import type { Command } from "commander";
import { FINDING_FORMATS } from "../findings/finding.ts";
import { addCheckingOptions, addCommonOptions } from "../options/common-options.ts";
import { addOutput } from "../options/output-option.ts";
import type { CliIo } from "../terminal/cli-io.ts";
import type { ReplayOptions } from "./run-replay.ts";

const EXAMPLES = `
Examples:
  $ touchstone wrap --capture session.jsonl -- npx -y @modelcontextprotocol/server-everything
  $ touchstone replay session.jsonl --mode strict
  $ touchstone replay session.jsonl --config touchstone.json -o junit > replay.xml

Exit status: 0 all was checked, and nothing would be blocked; 1 something would be; 2 wrong usage, or not a capture; 3 the file cannot be read, something would be blocked only because it cannot be checked, or
a part was not checked (--allow-unchecked ignores the last).`;

/** Adds `touchstone replay`. Its modules are loaded only when it runs. */
export function registerReplay(program: Command, io: CliIo & { readonly version: string }): void {
  const command = program
    .command("replay")
    .summary("check captured traffic again, with other settings")
    .description(
      "Checks the frames of a file that wrap or serve --capture wrote, with the same pipeline and " +
        "the settings given here, and reports what would be blocked. No server is started.",
    )
    .argument("<file>", "the capture")
    .addHelpText("after", EXAMPLES);
  addOutput(command, FINDING_FORMATS);
  command.option(
    "--allow-unchecked",
    "exit with 0 even if calls, frames or lines of the capture could not be checked",
  );
  addCommonOptions(addCheckingOptions(command)).action(
    async (file: string, options: ReplayOptions) => {
      const { runReplay } = await import("./run-replay.ts");
      await runReplay(file, options, io);
    },
  );
}
