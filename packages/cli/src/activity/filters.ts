import { ACTIVITY_SCOPES, type FilterInput } from "@touchstone/gateway/activity/filter";
import type { Command } from "commander";
import { listOption } from "../repeated-options.ts";
import { type Options, textOption } from "./options.ts";

/** Adds the options that tell which records are meant. */
export function addScopeOptions(command: Command): Command {
  return command
    .addOption(
      listOption("-t, --type <types>", "types, as a comma list (tool_call, policy_decision, ...)"),
    )
    .option("-s, --server <name>", "name of the server")
    .option("--tool <name>", "name of the tool")
    .addOption(listOption("--direction <directions>", "input, output or protocol, as a comma list"))
    .addOption(listOption("--decision <decisions>", "allowed, warning or blocked, as a comma list"))
    .addOption(
      listOption(
        "--status <statuses>",
        "success, error, blocked, warning or rejected, as a comma list",
      ),
    )
    .addOption(
      listOption(
        "--outcome <outcomes>",
        "pass, violation, guard, budget, missing, uncompilable, unknown or skipped, as a comma list",
      ),
    )
    .option("--session <id>", "session id, or its stored hash")
    .option("--request <id>", "id that links the records of one request")
    .option("--since <time>", "from this time on: RFC 3339, or 15m, 24h, 7d ago")
    .option("--until <time>", "before this time: RFC 3339, or 15m, 24h, 7d ago");
}

/** Adds the option that names another store than the data directory. */
export function addStoreOption(command: Command): Command {
  return command.option(
    "--store <url>",
    "PostgreSQL database that holds the records (else as the file of --config says, else TOUCHSTONE_STORE)",
  );
}

/** The text of these options, and of `--period` where the command has it. */
export function scopeInput(options: Options): FilterInput {
  return Object.fromEntries(
    [...ACTIVITY_SCOPES, "period"].map((name) => [name, textOption(options, name)]),
  );
}
