import type { Command, Option } from "commander";

/** What comes after an option, or as an operand. */
export type Value =
  | { readonly kind: "words"; readonly words: readonly string[] }
  | { readonly kind: "file" | "directory" | "text" };

export interface OptionDefinition {
  /** `-o`, `--output`. */
  readonly flags: readonly string[];
  readonly description: string;
  /** Absent for a switch. */
  readonly value?: Value;
}

/** A command, with all that may follow it. */
export interface CommandDefinition {
  /** The words after `touchstone`; empty for the program itself. */
  readonly path: readonly string[];
  readonly description: string;
  /** The commands below it. */
  readonly commands: readonly CommandDefinition[];
  readonly options: readonly OptionDefinition[];
  /** Its operands. */
  readonly operand?: Value;
  /** Whether a command of another program follows, or follows after `--`. */
  readonly runsCommand: boolean;
}

/** Returns the definition of a program, with those of all commands below it. */
export function commandsOf(program: Command): CommandDefinition {
  return definitionOf(program, []);
}

/** Returns a definition and all below it, the program first. */
export function flat(definition: CommandDefinition): readonly CommandDefinition[] {
  return [definition, ...definition.commands.flatMap(flat)];
}

/** Flags of options that take a value, of all commands: a shell skips the word after each. */
export function valueFlags(definition: CommandDefinition): readonly string[] {
  const all = flat(definition).flatMap(({ options }) => options);
  const flags = (hasValue: boolean): readonly string[] =>
    all.filter(({ value }) => (value !== undefined) === hasValue).flatMap((one) => one.flags);
  const switches = new Set(flags(false));
  return [...new Set(flags(true))].filter((flag) => !switches.has(flag));
}

function definitionOf(command: Command, path: readonly string[]): CommandDefinition {
  const commands = command.commands.map((below) => definitionOf(below, [...path, below.name()]));
  const [operand] = command.registeredArguments;
  const usage = command.usage();
  const choices = operand?.argChoices;
  return {
    path,
    description: command.summary() || command.description(),
    commands,
    options: [
      ...command.options.filter(({ hidden }) => !hidden).map(optionOf),
      { flags: ["-h", "--help"], description: "display help for command" },
    ],
    ...(operand === undefined
      ? {}
      : { operand: choices === undefined ? kindOf(operand.name()) : words(choices) }),
    runsCommand: usage.includes("-- <command>") || operand?.name() === "command",
  };
}

function optionOf({ short, long, description, required, optional, argChoices, flags }: Option) {
  const names = [short, long].filter((flag) => flag !== undefined);
  const placeholder = /[<[]([^>\]]+)[>\]]/.exec(flags)?.[1] ?? "";
  return {
    flags: names,
    // For one line of a menu.
    description: description.replace(/\s+/g, " "),
    ...(required || optional
      ? { value: argChoices === undefined ? kindOf(placeholder) : words(argChoices) }
      : {}),
  };
}

function words(choices: readonly string[]): Value {
  return { kind: "words", words: choices };
}

/** What a word stands for by its name: `<file...>`, `<dir>`. */
function kindOf(name: string): Value {
  if (/\bfile\b/.test(name)) return { kind: "file" };
  return { kind: /\bdir\b/.test(name) ? "directory" : "text" };
}
