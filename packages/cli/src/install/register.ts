import { homedir } from "node:os";
import process from "node:process";
import { type Command, Option } from "commander";
import { addCommonOptions, PRESETS } from "../options/common-options.ts";
import type { CliIo } from "../terminal/cli-io.ts";
import { CLIENTS, OLDER_NAMES, PROGRAMS } from "./clients.ts";
import type { InstallIo, InstallOptions } from "./options.ts";

const EXAMPLES = {
  install: `
Examples:
  $ touchstone install --client all --dry-run
  $ touchstone install --client cursor --preset guard
  $ touchstone install files --client vscode --project
  $ touchstone install --file mcp.json`,
  uninstall: `
Examples:
  $ touchstone uninstall --client claude --dry-run
  $ touchstone uninstall --client cursor files
  $ touchstone uninstall --client vscode --project`,
};
const STATUS = `
Exit status: 0 done, or nothing to do; 2 wrong usage, or no such server; 3 a file cannot be read or
written.`;

const CLIENT_NAMES = [...CLIENTS, ...Object.keys(PROGRAMS)].sort().concat("all");

/** Adds `touchstone install` and `touchstone uninstall`. Their modules are loaded only when they run. */
export function registerInstall(program: Command, io: CliIo): void {
  // Read when the action runs, because a test or a shell may set these variables for one run.
  const placed = (): InstallIo => {
    const { env } = io;
    const home = env["HOME"] || env["USERPROFILE"] || homedir();
    return { ...io, place: { platform: process.platform, home, cwd: process.cwd(), env } };
  };
  const install = addFileOptions(
    program
      .command("install")
      .summary("put touchstone in front of the servers of an MCP client")
      .description(
        "Rewrites the servers in a client's file so that the client starts touchstone wrap, which " +
          "starts them or reaches them by URL. Everything else in the file stays byte for byte; " +
          "the old file is kept beside it. --preset, --mode, --config, --data-dir and --command also change " +
          "servers that are wrapped already.",
      ),
    "enabled",
  )
    .addOption(new Option("--preset <name>", "wrap with this preset").choices(PRESETS))
    .addOption(
      new Option("--mode <mode>", "wrap with this mode").choices(["off", "warn", "strict"]),
    )
    .option("--command <program>", "what clients start (default: touchstone, or its full path)");
  addCommonOptions(install).action(async (servers: string[], options: InstallOptions) => {
    const { runInstall } = await import("./run-install.ts");
    await runInstall(servers, options, placed());
  });
  const uninstall = addFileOptions(
    program
      .command("uninstall")
      .summary("undo what touchstone install did to a client's servers")
      .description(
        "Removes touchstone wrap from the servers in a client's file: what touchstone install " +
          "wrote is replaced by what was there before, byte for byte.",
      ),
    "wrapped",
  );
  addCommonOptions(uninstall).action(async (servers: string[], options: InstallOptions) => {
    const { runUninstall } = await import("./run-install.ts");
    await runUninstall(servers, options, placed());
  });
}

/** Returns the option `--client`. It converts an older name to the current one, and only lists current names. */
function clientOption(): Option {
  const option = new Option("--client <name>", "which client's files").choices(CLIENT_NAMES);
  const chosen = option.parseArg;
  return option.argParser((name: string, before: string) => {
    const current = OLDER_NAMES.get(name) ?? name;
    return chosen === undefined ? current : chosen(current, before);
  });
}

function addFileOptions(command: Command, all: string): Command {
  return command
    .argument("[servers...]", `which servers (default: all that are ${all})`)
    .addOption(clientOption())
    .option("--file <file>", "a client's file, instead of the known ones")
    .option("--project", "the files of this directory, not the user's")
    .option("--dry-run", "show what would change, and change nothing")
    .addHelpText("after", `${EXAMPLES[command.name() as keyof typeof EXAMPLES]}\n${STATUS}`);
}
