import type { Command } from "commander";
import { addCheckingOptions, addCommonOptions, seconds } from "../common-options.ts";
import { addOutput } from "../output-option.ts";
import type { ProcessIo } from "../process-io.ts";
import type { DoctorOptions } from "./run-doctor.ts";

const EXAMPLES = `
Examples:
  $ touchstone doctor --config touchstone.json
  $ touchstone doctor --servers ~/.cursor/mcp.json files -o json

Where activity.store is a PostgreSQL database, it also lists the gateways that share it, and which
of them run with another configuration. If telemetry is on and packages for it are missing, it says
what to install.

Exit status: 0 every server answers, every schema can be used and every gateway has this
configuration; 1 something is wrong; 2 wrong usage or configuration.`;

/** Adds `touchstone doctor`. What it needs is loaded when it runs. */
export function registerDoctor(
  program: Command,
  io: ProcessIo & { readonly version: string },
): void {
  const command = program
    .command("doctor")
    .summary("start or reach every configured server and report what the gateway would do")
    .description(
      "Starts or reaches every server of the configuration, lists its tools, compiles their " +
        "schemas and reports which checks apply, and which contracts cannot be used.",
    )
    .argument("[server]", "only the server of this name, be it disabled")
    .option("--servers <file>", "take the servers of a client's file")
    .option("--timeout <seconds>", "for each response of a server", seconds, 30)
    .addHelpText("after", EXAMPLES);
  addOutput(command, ["pretty", "json"]);
  addCommonOptions(addCheckingOptions(command)).action(
    async (server: string | undefined, options: DoctorOptions) => {
      const { runDoctor } = await import("./run-doctor.ts");
      await runDoctor(server, options, io);
    },
  );
}
