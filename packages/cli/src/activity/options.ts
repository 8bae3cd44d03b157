import type { EventEmitter } from "node:events";
import { ActivityError } from "@touchstone/gateway/activity/errors";
import { CliExit, EXIT_FAILED, EXIT_USAGE } from "../exit.ts";
import type { CliIo } from "../io.ts";
import { safeText } from "../terminal/safe-text.ts";

/** What the activity commands need from outside. */
export interface ActivityIo extends CliIo {
  /** Where signals come from; absent where none can. */
  readonly signals?: EventEmitter;
  /** The data directory, from the global options of the command line and the environment. */
  readonly resolveDataDir: (options: Readonly<Record<string, unknown>>) => string;
}

/** Options as commander hands them over, checked before use. */
export type Options = Readonly<Record<string, unknown>>;

/** The text of an option, or `undefined` where it was not given. */
export function textOption(options: Options, name: string): string | undefined {
  const value = options[name];
  return typeof value === "string" ? value : undefined;
}

/** The file of `--out`; undefined for stdout, which `-` says too. */
export function outFile(options: Options): string | undefined {
  const file = textOption(options, "out");
  return file === "-" ? undefined : file;
}

/**
 * The output format from `--output` or its alias `--format`.
 *
 * @param usual the one where none is given
 * @param flag what messages name
 * @throws CliExit 2 for a format that the command has not, or two different ones
 */
export function outputFormat<T extends string>(
  options: Options,
  allowed: readonly T[],
  usual = "table",
  flag = "--output",
): T {
  const output = textOption(options, "output");
  const format = textOption(options, "format");
  if (output !== undefined && format !== undefined && output !== format) {
    throw new CliExit(EXIT_USAGE, "--output and --format name different formats; give one of them");
  }
  const wanted = output ?? format ?? usual;
  const known = allowed.find((candidate) => candidate === wanted);
  if (known === undefined) {
    throw new CliExit(
      EXIT_USAGE,
      `${flag}: "${safeText(wanted.slice(0, 64))}" is none of ${allowed.join(", ")}`,
    );
  }
  return known;
}

/**
 * Whether `--fail-on` is given; it has one word that it takes.
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

/** How wide a table may be: as the terminal, where it is one and tells. Some report 0 columns. */
export function tableWidth({ stdout }: CliIo): number | undefined {
  return (stdout.isTTY === true && stdout.columns) || undefined;
}
