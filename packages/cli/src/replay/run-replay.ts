import { statSync } from "node:fs";
import { type ReplaySettings, replayCapture } from "@touchstone/gateway";
import { loadConfig, settingsFromOverrides } from "@touchstone/gateway/config";
import type { FindingFormat } from "../findings/finding.ts";
import { writeReport } from "../findings/render.ts";
import { unreadableFinding } from "../findings/unreadable-input.ts";
import { CliExit, EXIT_FAILED, EXIT_FINDINGS, EXIT_USAGE } from "../io/exit.ts";
import { readError } from "../io/read-error.ts";
import type { CheckingOptions } from "../options/common-options.ts";
import type { CliIo } from "../terminal/cli-io.ts";
import { Progress } from "../terminal/progress.ts";
import { hasUncheckedCalls, ReplayTally, summaryText } from "./replay-report.ts";

export interface ReplayOptions extends CheckingOptions {
  readonly output: FindingFormat;
  readonly allowUnchecked?: boolean;
}

/**
 * Returns a function for the settings of each server: the file's entry with its name, else its top level, else
 * defaults.
 */
function settingsOf(options: ReplayOptions, env: CliIo["env"]): (server: string) => ReplaySettings {
  if (options.config === undefined) {
    const settings = settingsFromOverrides(options);
    return () => ({ settings });
  }
  const config = loadConfig(options.config, { env, overrides: options });
  return (name) => {
    const server = config.servers.find((candidate) => candidate.name === name);
    return server ?? { settings: config.settings };
  };
}

/**
 * Checks a capture again and reports what would be blocked.
 * @throws CliExit 1 if something would be blocked as invalid, 2 if the file is not a capture, 3 if it cannot be read,
 *   something would be blocked only because it cannot be checked, or a part was not checked and `--allow-unchecked` is not
 *   given; ConfigError with all faults of the configuration
 */
export async function runReplay(
  file: string,
  options: ReplayOptions,
  io: CliIo & { readonly version: string },
): Promise<void> {
  const settings = settingsOf(options, io.env);
  const tally = new ReplayTally();
  const progress = new Progress(io);
  try {
    const stat = statSync(file);
    if (!stat.isFile())
      throw new Error(`it is ${stat.isDirectory() ? "a directory" : "not a file"}; name a file`);
    if (stat.size === 0) throw new CliExit(EXIT_USAGE, `${file}: not a capture: the file is empty`);
    for await (const event of replayCapture(file, settings)) {
      tally.add(event);
      progress.at(() => tally.soFar);
      if (tally.isNone) break;
    }
  } catch (error) {
    if (error instanceof CliExit) throw error;
    const fault = readError(file, error);
    if (options.output !== "pretty" && fault.code === EXIT_FAILED) {
      const report = tally.report(file);
      const findings = [...report.findings, unreadableFinding(file, fault.message)];
      writeReport({ ...report, findings }, options.output, io, "error");
    }
    throw fault;
  } finally {
    progress.clear();
  }
  const report = tally.report(file);
  const { summary } = report;
  if (summary.frames === 0 && summary.malformed > 0) {
    const [first] = report.findings;
    throw new CliExit(EXIT_USAGE, `${file}: not a capture: ${first?.message}`);
  }
  writeReport(report, options.output, io, "error");
  const text = summaryText(summary);
  if (options.output === "pretty") io.stdout.write(text);
  else io.stderr.write(`touchstone: ${text}`);
  if (summary.blocked > 0) throw new CliExit(EXIT_FINDINGS);
  if (summary.unchecked > 0) throw new CliExit(EXIT_FAILED);
  if (hasUncheckedCalls(summary) && options.allowUnchecked !== true) {
    throw new CliExit(
      EXIT_FAILED,
      "not all of the capture was checked; --allow-unchecked ignores that",
    );
  }
}
