import { type Command, Option } from "commander";

/**
 * Adds `-o, --output <format>`; the action finds the value as `output`. `-f, --format` stays as a hidden alias.
 * @param values the formats of the command; the first one is the default
 */
export function addOutput(command: Command, values: readonly [string, ...string[]]): Command {
  const [usual] = values;
  const option = new Option("-o, --output <format>", "output format").choices(values);
  const alias = new Option("-f, --format <format>").choices(values).hideHelp();
  const given = new Map<string, string>();
  const take = (flag: string) => (value: string) => {
    given.set(flag, value);
    if (new Set(given.values()).size > 1) {
      command.error("error: --output and --format name different formats; give one of them");
    }
    command.setOptionValueWithSource("output", value, "cli");
  };
  command.addOption(option.default(usual)).addOption(alias);
  command.on("option:output", take("output"));
  command.on("option:format", take("format"));
  return command;
}
