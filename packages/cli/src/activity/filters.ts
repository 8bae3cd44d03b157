import { ACTIVITY_SCOPES, type FilterInput } from "@touchstone/gateway/activity/filter";
import { FIELD_FILTERS } from "@touchstone/gateway/activity/record";
import type { Command } from "commander";
import { listOption } from "../options/repeated-options.ts";
import { type Options, textOption } from "./options.ts";

/** Adds the options that select records. */
export function addScopeOptions(command: Command): Command {
  for (const { option, help, values } of FIELD_FILTERS) {
    if (values === undefined) command.option(option, help);
    else command.addOption(listOption(option, help ?? `${anyOf(values)}, as a comma list`));
  }
  return command
    .option("--since <time>", "from this time on: RFC 3339, or 15m, 24h, 7d ago")
    .option("--until <time>", "before this time: RFC 3339, or 15m, 24h, 7d ago");
}

/** Adds the option for all filters in one text. */
export function addQueryOption(command: Command): Command {
  return command.option(
    "--query <text>",
    "further filters, such as 'status:blocked,error -tool:echo'",
  );
}

const anyOf = (values: readonly string[]): string =>
  `${values.slice(0, -1).join(", ")} or ${values.at(-1)}`;

/** Adds the option that names another store than the data directory. */
export function addStoreOption(command: Command): Command {
  return command.option(
    "--store <url>",
    "PostgreSQL database that holds the records (else as the file of --config says, else TOUCHSTONE_STORE)",
  );
}

/** Returns the values of these options, and of `--period` if the command has it. */
export function scopeInput(options: Options): FilterInput {
  return Object.fromEntries(
    [...ACTIVITY_SCOPES, "period", "query"].map((name) => [name, textOption(options, name)]),
  );
}
