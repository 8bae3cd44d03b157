import type { Command } from "commander";
import type { ProcessIo } from "../io/process-io.ts";
import { addCheckingOptions, addCommonOptions, parseSeconds } from "../options/common-options.ts";
import { addOutput } from "../options/output-option.ts";
import { RepeatableOption } from "../options/repeated-options.ts";
import type { DoctorOptions } from "./run-doctor.ts";

const EXAMPLES = `
Examples:
  $ touchstone doctor --config touchstone.json
  $ touchstone doctor --servers ~/.cursor/mcp.json files -o json
  $ touchstone doctor --require files:read_file --require search

Where activity.store is a PostgreSQL database, it also lists the gateways that share it, and which
of them run with another configuration. If telemetry is on and packages for it are missing, it says
what to install.

With --require only what it names counts: a job starts if its tools are available and, with the hash that
touchstone.lock has, are what they were. Of several reasons the lowest status is returned.

Exit status: 0 every enabled server responds, its schemas can be used and every gateway has this
configuration; 1 something is wrong; 2 wrong usage or configuration. With --require: 0 all of it is there;
4 a server is disabled or does not answer; 5 a tool is missing; 6 a tool has another definition.`;

/** Adds `touchstone doctor`. Its modules are loaded only when it runs. */
export function registerDoctor(
  program: Command,
  io: ProcessIo & { readonly version: string },
): void {
  const command = program
    .command("doctor")
    .summary("start or reach every configured server and report what the gateway would do")
    .description(
      "Starts or reaches every server of the configuration, lists its tools, compiles their " +
        "schemas and reports which checks apply, and which schemas cannot be used.",
    )
    .argument("[server]", "only the server of this name, even if it is disabled")
    .addOption(
      new RepeatableOption(
        "--require <server[:tool[@hash]]>",
        "what must be available (repeatable)",
      ).argParser((value: string, before: readonly string[] = []) => [...before, value]),
    )
    .option("--servers <file>", "use the servers in a client's file")
    .option("--timeout <seconds>", "for each response of a server", parseSeconds, 30)
    .addHelpText("after", EXAMPLES);
  addOutput(command, ["pretty", "json"]);
  addCommonOptions(addCheckingOptions(command)).action(
    async (server: string | undefined, options: DoctorOptions) => {
      const { runDoctor } = await import("./run-doctor.ts");
      await runDoctor(server, options, io);
    },
  );
}
