import { type Command, InvalidArgumentError, Option } from "commander";
import { FINDING_FORMATS, LEVELS, type Level, type ReportFile } from "../findings/finding.ts";
import { parseReportFile } from "./common-options.ts";
import { RepeatableOption } from "./repeated-options.ts";

/**
 * Adds `-o, --output <format>`; the action gets the value as `output`. `-f, --format` stays as a hidden alias.
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

/**
 * Adds `-o` with the formats of findings, and `--report` for additional reports of the same run in other formats.
 */
export function addReports(command: Command): Command {
  const read = (text: string, before: readonly ReportFile[] = []): readonly ReportFile[] => {
    const at = text.indexOf("=");
    const format = FINDING_FORMATS.find((known) => known === text.slice(0, at));
    if (format === undefined) {
      throw new InvalidArgumentError(
        `Write FORMAT=FILE, with one of ${FINDING_FORMATS.join(", ")}.`,
      );
    }
    return [...before, { format, file: parseReportFile(text.slice(at + 1)) }];
  };
  const what = "write the report to a file as well, in a format of its own (repeatable)";
  const option = new RepeatableOption("--report <format=file>", what).argParser(read);
  return addOutput(command, FINDING_FORMATS).addOption(option);
}

/**
 * Adds `--by`, which orders a report for people, and `--fail-on`.
 * @param failOn the lowest level of a finding that makes the command exit with 1, unless the user names another one
 */
export function addFindingOptions(command: Command, failOn: Level): Command {
  return command
    .addOption(
      new Option("--by <order>", "list each finding once with its tools, or each tool (pretty)")
        .choices(["finding", "tool"])
        .default("finding"),
    )
    .addOption(
      new Option("--fail-on <level>", "exit 1 for findings of this level or above")
        .choices(LEVELS)
        .default(failOn),
    );
}
