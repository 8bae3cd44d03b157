import {
  type AddHelpTextContext,
  type AddHelpTextPosition,
  Command,
  Help,
  type Option,
} from "commander";
import { reflow } from "../terminal/reflow.ts";

type AddedText = (context: AddHelpTextContext) => string;

/** Width of help in columns if the width of the output is unknown. */
const DEFAULT_WIDTH = 80;

/** Headings of option groups in display order; options without a group come first. */
const GROUPS: readonly (readonly [heading: string, flags: readonly string[]])[] = [
  ["Server:", ["--url", "--header", "--header-env", "--servers", "--timeout"]],
  [
    "Checks:",
    [
      ...[
        "--preset",
        "--mode",
        "--input-mode",
        "--output-mode",
        "--protocol-mode",
        "--policy-mode",
      ],
      ...["--pin", "--lock"],
      ...["--max-bytes", "--max-depth", "--missing-structured-content"],
      ...["--on-invalid-schema", "--on-unknown-schema"],
      "--bridge",
    ],
  ],
  [
    "Output:",
    ["--output", "--report", "--out", "--fail-on", "--allow", "--allow-unproven", "--quiet"],
  ],
  [
    "Configuration, records and log:",
    ["--config", "--store", "--data-dir", "--log-level", "--log-format"],
  ],
];

/** Headings of the commands in display order. */
const COMMAND_GROUPS: readonly (readonly [heading: string, names: readonly string[]])[] = [
  ["Start here:", ["demo", "init", "install", "uninstall", "ui"]],
  [
    "Put it in front of servers:",
    ["wrap", "serve", "doctor", "approve", "pause", "resume", "config", "key"],
  ],
  ["See what happened:", ["activity", "replay"]],
  [
    "Try and check tools:",
    ["tools", "call", "check", "lint", "lock", "mock", "verify", "mcp", "validate", "audit"],
  ],
  ["More:", ["completion", "version", "help"]],
];

/** Commands that check something, and what each of them checks. */
const CHECKING: ReadonlyMap<string, string> = new Map([
  ["check", "the tools of a server, by MCP and JSON Schema"],
  ["lint", "the tools of a server, by what model providers and clients accept"],
  ["doctor", "your servers, as they are configured, and this machine"],
  ["validate", "JSON files, by a JSON Schema"],
  ["audit", "Markdown specifications of tools"],
]);

/** Commands that accept the check options of `wrap` but do not list them all again. */
const REFER_TO_WRAP: ReadonlySet<string> = new Set(["serve", "doctor", "replay"]);
const SHOWN_CHECKS: ReadonlySet<string | undefined> = new Set(["--preset", "--mode"]);
const CHECKS: ReadonlySet<string | undefined> = new Set(
  GROUPS.find(([heading]) => heading === "Checks:")?.[1],
);

/**
 * A command whose help always has the same form: a summary line, usage, examples, details, and options by group. Text
 * added after the help begins with its examples.
 */
export class DocumentedCommand extends Command {
  #after = "";

  override createCommand(name?: string): Command {
    return new DocumentedCommand(name);
  }

  override createHelp(): Help {
    return Object.assign(new CommandHelp(), this.configureHelp());
  }

  /** Stores a text: its examples go before the options, the rest after them. */
  override addHelpText(position: AddHelpTextPosition, text: string | AddedText): this {
    if (typeof text === "function") return super.addHelpText(position, text);
    if (position !== "after") return super.addHelpText(position, text);
    this.#after += text;
    return this;
  }

