import type { Command } from "commander";
import { addCommonOptions, type CommonOptions } from "./common-options.ts";
import { findDataDir } from "./data-dir.ts";
import type { CliIo } from "./io.ts";
import { addOutput } from "./output-option.ts";
import { safeText } from "./terminal/safe-text.ts";
import { toJson } from "./terminal/serialise.ts";

const EXAMPLES = `
Examples:
  $ touchstone version
  $ touchstone version -o json

Exit status: 0 done; 2 wrong usage.`;

interface VersionOptions extends CommonOptions {
  readonly output: "pretty" | "json";
}

/** Adds `touchstone version`. */
export function registerVersion(program: Command, io: CliIo & { readonly version: string }): void {
  const command = program
    .command("version")
    .summary("print the versions of Touchstone and Node, and where records are")
    .description("Prints what a report of a problem needs: versions, platform, data directory.")
    .addHelpText("after", EXAMPLES);
  addOutput(command, ["pretty", "json"]);
  addCommonOptions(command).action((options: VersionOptions) => {
    const { node } = process.versions;
    const { platform, arch } = process;
    // A user without a home directory wants to know the version anyway.
    const dataDir = findDataDir(options, io.env) ?? null;
    const { version } = io;
    if (options.output === "json") {
      io.stdout.write(toJson({ version, node, platform, arch, dataDir }, "lines"));
      return;
    }
    const facts = [
      ["touchstone", version],
      ["node", node],
      ["platform", `${platform} ${arch}`],
      ["data", dataDir ?? "no home directory; name one with --data-dir"],
    ] as const;
    io.stdout.write(
      facts.map(([name, value]) => `${name.padEnd(12)}${safeText(value)}\n`).join(""),
    );
  });
}
