import { type Command, Option } from "commander";
import { addCommonOptions } from "../options/common-options.ts";
import { addOutput } from "../options/output-option.ts";
import type { CliIo } from "../terminal/cli-io.ts";
import type { KeyCreateOptions } from "./run-key-create.ts";

const GROUP_EXAMPLES = `
Examples:
  $ touchstone key create --name alice

Exit status: 0 done; 2 wrong usage.`;

const EXAMPLES = `
Examples:
  $ touchstone key create --name alice
  $ touchstone key create --name prometheus --role viewer
  $ touchstone key create --name alice -o json

The key is printed once and stored nowhere. The entry for auth.keys has only its SHA-256, so the file need
not be secret. Two entries of one name are one caller: add the new one before you remove the old one.

Roles: caller uses MCP and the tool API; viewer also reads records, settings and metrics; admin also
changes settings.

Exit status: 0 done; 2 wrong usage.`;

/** Adds `touchstone key` and `touchstone key create`. Its modules are loaded only when it runs. */
export function registerKey(program: Command, io: CliIo): void {
  const key = program
    .command("key")
    .summary("create keys for callers")
    .description("Create keys with which clients identify themselves to touchstone serve")
    .addHelpText("after", GROUP_EXAMPLES);
  const create = key
    .command("create")
    .summary("create a caller's key and its entry")
    .description("Create a random key, and print it once with its entry for auth.keys")
    .requiredOption("--name <name>", "the caller's name, for records and limits")
    .addOption(
      new Option("--role <role>", "what the caller may do")
        .choices(["caller", "viewer", "admin"])
        .default("caller"),
    )
    .addHelpText("after", EXAMPLES);
  addOutput(create, ["pretty", "json"]);
  addCommonOptions(create).action(async (options: KeyCreateOptions) => {
    const { runKeyCreate } = await import("./run-key-create.ts");
    runKeyCreate(options, io);
  });
}
