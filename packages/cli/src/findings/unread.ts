import { CliExit, EXIT_FAILED } from "../exit.ts";
import type { CliIo } from "../io.ts";
import {
  type FindingFormat,
  type Level,
  type ReportFile,
  type ReportFinding,
  UNREAD_RULE,
} from "./finding.ts";
import { writeReport } from "./render.ts";

/** How a command writes what it finds. */
export interface Reporting {
  readonly output: FindingFormat;
  readonly failOn: Level;
  readonly report?: readonly ReportFile[];
}

/** Returns what is said in a report of what could not be looked at. */
export function unreadFinding(
  name: string,
  message: string,
  rule: string = UNREAD_RULE,
): ReportFinding {
  return { rule, level: "error", subject: name, file: name, path: "", message };
}

/**
 * Does what a report needs, and writes one that says why where it fails with status 3: who reads the report
 * and not the status must not take nothing for a sound one. People have it on stderr.
 * @param name of the file or server
 * @param rule of the finding, `file` or `server`
 * @throws what the task throws
 */
export async function orReported<T>(
  name: string,
  rule: string,
  { output, failOn, report: files = [] }: Reporting,
  io: CliIo & { readonly version: string },
  task: () => Promise<T>,
): Promise<T> {
  try {
    return await task();
  } catch (error) {
    const isReported = output !== "pretty" || files.length > 0;
    if (isReported && error instanceof CliExit && error.code === EXIT_FAILED) {
      const findings = [unreadFinding(name, error.message, rule)];
      // People have it on stderr.
      const to = output === "pretty" ? { ...io, stdout: { write: () => {} } } : io;
      writeReport({ name, subjects: [], findings }, output, to, failOn, files);
    }
    throw error;
  }
}
