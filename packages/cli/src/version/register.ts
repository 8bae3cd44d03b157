import type { Command } from "commander";
import { addCommonOptions, type CommonOptions } from "../options/common-options.ts";
import { findDataDir } from "../options/data-dir.ts";
import { addOutput } from "../options/output-option.ts";
import type { CliIo } from "../terminal/cli-io.ts";
import { safeText } from "../terminal/safe-text.ts";
import { terminalJson } from "../terminal/serialise.ts";
import type { VersionCheck } from "./version-check.ts";

const EXAMPLES = `
Examples:
  $ touchstone version
  $ touchstone version -o json
  $ touchstone version --check

Without --check, nothing is sent anywhere. With it, npm's registry is asked for the newest version;
the variable npm_config_registry names another registry.

Exit status: 0 done; 2 wrong usage; 3 the registry cannot be reached.`;

interface VersionOptions extends CommonOptions {
  readonly output: "pretty" | "json";
  readonly check?: boolean;
}

function latestText({ latest, isNewer }: VersionCheck): string {
  return isNewer ? `${latest}; update with npm install --global touchstone@${latest}` : latest;
}

/** Adds `touchstone version`. */
export function registerVersion(program: Command, io: CliIo & { readonly version: string }): void {
  const command = program
    .command("version")
    .summary("print the versions of Touchstone and Node, and where records are")
    .description("Prints what a report of a problem needs: versions, platform, data directory.")
    .option("--check", "ask npm's registry whether there is a newer version")
    .addHelpText("after", EXAMPLES);
  addOutput(command, ["pretty", "json"]);
  addCommonOptions(command).action(async (options: VersionOptions) => {
    const { node } = process.versions;
    const { platform, arch } = process;
    // The version must be available even to a user without a home directory.
    const dataDir = findDataDir(options, io.env) ?? null;
    const { version } = io;
    const checked = options.check
      ? await (await import("./version-check.ts")).checkVersion(version, io.env)
      : undefined;
    if (options.output === "json") {
      io.stdout.write(
        terminalJson({ version, node, platform, arch, dataDir, ...checked }, "lines"),
      );
      return;
    }
    const facts = [
      ["touchstone", version],
      ["node", node],
      ["platform", `${platform} ${arch}`],
      ["data", dataDir ?? "no home directory; name one with --data-dir"],
      ...(checked === undefined ? [] : [["latest", latestText(checked)] as const]),
    ] as const;
    io.stdout.write(
      facts.map(([name, value]) => `${name.padEnd(12)}${safeText(value)}\n`).join(""),
    );
  });
}
