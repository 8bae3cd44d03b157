import { type Command, InvalidArgumentError } from "commander";
import type { ProcessIo } from "../io/process-io.ts";
import { addCommonOptions } from "../options/common-options.ts";
import { addOutput } from "../options/output-option.ts";
import type { PauseOptions } from "./run-pause.ts";

const PAUSE_EXAMPLES = `
Examples:
  $ touchstone pause                  # every server, for 30 minutes
  $ touchstone pause files --for 2h --reason "wrong schema, fixed tomorrow"
  $ touchstone pause --status
  $ touchstone pause --off

Gateways on the same data directory notice it within a second, without a restart. Checks that are strict
only warn, and those that are off stay off. These still block: policy and narrow (unless --policy is
given), pin, limits, and what keys and tokens may not do. Each gateway records a config_change when a
pause begins, with how many of them it has, and when it ends.

--policy also pauses a policy that a preset sets, such as that of lockdown. It needs the right to write
the configuration file.

Exit status: 0 done; 2 wrong usage; 3 the pause cannot be written, no gateway would notice it, or the
right for --policy is missing.`;

const RESUME_EXAMPLES = `
Examples:
  $ touchstone resume
  $ touchstone resume files --reason "the schema is right again"

Exit status: 0 done, or nothing was paused; 2 wrong usage, or the server is paused with every other;
3 the pause cannot be removed.`;

const MAX_MS = 86_400_000;
const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: MAX_MS };

function length(text: string): number {
  const [, count, unit = ""] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const milliseconds = Number(count) * (UNITS[unit] ?? Number.NaN);
  if (milliseconds > 0 && milliseconds <= MAX_MS) return milliseconds;
  throw new InvalidArgumentError("It must be a time such as 90s, 30m or 2h, and 24h at most.");
}

/** Adds `touchstone pause` and `touchstone resume`. Their modules are loaded only when they run. */
export function registerPause(program: Command, io: ProcessIo): void {
  const pause = program
    .command("pause")
    .summary("make strict checks only warn for a while")
    .description(
      "Pauses the checks of every server, or of one, for a while: strict checks only warn.",
    )
    .argument("[server]", "only the server that has this name in its records", named)
    .option("--for <time>", "how long (90s, 30m, 2h; 24h at most; default 30m)", length)
    .option("--policy", "make policy and narrow only warn, too")
    .option("--reason <text>", "the reason, for the record", named)
    .option("--off", "end the pause now, as touchstone resume does")
    .option("--status", "print what is paused")
    .addHelpText("after", PAUSE_EXAMPLES);
  addOutput(pause, ["pretty", "json"]);
  addCommonOptions(pause).action(async (server: string | undefined, options: PauseOptions) => {
    const { runPause } = await import("./run-pause.ts");
    await runPause(server, options, io);
  });
  const resume = program
    .command("resume")
    .summary("end a pause")
    .description("Ends the pause of every server, or of one, before its time.")
    .argument("[server]", "only the server that has this name in its records", named)
    .option("--reason <text>", "the reason, for the record", named)
    .addHelpText("after", RESUME_EXAMPLES);
  addOutput(resume, ["pretty", "json"]);
  addCommonOptions(resume).action(async (server: string | undefined, options: PauseOptions) => {
    const { runResume } = await import("./run-pause.ts");
    runResume(server, options, io);
  });
}

function named(text: string): string {
  if (text.trim() === "") throw new InvalidArgumentError("It must not be empty.");
  return text;
}