  /** The examples, with their heading; empty if there are none. */
  get examples(): string {
    return /^Examples:\n(?: .*\n?)+/m.exec(this.#after)?.[0].trimEnd() ?? "";
  }

  /** The text after the options. */
  get notes(): string {
    return this.#after.replace(this.examples, "").trim();
  }
}

/** Sorts commands and options into groups. Call it once all of them exist. */
export function groupHelp(program: Command): void {
  const order = COMMAND_GROUPS.flatMap(([, names]) => names);
  const placeOf = (command: Command): number => {
    const at = order.indexOf(command.name());
    return at < 0 ? order.length : at;
  };
  (program.commands as Command[]).sort((one, other) => placeOf(one) - placeOf(other));
  for (const command of program.commands) {
    const [heading] = COMMAND_GROUPS.find(([, names]) => names.includes(command.name())) ?? [];
    if (heading !== undefined) command.helpGroup(heading);
    for (const each of [command, ...command.commands]) groupOptions(each);
  }
}

function groupOptions(command: Command): void {
  for (const option of command.options) {
    const [heading] = GROUPS.find(([, flags]) => flags.includes(option.long ?? "")) ?? [];
    if (heading !== undefined) option.helpGroup(heading);
  }
}

const rank = ({ helpGroupHeading: heading }: Option): number =>
  GROUPS.findIndex(([each]) => each === heading);

class CommandHelp extends Help {
  override visibleOptions(command: Command): Option[] {
    const refers = REFER_TO_WRAP.has(command.name());
    const visible = super
      .visibleOptions(command)
      .filter(({ long }) => !refers || !CHECKS.has(long) || SHOWN_CHECKS.has(long));
    const [last = ""] = GROUPS.at(-1) ?? [];
    const help = visible.find(({ long }) => long === "--help");
    if (visible.some(({ helpGroupHeading }) => helpGroupHeading === last)) help?.helpGroup(last);
    return visible.sort((one, other) => rank(one) - rank(other));
  }

  override groupItems<T extends Command | Option>(
    _unsorted: T[],
    visible: T[],
    getGroup: (item: T) => string,
  ): Map<string, T[]> {
    return super.groupItems(visible, visible, getGroup);
  }

  /** Shows the values that users can type. All mode options take the values of --mode. */
  override optionDescription(option: Option): string {
    const { argChoices, description, long = "", defaultValue } = option;
    const repeats = CHECKS.has(long) && long.endsWith("-mode") && !SHOWN_CHECKS.has(long);
    const choices =
      argChoices === undefined || repeats || argChoices.every((word) => description.includes(word))
        ? []
        : [argChoices.join(", ")];
    const isShown = ["string", "number"].includes(typeof defaultValue);
    const preset = isShown && !description.includes("default") ? [`default: ${defaultValue}`] : [];
    const more = [...choices, ...preset].join("; ");
    return more === "" ? description : `${description} (${more})`;
  }

  override commandDescription(): string {
    return "";
  }

  override formatHelp(command: Command, helper: Help): string {
    const text = super.formatHelp(command, helper);
    const usage = `Usage: ${helper.commandUsage(command)}`;
    const { examples = "", notes = "" } = command instanceof DocumentedCommand ? command : {};
    const description = command.description();
    const line = sentence(command.summary() || description);
    const pointer = REFER_TO_WRAP.has(command.name())
      ? "All options for checks that touchstone wrap --help lists also work here."
      : "";
    const parts = [
      line,
      usage,
      examples,
      sentence(description) === line ? "" : description,
      command.parent?.parent === null ? neighbors(command.name()) : "",
      text.slice(usage.length).trim(),
      pointer,
      notes,
    ];
    const shown = parts.filter((part) => part !== "").join("\n\n");
    return `${reflow(shown, helper.helpWidth ?? DEFAULT_WIDTH)}\n`;
  }
}

/** Returns what similar commands check, one line each; empty for other commands. */
function neighbors(name: string): string {
  if (!CHECKING.has(name)) return "";
  const lines = [...CHECKING].map(([each, what]) => `    ${each.padEnd(10)}${what}`);
  return `What the commands that check look at:\n${lines.join("\n")}`;
}

/** Returns a phrase as a sentence. */
function sentence(phrase: string): string {
  const text = phrase.charAt(0).toUpperCase() + phrase.slice(1);
  return text.endsWith(".") ? text : `${text}.`;
}
