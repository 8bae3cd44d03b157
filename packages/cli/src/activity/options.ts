import type { EventEmitter } from "node:events";
import type { Readable } from "node:stream";
import { ActivityError } from "@touchstone/gateway/activity/errors";
import { CliExit, EXIT_FAILED, EXIT_USAGE } from "../io/exit.ts";
import type { CliIo } from "../terminal/cli-io.ts";
import { safeText } from "../terminal/safe-text.ts";

/** The environment of the activity commands. */
export interface ActivityIo extends CliIo {
  /** The source of signals; absent if there is none. */
  readonly signals?: EventEmitter;
  /** Absent if the user cannot be asked. */
  readonly stdin?: Readable;
  /** The data directory, from the global options of the command line and the environment. */
  readonly resolveDataDir: (options: Readonly<Record<string, unknown>>) => string;
}

/** Options as commander returns them, before they are checked. */
export type Options = Readonly<Record<string, unknown>>;

/** Returns the text of an option, or `undefined` if it was not given. */
export function textOption(options: Options, name: string): string | undefined {
  const value = options[name];
  return typeof value === "string" ? value : undefined;
}

/** Returns the file of `--out`; undefined for stdout, which `-` also means. */
export function outFile(options: Options): string | undefined {
  const file = textOption(options, "out");
  return file === "-" ? undefined : file;
}

/** The formats of `--output`; the first of each is the default. */
export const LIST_FORMATS = ["table", "wide", "json", "jsonl", "yaml"] as const;
/** A stream has the same form in both formats: one record on each line. */
export const WATCH_FORMATS = ["table", "wide", "jsonl", "json"] as const;
export const SUMMARY_FORMATS = ["table", "wide", "json", "yaml"] as const;
export const RESPONSE_FORMATS = ["table", "json", "yaml"] as const;
/** The gateway's formats, repeated here because help must not load the gateway. */
export const EXPORT_FORMATS: readonly ["jsonl", "csv", "ecs", "ocsf"] = [
  "jsonl",
  "csv",
  "ecs",
  "ocsf",
];

/** The words of `activity list --fail-on`: decisions and statuses of records. */
export const FAIL_ON = [
  "blocked",
  "warning",
  "error",
  "denied",
  "held",
  "out_of_bounds",
  "limited",
  "rejected",
] as const;
export type FailOn = (typeof FAIL_ON)[number];

/** Returns the format of `--output`, which commander has checked. */
export function outputFormat<T extends string>(options: Options, formats: readonly [T, ...T[]]): T {
  return formats.find((format) => format === options["output"]) ?? formats[0];
}

/**
 * Returns whether `--fail-on` is given; it accepts one word.
 * @throws CliExit 2 for another one
 */
export function failsOn(options: Options, word: string): boolean {
  const given = textOption(options, "failOn");
  if (given !== undefined && given !== word) {
    throw new CliExit(EXIT_USAGE, `--fail-on: "${safeText(given.slice(0, 64))}" is not ${word}`);
  }
  return given !== undefined;
}

/** Runs a step and turns its `ActivityError` into the exit code that scripts can rely on. */
export async function reportingActivityErrors<T>(step: () => T | Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof ActivityError)) {
      throw error;
    }
    const isFilter = error.code === "BAD_FILTER";
    const isUsage = isFilter || error.code === "BAD_STORE";
    const text = safeText(isFilter ? `--${error.message}` : error.message);
    throw new CliExit(isUsage ? EXIT_USAGE : EXIT_FAILED, text, { cause: error });
  }
}
