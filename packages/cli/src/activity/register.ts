import type { Command } from "commander";
import { addOutput } from "../options/output-option.ts";
import { listOption } from "../options/repeated-options.ts";
import { examplesOf } from "./examples.ts";
import { addQueryOption, addScopeOptions, addStoreOption } from "./filters.ts";
import {
  type ActivityIo,
  EXPORT_FORMATS,
  FAIL_ON,
  LIST_FORMATS,
  type Options,
  RESPONSE_FORMATS,
  SUMMARY_FORMATS,
  WATCH_FORMATS,
} from "./options.ts";

type Run = (io: ActivityIo, options: Options) => Promise<void>;

/**
 * Adds `touchstone activity` with its commands to a program. Their actions throw `CliExit` for all results other than
 * success; they never end the process. Their modules are loaded when they run, so that other commands, which a client
 * waits for, start without them.
 */
export function registerActivity(program: Command, io: ActivityIo): void {
  const activity = program
    .command("activity")
    .summary("inspect the records of tool calls and decisions")
    .description("Inspect the records of tool calls and decisions")
    .addHelpText("after", examplesOf("activity"));
  const runs =
    (load: () => Promise<Run>) =>
    async (_options: unknown, command: Command): Promise<void> => {
      const run = await load();
      await run(io, command.optsWithGlobals());
    };
  const add = (name: string, description: string): Command =>
    addStoreOption(activity.command(name))
      .description(description)
      .addHelpText("after", examplesOf(name));

  addOutput(
    addQueryOption(addScopeOptions(add("list", "List tool calls, newest first"))),
    LIST_FORMATS,
  )
    .option("--records", "list all records: decisions, changes, starts (also with --type)")
    .option("-n, --limit <count>", "calls or records on a page, 1 to 1000 (default: 50)")
    .option("--offset <count>", "skip this many of the newest records")
    .option("--cursor <cursor>", "continue after an earlier page: its next_cursor")
    .addOption(
      listOption(
        "--fail-on <words>",
        `exit 1 if a record, of any page, is one of ${FAIL_ON.join(", ")}`,
      ),
    )
    .action(runs(async () => (await import("./list.ts")).runList));

  addOutput(addScopeOptions(add("last", "Show the newest call, as show does")), SUMMARY_FORMATS)
    .option("--blocked", "the newest one that was blocked")
    .action(runs(async () => (await import("./show.ts")).runLast));

  addOutput(
    add("show", "Show one record with its issues, its call and what followed"),
    SUMMARY_FORMATS,
  )
    .argument("<id>", "id of the record, or the start of it")
    .action(async (id: string, _options: unknown, command: Command) => {
      const { runShow } = await import("./show.ts");
      await runShow(io, id, command.optsWithGlobals());
    });

  addOutput(
    addQueryOption(addScopeOptions(add("watch", "Print records as they are written"))),
    WATCH_FORMATS,
  ).action(runs(async () => (await import("./watch.ts")).runWatch));

  addOutput(
    addScopeOptions(add("summary", "Count calls, decisions and rules").alias("stats")),
    SUMMARY_FORMATS,
  )
    .option("--period <length>", "the last 15m, 24h, 7d (default: 24h)")
    .action(runs(async () => (await import("./summary.ts")).runSummary));

  addOutput(
    addScopeOptions(add("rollout", "Show what strict would have blocked")),
    RESPONSE_FORMATS,
  )
    .option("--period <length>", "the last 15m, 24h, 7d (default: all)")
    .option("--suggest", "print rules that allow what strict would have blocked")
    .option("--fail-on <word>", "blocked: exit 1 if strict would have blocked anything")
    .option("--allow-unchecked", "with --fail-on, ignore what was not checked")
    .action(runs(async () => (await import("./rollout.ts")).runRollout));

  addOutput(
    addScopeOptions(add("repairs", "Count which arguments were repaired, how, and how often")),
    SUMMARY_FORMATS,
  )
    .option("--period <length>", "the last 15m, 24h, 7d (default: all)")
    .action(runs(async () => (await import("./repairs.ts")).runRepairs));

  addOutput(
    add("problems", "Group calls that had issues by what was wrong, open problems first"),
    SUMMARY_FORMATS,
  )
    .option("-s, --server <name>", "name of the server")
    .option("--tool <name>", "name of the tool")
    .addOption(
      listOption("--state <states>", "open, not_seen, ignored or allowed, as a comma list"),
    )
    .option("--since <time>", "from this time on: RFC 3339, or 15m, 24h, 7d ago")
    .option("--until <time>", "before this time: RFC 3339, or 15m, 24h, 7d ago")
    .option("--period <length>", "the last 15m, 24h, 7d (default: all)")
    .option("-n, --limit <count>", "problems on a page, 1 to 200 (default: 50)")
    .option("--offset <count>", "skip this many of the first problems")
    .action(runs(async () => (await import("./problems.ts")).runProblems));

  addOutput(
    add("drift", "Show how a tool's results differed from its output schema"),
    RESPONSE_FORMATS,
  )
    .argument("<server>", "name of the server")
    .argument("<tool>", "name of the tool")
    .option("--fail-on <word>", "drift: exit 1 if there is any")
    .action(async (server: string, tool: string, _options: unknown, command: Command) => {
      const { runDrift } = await import("./drift.ts");
      await runDrift(io, server, tool, command.optsWithGlobals());
    });

  addOutput(
    addQueryOption(
      addScopeOptions(add("export", "Write all records that match the filters, oldest first")),
    ),
    EXPORT_FORMATS,
  )
    .option("--period <length>", "the last 15m, 24h, 7d (default: all)")
    .option("--out <file>", "output file (default: stdout)")
    .action(runs(async () => (await import("./export.ts")).runExport));

  addOutput(
    add("verify", "Find records that were edited, removed, inserted or moved"),
    RESPONSE_FORMATS,
  )
    .option("--checkpoint <file>", "a file of touchstone activity checkpoint")
    .option("--public-key <file>", "Ed25519 public key in PEM of the signer")
    .action(runs(async () => (await import("./verify.ts")).runVerify));

  add("checkpoint", "Sign the end of every chain, so that removed records at the end are found")
    .option("--key <file>", "Ed25519 private key in PEM")
    .option("--out <file>", "output file (default: stdout)")
    .action(runs(async () => (await import("./checkpoint.ts")).runCheckpoint));

  addOutput(
    add("erase", "Remove arguments, results and names of one caller or session from the records"),
    RESPONSE_FORMATS,
  )
    .option("--caller <name>", "the caller whose data to erase: the name of a key or token")
    .option("--session <id>", "or one session, by its id or stored hash")
    .option(
      "--reason <text>",
      "the reason, for the record of the erasure; it must not name the person",
    )
    .option("--dry-run", "count, and change nothing")
    .option("--yes", "do not ask")
    .action(runs(async () => (await import("./erase.ts")).runErase));

  add("prune", "Remove the oldest records")
    .option("--older-than <length>", "30m, 24h, 90d")
    .option("--max-records <count>", "keep at most this many records")
    .option("--max-bytes <bytes>", "keep at most this many bytes")
    .option("--reason <text>", "the reason, for the record of the removal")
    .action(runs(async () => (await import("./prune.ts")).runPrune));
}
