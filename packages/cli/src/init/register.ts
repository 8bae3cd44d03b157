import process from "node:process";
import { type Command, Option } from "commander";
import type { ProcessIo } from "../io/process-io.ts";
import { addCommonOptions, PRESETS } from "../options/common-options.ts";
import { homeDirectory } from "../options/data-dir.ts";
import type { InitOptions } from "./run-init.ts";

const EXAMPLES = `
Examples:
  $ touchstone init
  $ touchstone init --yes --preset guard
  $ touchstone init --user

Exit status: 0 written, or canceled; 2 wrong usage, or the file is there already; 3 it cannot be
written.`;

/** Adds `touchstone init`. Its modules are loaded only when it runs. */
export function registerInit(program: Command, io: ProcessIo): void {
  const command = program
    .command("init")
    .summary("write a configuration with the servers that your clients have")
    .description(
      "Finds the servers in the JSON files of your clients, asks which ones to include and what to check, and " +
        "writes touchstone.json with a JSON Schema for your editor. The clients' files stay as they are.",
    )
    .option("--yes", "ask nothing: all servers; by default mode warn, ./touchstone.json")
    .option("--user", "write your own file, which every command and wrap read")
    .addOption(
      new Option("--mode <mode>", "what happens to a call that does not match").choices([
        "off",
        "warn",
        "strict",
      ]),
    )
    .addOption(
      new Option("--preset <name>", "write this preset instead of a mode")
        .choices(PRESETS)
        .conflicts("mode"),
    )
    .addHelpText("after", EXAMPLES);
  addCommonOptions(command).action(async (options: InitOptions) => {
    const { runInit } = await import("./run-init.ts");
    const { env } = io;
    const home = homeDirectory() ?? process.cwd();
    const place = { platform: process.platform, home, cwd: process.cwd(), env };
    await runInit(options, { ...io, place });
  });
}
