import { EventEmitter } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { PassThrough } from "node:stream";
import { type Command, CommanderError } from "commander";
import { createProgram } from "../../packages/cli/src/program.ts";
import { ROOT } from "./files.ts";

const { scripts } = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8")) as {
  scripts: Record<string, string>;
};
const SCRIPT_OF: Readonly<Record<string, string>> = { start: "start", test: "test" };

function program(): Command {
  const nowhere = { write: () => true };
  return createProgram(
    {
      stdin: new PassThrough(),
      stdout: nowhere,
      stdoutStream: new PassThrough(),
      stderr: nowhere,
      env: {},
      now: () => new Date(),
      signals: new EventEmitter(),
      exit: () => {},
    },
    [],
  );
}

/** Returns a command, by default `touchstone` itself, with all of its subcommands. */
export function family(command: Command = program()): readonly Command[] {
  return [command, ...command.commands.flatMap((one) => family(one))];
}

/** Returns what `--help` of a command prints. */
export function helpText(command: Command): string {
  const texts: string[] = [];
  command.configureOutput({ writeOut: (text) => texts.push(text) });
  command.outputHelp();
  return texts.join("");
}

/** Returns every option of any command, as it is typed. */
export function knownOptions(): ReadonlySet<string> {
  const options = family().flatMap((command) => command.options);
  return new Set(["--help", ...options.flatMap(({ short, long }) => [short ?? "", long ?? ""])]);
}

/** Returns the examples that `--help` shows, of all commands. */
export function helpExamples(): readonly string[] {
  return family().flatMap((command) =>
    [...helpText(command).matchAll(/^ {2}\$ (.*)$/gm)].map(([, line = ""]) => line),
  );
}

/** Errors about values that are placeholders. */
const PLACEHOLDER_FAULTS = new Set([
  "commander.invalidArgument",
  "commander.optionMissingArgument",
  "commander.invalidOptionArgument",
]);

export interface Reading {
  /** Whether the command is a pattern, with words in place of values. */
  readonly isForm?: boolean;
}

function touchstoneFault(
  words: readonly string[],
  { isForm = false }: Reading,
): string | undefined {
  let command = program();
  let rest = isForm
    ? words.map((word) => word.replaceAll(/[[\]…]/g, "")).filter(Boolean)
    : [...words];
  for (;;) {
    const next = command.commands.find((one) => one.name() === rest[0]);
    if (next === undefined) break;
    command = next;
    rest = rest.slice(1);
  }
  const isGroup = command.commands.length > 0;
  if (isGroup && !(isForm && rest.length === 0) && rest[0] !== "--help") {
    return `there is no command ${JSON.stringify(rest[0] ?? "")} of ${command.name()}`;
  }
  try {
    const { operands, unknown } = command.parseOptions(rest);
    if (unknown.length > 0) return `${command.name()} does not know ${unknown[0]}`;
    const wanted = command.registeredArguments;
    const least = wanted.filter(({ required }) => required).length;
    if (!isForm && operands.length < least) return `${command.name()} wants ${least} arguments`;
    const isOpen = wanted.some(({ variadic }) => variadic);
    if (!isOpen && operands.length > wanted.length) {
      return `${command.name()} takes no ${JSON.stringify(operands.at(-1))}`;
    }
    return undefined;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return isForm && PLACEHOLDER_FAULTS.has(error.code) ? undefined : error.message;
  }
}

/**
 * Returns what is wrong with a command of this project in a page: `touchstone`, an npm script, or another program of
 * the project. Nothing is run. Other programs are not checked.
 */
export function commandFault(words: readonly string[], reading: Reading = {}): string | undefined {
  const [first = "", ...rest] = words;
  if (/^[A-Za-z_]\w*=/.test(first)) return commandFault(rest, reading);
  if (first === "npx" && rest[0] === "touchstone") return touchstoneFault(rest.slice(1), reading);
  if (first === "touchstone") return touchstoneFault(rest, reading);
  if (first === "npm") {
    const script = rest[0] === "run" ? rest[1] : SCRIPT_OF[rest[0] ?? ""];
    if (script !== undefined && !Object.hasOwn(scripts, script)) return `no script ${script}`;
  }
  const file = ["node", "bash"].includes(first) ? rest.find((word) => !word.startsWith("-")) : "";
  if (
    file &&
    /^(?:examples|scripts|bench|packages|\.ci)\//.test(file) &&
    !existsSync(ROOT + file)
  ) {
    return `there is no ${file}`;
  }
  return undefined;
}
