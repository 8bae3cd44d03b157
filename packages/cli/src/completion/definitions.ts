import type { Command, Option } from "commander";

/** The kind of value that an option takes. */
export type OptionValue =
  | { readonly kind: "words"; readonly words: readonly string[] }
  | { readonly kind: "file" | "directory" | "text" };

export interface OptionDefinition {
  /** `-o`, `--output`. */
  readonly flags: readonly string[];
  readonly description: string;
  /** Absent for a switch. */
  readonly value?: OptionValue;
}

/** A command and everything that may follow it. */
export interface CommandDefinition {
  /** The words after `touchstone`; empty for the program itself. */
  readonly path: string;
  /** The words that may come next: subcommands, or the values of its operand. */
  readonly words: readonly { readonly word: string; readonly description: string }[];
  readonly options: readonly OptionDefinition[];
  /** Whether it takes any other operand, which may be a file name. */
  readonly takesFiles: boolean;
  /** Whether the command line of another program follows, directly or after `--`. */
  readonly runsCommand: boolean;
}

/** Returns the definitions of a program and all its subcommands, the program first. */
export function commandsOf(program: Command): readonly CommandDefinition[] {
  return definitionsOf(program, "");
}

/** Returns the flags of all options that take a value, across all commands: a shell skips the word after each. */
export function valueFlags(commands: readonly CommandDefinition[]): readonly string[] {
  const all = commands.flatMap(({ options }) => options);
  const flags = (hasValue: boolean): readonly string[] =>
    all.filter(({ value }) => (value !== undefined) === hasValue).flatMap((one) => one.flags);
  const switches = new Set(flags(false));
  return [...new Set(flags(true))].filter((flag) => !switches.has(flag));
}

function definitionsOf(command: Command, path: string): readonly CommandDefinition[] {
  const [operand] = command.registeredArguments;
  const choices = operand?.argChoices?.map((word) => ({ word, description: "" }));
  const own: CommandDefinition = {
    path,
    words:
      choices ??
      command.commands.map((below) => ({
        word: below.name(),
        description: below.summary() || below.description(),
      })),
    options: [
      ...command.options.filter(({ hidden }) => !hidden).map(optionOf),
      { flags: ["-h", "--help"], description: "display help for command" },
    ],
    takesFiles: operand !== undefined && choices === undefined,
    runsCommand: command.usage().includes("-- <command>") || operand?.name() === "command",
  };
  const below = command.commands.flatMap((each) =>
    definitionsOf(each, `${path} ${each.name()}`.trim()),
  );
  return [own, ...below];
}

function optionOf({ short, long, description, required, optional, argChoices, flags }: Option) {
  const names = [short, long].filter((flag) => flag !== undefined);
  const placeholder = /[<[]([^>\]]+)[>\]]/.exec(flags)?.[1] ?? "";
  return {
    flags: names,
    // A description must fit on one line of a menu.
    description: description.replace(/\s+/g, " "),
    ...(required || optional ? { value: valueNamed(placeholder, argChoices) } : {}),
  };
}

/**
 * Returns the kind of a value: one of the given choices, or the kind that its name implies (`<file...>`, `<dir>`).
 */
function valueNamed(name: string, choices: readonly string[] | undefined): OptionValue {
  if (choices !== undefined) return { kind: "words", words: choices };
  if (/\bfile\b/.test(name)) return { kind: "file" };
  return { kind: /\bdir\b/.test(name) ? "directory" : "text" };
}
