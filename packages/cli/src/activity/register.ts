import { type Command, Option } from "commander";
import type { ActivityIo } from "./options.ts";

/**
 * Adds `touchstone activity list` and `touchstone activity show ID` to a program. Their actions throw
 * `CliExit` for every end other than success; they never end the process. What they need is loaded
 * when they run: other commands, which a client waits for, start without it.
 */
export function registerActivity(program: Command, io: ActivityIo): void {
  const activity = program
    .command("activity")
    .description("Look into the records of tool calls and decisions");

  activity
    .command("list")
    .description("List records, newest first")
    .option("-t, --type <types>", "types, as a comma list (tool_call, policy_decision, ...)")
    .option("-s, --server <name>", "name of the server")
    .option("--tool <name>", "name of the tool")
    .option("--direction <directions>", "input, output or protocol, as a comma list")
    .option("--decision <decisions>", "allowed, warning or blocked, as a comma list")
    .option("--status <statuses>", "success, error, blocked, warning or rejected, as a comma list")
    .option("--session <id>", "session id, or its stored hash")
    .option("--request <id>", "id that links the records of one request")
    .option("--since <time>", "from this time on: RFC 3339, or 15m, 24h, 7d ago")
    .option("--until <time>", "before this time: RFC 3339, or 15m, 24h, 7d ago")
    .option("-n, --limit <count>", "records on a page, 1 to 1000 (default: 50)")
    .option("--offset <count>", "records to leave out, from the newest on")
    .option("--cursor <cursor>", "go on after an earlier page, with its next_cursor")
    .option("-o, --output <format>", "table, json, jsonl or yaml (default: table)")
    .addOption(new Option("--format <format>", "same as --output"))
    .option("--fail-on <words>", "exit 1 if a listed record is blocked, warning or error")
    .action(async (_options: unknown, command: Command) => {
      const { runList } = await import("./list.ts");
      await runList(io, command.optsWithGlobals());
    });

  activity
    .command("show")
    .description("Show one record with every issue")
    .argument("<id>", "id of the record, or the start of it")
    .option("-o, --output <format>", "table, json or yaml (default: table)")
    .addOption(new Option("--format <format>", "same as --output"))
    .action(async (id: string, _options: unknown, command: Command) => {
      const { runShow } = await import("./show.ts");
      await runShow(io, id, command.optsWithGlobals());
    });
}
