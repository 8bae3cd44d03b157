import { type Command, InvalidArgumentError, Option } from "commander";
import type { ProcessIo } from "../io/process-io.ts";
import { addCommonOptions, parsePositive, parseReportFile } from "../options/common-options.ts";
import { addOutput } from "../options/output-option.ts";
import { RepeatableOption } from "../options/repeated-options.ts";
import { repairOption } from "../repair/repair-option.ts";
import { FORMATS, type ValidateOptions } from "./options.ts";

const EXAMPLES = `
Examples:
  $ touchstone validate --schema tool.schema.json arguments.json
  $ touchstone validate --schema schema.json -o sarif data/*.json > result.sarif
  $ tail -n 1000 calls.jsonl | touchstone validate --schema schema.json --jsonl -
  $ touchstone validate --schema main.json --document https://example.com/unit.json=unit.json a.json
  $ touchstone validate --schema tool.schema.json arguments.json --repair --out fixed.json
  $ touchstone validate --schema tool.schema.json arguments.json --undeclared violation --rule /_hint=ignore

Numbers are judged by their source text, and nothing is ever fetched: --document hands in what
references lead to. "-" is the standard input.

--rule, --undeclared and --undeclared-at are the settings of input_validation in touchstone.json: the same
values give the same decision. A document without a violation is valid, and its warnings are shown.

With --repair alone, stderr shows what could be fixed. With --out, a valid or fixed document is written
to that file, every other byte as it was, and counts as valid; with --jsonl all lines are written, and
those that cannot be fixed as they were. Documents of more than 256 KiB are not fixed.

Exit status: 0 all documents are valid; 1 some are not; 2 wrong usage; 3 the schema cannot be used or
a file cannot be read.`;

const DIALECTS = ["draft-04", "draft-06", "draft-07", "2019-09", "2020-12"] as const;
/** The default of `@touchstone/core`, repeated here so that --help can show it without loading it. */
const DEFAULT_MAX_BYTES = 5_242_880;

function document(text: string, before: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  // Both the URI and the file name may contain "="; it is rarer in file names, so the last one separates them.
  const at = text.lastIndexOf("=");
  if (at < 1 || at === text.length - 1) {
    throw new InvalidArgumentError("It must be a URI and a file: URI=FILE.");
  }
  const uri = text.slice(0, at);
  if (before.has(uri)) throw new InvalidArgumentError("Its URI is given twice; give it once.");
  return new Map([...before, [uri, text.slice(at + 1)]]);
}

/** Adds `touchstone validate`. Its modules are loaded only when it runs. */
export function registerValidate(program: Command, io: ProcessIo): void {
  const command = program
    .command("validate")
    .summary("check JSON files against a JSON Schema")
    .description(
      "Checks JSON documents against a JSON Schema (draft-04, -06, -07, 2019-09 or 2020-12), by the " +
        "engine that checks tool calls.",
    )
    .argument("<file...>", "JSON files to check; - is the standard input")
    .requiredOption("-s, --schema <file>", "the JSON Schema")
    .addOption(
      new Option(
        "--dialect <dialect>",
        "dialect of a schema without $schema (default 2020-12)",
      ).choices(DIALECTS),
    )
    .option("--jsonl", "each line of a file is a document (JSON Lines)")
    .addOption(
      new Option(
        "--paths <style>",
        "what a path names: the property, or the engine's place (default field)",
      ).choices(["field", "instance"]),
    )
    .addOption(
      new RepeatableOption(
        "--rule <key=how>",
        "how issues of a class or at a place count: violation, warning or ignore; may be repeated",
      ).argParser((text: string, before: readonly string[] = []) => [...before, text]),
    )
    .addOption(
      new Option("--undeclared <how>", "how undeclared members count (default allow)").choices([
        "allow",
        "warning",
        "violation",
      ]),
    )
    .addOption(
      new Option(
        "--undeclared-at <where>",
        "look for them at the root, or deep inside too (default root)",
      ).choices(["root", "deep"]),
    )
    .option("--max-issues <n>", "most issues to list for a document (default 1000)", parsePositive)
    .option("--max-bytes <n>", "largest document", parsePositive, DEFAULT_MAX_BYTES)
    .option("--max-depth <n>", "deepest allowed nesting of a document (default 64)", parsePositive)
    .addOption(
      new RepeatableOption(
        "--document <uri=file>",
        "a further schema that references may name by this URI; may be repeated",
      )
        .argParser(document)
        .default(new Map<string, string>(), "none"),
    )
    .addOption(repairOption("fix documents that are not valid"))
    .option("--out <file>", "with --repair: output file for the repaired document", parseReportFile)
    .addHelpText("after", EXAMPLES);
  addOutput(command, FORMATS);
  addCommonOptions(command).action(async (files: string[], options: ValidateOptions) => {
    const { runValidate } = await import("./run.ts");
    await runValidate(files, options, io);
  });
}
