import type { Command } from "commander";
import type { ProcessIo } from "../io/process-io.ts";
import { addCommonOptions } from "../options/common-options.ts";
import type { UiOptions } from "./run-ui.ts";

const EXAMPLES = `
Examples:
  $ touchstone ui
  $ touchstone ui --no-open
  $ touchstone ui --data-dir ./demo-records

If a gateway runs on the same records, its console is opened. Otherwise one is started on a free port of
127.0.0.1, without servers, until a signal stops it.

Exit status: 0 opened, or stopped by a signal; 2 wrong usage or configuration; 3 it could not start.`;

/** Adds `touchstone ui`. Its modules are loaded only when it runs. */
export function registerUi(program: Command, io: ProcessIo): void {
  const command = program
    .command("ui")
    .summary("open the console: see calls, allow a field, make a tool strict")
    .description(
      "Opens the console: what was called, what was blocked, and the settings of wrapped servers. It starts no server. Open a call to see what was wrong with it: Allow this and Make this tool strict show a change of the configuration, and write it.",
    )
    .option("--listen <host:port>", "where to listen (default: a free port of 127.0.0.1)")
    .option("--no-open", "print the link to the console and open no browser")
    .addHelpText("after", EXAMPLES);
  addCommonOptions(command).action(async (options: UiOptions) => {
    const { runUi } = await import("./run-ui.ts");
    await runUi(options, io);
  });
}
