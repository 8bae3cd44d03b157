import { CliExit, EXIT_FAILED } from "../io/exit.ts";
import type { CliIo } from "../terminal/cli-io.ts";
import {
  type FindingFormat,
  type Level,
  type ReportFile,
  type ReportFinding,
  UNREADABLE_RULE,
} from "./finding.ts";
import { writeReport } from "./render.ts";

/** How a command writes its findings. */
export interface ReportOptions {
  readonly output: FindingFormat;
  readonly failOn: Level;
  readonly report?: readonly ReportFile[];
}

/** Returns the finding for something that could not be examined. */
export function unreadableFinding(
  name: string,
  message: string,
  rule: string = UNREADABLE_RULE,
): ReportFinding {
  return { rule, level: "error", subject: name, file: name, path: "", message };
}

/**
 * Runs the task of a report. If it fails with status 3, writes a report with the reason: a program that reads the
 * report but not the status must not mistake an empty report for success. People see the reason on stderr.
 * @param name of the file or server
 * @param rule of the finding, `file` or `server`
 * @throws what the task throws
 */
export async function withFailureReport<T>(
  name: string,
  rule: string,
  { output, failOn, report: files = [] }: ReportOptions,
  io: CliIo & { readonly version: string },
  task: () => Promise<T>,
): Promise<T> {
  try {
    return await task();
  } catch (error) {
    const isReported = output !== "pretty" || files.length > 0;
    if (isReported && error instanceof CliExit && error.code === EXIT_FAILED) {
      const findings = [unreadableFinding(name, error.message, rule)];
      // People see the reason on stderr.
      const to = output === "pretty" ? { ...io, stdout: { write: () => {} } } : io;
      writeReport({ name, subjects: [], findings }, output, to, failOn, files);
    }
    throw error;
  }
}
