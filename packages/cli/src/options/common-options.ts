import type { Mode, Overrides } from "@touchstone/gateway";
import { LOG_FORMATS, LOG_LEVELS, type LogFormat, type LogLevel } from "@touchstone/gateway/log";
import { type Command, InvalidArgumentError, Option } from "commander";
import { RepeatableOption } from "./repeated-options.ts";

/** Options that every command takes. */
export interface CommonOptions {
  readonly config?: string;
  readonly dataDir?: string;
  readonly logLevel?: LogLevel;
}

/** Options of the commands that check traffic. */
export interface CheckingOptions extends CommonOptions, Overrides {
  readonly name?: string;
  readonly logFormat?: LogFormat;
}

/** Options of `touchstone serve`. */
export interface ServeOptions extends CheckingOptions {
  /** A file to which every frame is appended. */
  readonly capture?: string;
  /** A client's file that contains the servers. */
  readonly servers?: string;
}

/** Options of the commands that may reach a server by its URL. */
export interface HeaderOptions {
  /** `NAME=VALUE` each. */
  readonly header?: readonly string[];
  /** `NAME=VARIABLE` each. */
  readonly headerEnv?: readonly string[];
}

/** The names of presets. A test compares them with the gateway's, whose modules are not loaded here. */
export const PRESETS = ["observe", "guard", "lockdown"] as const;
const MODES: readonly Mode[] = ["off", "warn", "strict"];
const BRIDGE_MODES = ["auto", "off"] as const;
const ALLOW_BLOCK = ["allow", "block"] as const;

/** Adds the options that every command takes. */
export function addCommonOptions(command: Command): Command {
  return command
    .option("--config <file>", "configuration file")
    .option("--data-dir <dir>", "where records are kept (TOUCHSTONE_DATA_DIR, else ~/.touchstone)")
    .addOption(
      new Option(
        "--log-level <level>",
        "lowest level of log lines on stderr (default info)",
      ).choices(LOG_LEVELS),
    );
}

/** Adds the options for checks. They override the configuration file at every level. */
export function addCheckingOptions(command: Command): Command {
  const mode = (flag: string, what: string): Option => new Option(flag, what).choices(MODES);
  return command
    .addOption(
      new Option(
        "--preset <name>",
        "sets several of these options, which you can still override: observe, guard or lockdown",
      ).choices(PRESETS),
    )
    .addOption(
      mode("--mode <mode>", "off, warn or strict: what happens if a check fails (default warn)"),
    )
    .addOption(mode("--input-mode <mode>", "arguments against the input schema"))
    .addOption(mode("--output-mode <mode>", "structured results against the output schema"))
    .addOption(mode("--protocol-mode <mode>", "messages against JSON-RPC"))
    .addOption(mode("--pin <mode>", "tools that are not approved; strict holds them back"))
    .option("--lock <file>", "what is approved: a file of touchstone lock, or first_use")
    .addOption(mode("--policy-mode <mode>", "what the configuration's policy forbids"))
    .addOption(
      new Option(
        "--bridge <mode>",
        "auto or off: old clients in front of servers that speak only 2026-07-28 (default auto)",
      ).choices(BRIDGE_MODES),
    )
    .option("--max-bytes <n>", "largest payload that is checked (default 5242880)", parsePositive)
    .option("--max-depth <n>", "deepest payload that is checked (default 64)", parsePositive)
    .addOption(
      new Option(
        "--missing-structured-content <policy>",
        "strict: a result without what its schema promises (default allow)",
      ).choices(ALLOW_BLOCK),
    )
    .addOption(
      new Option(
        "--on-invalid-schema <policy>",
        "strict: a tool whose schema cannot be used (default block for arguments, block_external for results)",
      ).choices(["allow", "block_external", "block"]),
    )
    .addOption(
      new Option(
        "--on-unknown-schema <policy>",
        "strict: a tool whose schemas are not known (default block)",
      ).choices(ALLOW_BLOCK),
    );
}

/** Adds the options of the commands that may reach a server by its URL. */
export function addHeaderOptions(command: Command): Command {
  return command
    .addOption(
      collected("--header <name=value>", "a header of every request to a URL (repeatable)"),
    )
    .addOption(
      collected(
        "--header-env <name=variable>",
        "the same, with the value in an environment variable (repeatable)",
      ),
    );
}

function collected(flags: string, description: string): Option {
  return new RepeatableOption(flags, description).argParser(
    (value: string, before: readonly string[] = []) => [...before, value],
  );
}

/** Adds the option of long-running commands with a log. */
export function addLogFormat(command: Command): Command {
  return command.addOption(
    new Option(
      "--log-format <format>",
      "the log on stderr: text, or JSON Lines (TOUCHSTONE_LOG_FORMAT, else logging.format of the file, else text)",
    ).choices(LOG_FORMATS),
  );
}

/** Parses a whole number of at least 1. */
export function parsePositive(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < 1) {
    throw new InvalidArgumentError("It must be a whole number of at least 1.");
  }
  return value;
}

/** The number of seconds in a day. Longer times are refused, because a timer of more than 24 days fires at once. */
const MAX_SECONDS = 86_400;

/** Reads a duration. */
export function parseSeconds(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > MAX_SECONDS) {
    throw new InvalidArgumentError(
      `It must be a whole number of seconds from 1 to ${MAX_SECONDS}.`,
    );
  }
  return value;
}

/**
 * Returns the argument of an option for a file that cannot be stdout, which has other content.
 * @throws InvalidArgumentError for `-` and for an empty argument
 */
export function parseReportFile(text: string): string {
  if (text === "") throw new InvalidArgumentError("It must not be empty.");
  if (text !== "-") return text;
  throw new InvalidArgumentError("Name a file: something else goes to stdout.");
}
