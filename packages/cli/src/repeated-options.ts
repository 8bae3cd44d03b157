import { type Command, InvalidArgumentError, Option } from "commander";

/** An option that may be given several times: its parser is handed what came of the earlier ones. */
export class RepeatableOption extends Option {}

/** Returns an option that takes a list with commas; given several times, its lists are one. */
export function listOption(flags: string, description: string): Option {
  return new RepeatableOption(flags, description).argParser(
    (text: string, before: string | undefined) =>
      before === undefined ? notEmpty(text) : `${before},${notEmpty(text)}`,
  );
}

/**
 * Lets no value of an option be lost, of a command and of all below it: one that takes a single value is
 * refused where it is given twice, and an empty one as well, as it is where a script's variable is not set;
 * so is `--` instead of any.
 * Values are not told: there are passwords among them.
 */
export function loseNoValue(command: Command): void {
  for (const option of command.options) {
    if (!option.required) continue;
    const isOne = !option.variadic && !(option instanceof RepeatableOption);
    const parse = option.parseArg ?? (isOne ? notEmpty : undefined);
    if (parse === undefined) continue;
    option.argParser((text: string, before: unknown) => {
      // Commander treats it as the value, and what is behind it for words that no `--` is before.
      if (text === "--") {
        command.error(`error: option '${option.flags}' lacks its value; -- stands behind that`);
      }
      if (isOne && command.getOptionValueSource(option.attributeName()) === "cli") {
        command.error(`error: option '${option.flags}' is given twice; give it once`);
      }
      return parse(text, before as never);
    });
  }
  for (const below of command.commands) loseNoValue(below);
}

function notEmpty(text: string): string {
  if (text === "") throw new InvalidArgumentError("It must not be empty.");
  return text;
}
