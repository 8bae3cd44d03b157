import type { Command } from "commander";

/**
 * Returns the command line that `help COMMAND…` is short for, at the top level or below a command: that command with
 * `--help`. If a word is not a command, Commander prints the usage of the parent without an error; here the word
 * stays in place and is refused as usual.
 */
export function expandHelpCommand(program: Command, args: readonly string[]): readonly string[] {
  let command = program;
  const words: string[] = [];
  const enter = (word: string): boolean => {
    const found = command.commands.find((below) => below.name() === word);
    words.push(word);
    command = found ?? command;
    return found !== undefined;
  };
  let at = 0;
  while (args[at] !== "help") {
    if (command.commands.length === 0 || !enter(args[at] ?? "")) return args;
    at += 1;
  }
  for (const word of args.slice(at + 1)) {
    // Ignores words after a command without subcommands.
    if (command.commands.length === 0) break;
    if (!enter(word)) return words;
  }
  return [...words, "--help"];
}
