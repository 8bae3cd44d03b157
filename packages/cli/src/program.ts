import { readFileSync } from "node:fs";
import { Command, CommanderError } from "commander";
import { registerActivity } from "./activity/register.ts";
import { registerAudit } from "./audit/register.ts";
import { registerCall } from "./call/register.ts";
import { registerReplay } from "./capture/register.ts";
import { registerCheck } from "./check/register.ts";
import { addCommonOptions } from "./common-options.ts";
import { registerConfig } from "./config/register.ts";
import { resolveDataDir } from "./data-dir.ts";
import { registerDoctor } from "./doctor/register.ts";
import { CliExit, EXIT_FAILED, EXIT_OK, EXIT_USAGE } from "./exit.ts";
import { registerInstall } from "./install/register.ts";
import { registerLint } from "./lint/register.ts";
import type { ProcessIo } from "./process-io.ts";
import { registerServe } from "./serve.ts";
import { registerValidate } from "./validate/register.ts";
import { registerWrap } from "./wrap.ts";

interface Manifest {
  readonly version: string;
}

function version(): string {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as Manifest).version;
}

function build(given: ProcessIo, args: readonly string[]): Command {
  const io = { ...given, version: version(), args };
  const program = new Command("touchstone")
    .description("Checks every MCP tool call against what the tool declares.")
    .version(io.version)
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
    })
    .showHelpAfterError("(touchstone --help tells how it is used)");
  registerWrap(program, io);
  registerServe(program, io);
  registerValidate(program, io);
  registerConfig(program, io);
  registerDoctor(program, io);
  registerCall(program, io);
  registerCheck(program, io);
  registerLint(program, io);
  registerReplay(program, io);
  registerInstall(program, io);
  registerAudit(program, io);
  registerActivity(program, {
    ...io,
    resolveDataDir: (options) => resolveDataDir(options, io.env),
  });
  const activity = program.commands.find((command) => command.name() === "activity");
  for (const command of activity?.commands ?? []) addCommonOptions(command);
  return program;
}

/**
 * Errors whose message is meant for the user, and the exit status of each. By name, so that a
 * command does not load the rooms of the others.
 */
const TOLD: ReadonlyMap<string, number> = new Map([
  ["ActivityError", EXIT_FAILED],
  ["CaptureError", EXIT_FAILED],
  ["ConfigError", EXIT_USAGE],
  ["ListenError", EXIT_FAILED],
  ["TelemetryError", EXIT_FAILED],
]);

/** How an error ends the process: its status, and what is said on stderr. */
function ending(error: unknown): { readonly code: number; readonly text: string } {
  if (error instanceof CliExit) return { code: error.code, text: error.message };
  // Commander has printed its own text; help and --version end with 0.
  if (error instanceof CommanderError) {
    return { code: error.exitCode === 0 ? EXIT_OK : EXIT_USAGE, text: "" };
  }
  if (!(error instanceof Error)) return { code: EXIT_FAILED, text: unexpected(String(error)) };
  const code = TOLD.get(error.name);
  if (code !== undefined) return { code, text: error.message };
  return { code: EXIT_FAILED, text: unexpected(error.stack ?? error.message) };
}

function unexpected(text: string): string {
  return `internal error, please report it: ${text}`;
}

/**
 * Runs the command line. Never rejects: what went wrong is said on stderr, and the exit status set.
 * @param args the arguments after the program's name
 */
export async function run(args: readonly string[], io: ProcessIo): Promise<void> {
  try {
    await build(io, args).parseAsync(args, { from: "user" });
  } catch (error) {
    const { code, text } = ending(error);
    if (text !== "") io.stderr.write(`touchstone: ${text}\n`);
    io.exit(code);
  }
}
