import { LOG_LEVELS } from "@touchstone/gateway/log";
import { type Command, Option } from "commander";
import type { ProcessIo } from "../io/process-io.ts";
import type { DemoOptions } from "./run-demo.ts";

const EXAMPLES = `
Examples:
  $ touchstone demo
  $ touchstone demo --once
  $ touchstone demo --keep ./demo-records

It uses no network, no configuration and no records of yours. Everything is removed when it ends, unless
--keep names a directory.

Exit status: 0 stopped by a signal, or done (--once); 2 wrong usage; 3 it could not start.`;

/** Adds `touchstone demo`. Its modules are loaded only when it runs. */
export function registerDemo(program: Command, io: ProcessIo & { readonly version: string }): void {
  program
    .command("demo")
    .summary("see Touchstone at work: two servers, 20 calls, one of them blocked")
    .description(
      "Starts a gateway with a faulty and a well-behaved server, has an agent make 20 calls, shows the one " +
        "that was blocked, and opens the console at it.",
    )
    .option("--keep <dir>", "keep the records in this new or empty directory")
    .option("--listen <host:port>", "where to listen (default: a free port of 127.0.0.1)")
    .option("--no-open", "print the link to the console and open no browser")
    .option("--once", "end after the calls")
    .addOption(new Option("--servers <file>", "more servers of a client's file").hideHelp())
    .addOption(
      new Option(
        "--log-level <level>",
        "lowest level of log lines on stderr (default error)",
      ).choices(LOG_LEVELS),
    )
    .addHelpText("after", EXAMPLES)
    .action(async (options: DemoOptions) => {
      const { runDemo } = await import("./run-demo.ts");
      await runDemo(options, io);
    });
}
