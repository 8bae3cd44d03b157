import { type Command, InvalidArgumentError, Option } from "commander";

/** An option that may be given several times: its parser also receives the earlier result. */
export class RepeatableOption extends Option {}

/** Returns an option that takes a comma-separated list; if it is given several times, the lists are joined. */
export function listOption(flags: string, description: string): Option {
  return new RepeatableOption(flags, description).argParser(
    (text: string, before: string | undefined) =>
      before === undefined ? notEmpty(text) : `${before},${notEmpty(text)}`,
  );
}

/**
 * Makes a command and its subcommands refuse command lines that would lose an option's value. Refuses a single-value
 * option that is given twice, an empty value, which an unset variable in a script causes, and `--` in place of a
 * value. Error messages do not quote values, which may be passwords.
 */
export function refuseRepeatedValues(command: Command): void {
  for (const option of command.options) {
    if (!option.required) continue;
    const isOne = !option.variadic && !(option instanceof RepeatableOption);
    const parse = option.parseArg ?? (isOne ? notEmpty : undefined);
    if (parse === undefined) continue;
    option.argParser((text: string, before: unknown) => {
      // Commander would read `--` as the value, and the words after it as if there were no `--`.
      if (text === "--") {
        command.error(`error: option '${option.flags}' lacks its value; -- follows it`);
      }
      if (isOne && command.getOptionValueSource(option.attributeName()) === "cli") {
        command.error(`error: option '${option.flags}' is given twice; give it once`);
      }
      return parse(text, before as never);
    });
  }
  for (const below of command.commands) refuseRepeatedValues(below);
}

function notEmpty(text: string): string {
  if (text === "") throw new InvalidArgumentError("It must not be empty.");
  return text;
}
