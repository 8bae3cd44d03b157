import type { Command } from "commander";
import { registerActivity } from "./activity/register.ts";
import { registerApprove } from "./approve/register.ts";
import { registerAudit } from "./audit/register.ts";
import { registerCall } from "./call/register.ts";
import { registerCheck } from "./check/register.ts";
import { registerCompletion } from "./completion/register.ts";
import { registerConfig } from "./config/register.ts";
import { registerDemo } from "./demo/register.ts";
import { registerDoctor } from "./doctor/register.ts";
import { DocumentedCommand, groupHelp } from "./help/help.ts";
import { expandHelpCommand } from "./help/help-words.ts";
import { registerInit } from "./init/register.ts";
import { registerInstall } from "./install/register.ts";
import { errorExit } from "./io/error-exit.ts";
import type { ProcessIo } from "./io/process-io.ts";
import { registerKey } from "./key/register.ts";
import { registerLint } from "./lint/register.ts";
import { registerLock } from "./lock/register.ts";
import { registerMcp } from "./mcp/register.ts";
import { registerMock } from "./mock/register.ts";
import { addCommonOptions } from "./options/common-options.ts";
import { resolveDataDir } from "./options/data-dir.ts";
import { refuseRepeatedValues } from "./options/repeated-options.ts";
import { VERSION } from "./own-package.ts";
import { registerPause } from "./pause/register.ts";
import { registerReplay } from "./replay/register.ts";
import { registerServe } from "./serve/register.ts";
import { terminalWidth } from "./terminal/capable.ts";
import { safeLines } from "./terminal/safe-text.ts";
import { registerTools } from "./tools/register.ts";
import { registerUi } from "./ui/register.ts";
import { registerValidate } from "./validate/register.ts";
import { registerVerify } from "./verify/register.ts";
import { registerVersion } from "./version/register.ts";
import { registerWrap } from "./wrap/register.ts";

const EXAMPLES = `
Examples:
  $ touchstone demo                     # see it at work
  $ touchstone install --client cursor  # put it in front of the servers that you have
  $ touchstone ui                       # see what happened

Run touchstone COMMAND --help for its options.`;

/** Returns the command line, ready to parse, with every command and option. */
export function createProgram(given: ProcessIo, args: readonly string[]): Command {
  const io = { ...given, version: VERSION, args };
  const program = new DocumentedCommand("touchstone")
    .description("Checks every MCP tool call against what the tool declares.")
    .version(io.version)
    .addHelpText("after", EXAMPLES)
    .enablePositionalOptions()
    .exitOverride()
    // Next to the longest options, fewer than 40 columns remain, which is Commander's default minimum for wrapping.
    .configureHelp({ minWidthToWrap: 12 })
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      getOutHelpWidth: () => terminalWidth(io.stdout) ?? 80,
      // The message quotes the user's input.
      writeErr: (text) => io.stderr.write(safeLines(text)),
    });
  registerDemo(program, io);
  registerWrap(program, io);
  registerServe(program, io);
  registerUi(program, io);
  registerValidate(program, io);
  registerConfig(program, io);
  registerDoctor(program, io);
  registerTools(program, io);
  registerKey(program, io);
  registerPause(program, io);
  registerCall(program, io);
  registerCheck(program, io);
  registerLint(program, io);
  registerLock(program, io);
  registerReplay(program, io);
  registerMock(program, io);
  registerMcp(program, io);
  registerVerify(program, io);
  registerInit(program, io);
  registerInstall(program, io);
  registerAudit(program, io);
  registerActivity(program, {
    ...io,
    resolveDataDir: (options) => resolveDataDir(options, io.env),
  });
  registerApprove(program, {
    ...io,
    resolveDataDir: (options) => resolveDataDir(options, io.env),
  });
  const activity = program.commands.find((command) => command.name() === "activity");
  for (const command of activity?.commands ?? []) addCommonOptions(command);
  registerVersion(program, io);
  registerCompletion(program, io);
  program.configureOutput({
    outputError: (text, write) => write(withCommandFor(withPlaceOf(program, text))),
  });
  groupHelp(program);
  pointToHelp(program, "touchstone");
  refuseRepeatedValues(program);
  return program;
}

/**
 * Returns the message for an error before any command. If an unknown option belongs to a command, adds where to put
 * it.
 */
function withPlaceOf(program: Command, text: string): string {
  const [said = "", flag] = /^error: unknown option '(--?[a-z-]+)(?:=.*)?'/s.exec(text) ?? [];
  if (flag === undefined) return text;
  const all = program.commands.flatMap((command) => [command, ...command.commands]);
  const isKnown = all.some(({ options }) =>
    options.some(({ long, short }) => [long, short].includes(flag)),
  );
  return isKnown ? `${said}: options of a command go after it\n` : text;
}

const ALLOW = 'to allow a field, open its call in touchstone ui, or set "rules" in touchstone.json';
const STRICT =
  "to make a tool strict, open one of its calls in touchstone ui; for servers, use touchstone install --mode strict";
const LIST = "touchstone activity list shows calls";
const PRESET = "use --preset with touchstone install, wrap or serve";

/** Advice for words that people try as commands. */
const GUESSED: ReadonlyMap<string, string> = new Map([
  ...["allow", "ignore", "rule", "rules"].map((word) => [word, ALLOW] as const),
  ...["strict", "mode", "block"].map((word) => [word, STRICT] as const),
  ...["calls", "history", "list", "log", "logs", "records"].map((word) => [word, LIST] as const),
  ["rollout", "touchstone activity rollout shows what strict would have blocked"],
  ...["preset", "presets"].map((word) => [word, PRESET] as const),
]);

/** Returns the message for an unknown command, with advice if there is any. */
function withCommandFor(text: string): string {
  const [said = "", word = ""] = /^error: unknown command '([a-z]+)'/.exec(text) ?? [];
  const use = GUESSED.get(word);
  return use === undefined ? text : `${said}: ${use}\n`;
}

/** Makes error messages about a command line end with a hint at the right help command. */
function pointToHelp(command: Command, words: string): void {
  command.showHelpAfterError(`(${words} --help shows how it is used)`);
  for (const below of command.commands) pointToHelp(below, `${words} ${below.name()}`);
}

/**
 * Runs the command line. Never rejects: reports errors on stderr and sets the exit status.
 * @param args the arguments after the program's name
 */
export async function run(args: readonly string[], io: ProcessIo): Promise<void> {
  try {
    const program = createProgram(io, args);
    await program.parseAsync(expandHelpCommand(program, args), { from: "user" });
  } catch (error) {
    const { code, text } = errorExit(error);
    if (text !== "") io.stderr.write(`touchstone: ${safeLines(text)}\n`);
    io.exit(code);
  }
}
