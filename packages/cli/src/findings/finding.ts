import type { Severity } from "@touchstone/protocol/lint";

/** How severe a finding is, in SARIF's terms. */
export type Level = "error" | "warning" | "note";

/** All levels, the most severe first. */
export const LEVELS: readonly Level[] = ["error", "warning", "note"];

/** The level of each severity of lint. */
export const LEVEL_OF: Readonly<Record<Severity, Level>> = {
  error: "error",
  warning: "warning",
  info: "note",
};

/** One problem that was found, and what to do about it. */
export interface ReportFinding {
  readonly rule: string;
  readonly level: Level;
  /** What it concerns: a tool, or a section of a document. */
  readonly subject: string;
  /** RFC 6901 pointer into the subject; empty if it concerns the whole subject. */
  readonly path: string;
  readonly message: string;
  readonly fix?: string;
  /**
   * A text that is equal for findings with the same cause: reports for people list such findings once. Reports for
   * programs list each of them.
   */
  readonly cause?: string;
  /** The evidence: a value, or how a text has changed. */
  readonly shown?: { readonly as: "json" | "diff"; readonly text: string };
  /** The file that it concerns, if a report covers several. */
  readonly file?: string;
  /** The position in the file; line and column count from 1. */
  readonly line?: number;
  readonly column?: number;
}

/** Returns the problem and what to do about it as one text, for formats that have only one. */
export function findingText({ message, fix, shown }: ReportFinding): string {
  const text = fix === undefined ? message : `${message}. ${fix}`;
  return shown === undefined ? text : `${text}\n${shown.text}`;
}

/** Returns a finding on one line: the subject, the place and the problem. */
export function findingLine({ subject, path, message }: ReportFinding): string {
  return `${subject}${path === "" ? "" : ` ${path}`}: ${message}`;
}

/** The results for one server or file. */
export interface Report {
  /** The name of the file or server. */
  readonly name: string;
  /** Everything that was examined, with or without findings. */
  readonly subjects: readonly string[];
  /** The subjects that are responses of the server; the others are tools. Absent if there are none. */
  readonly responses?: readonly string[];
  readonly findings: readonly ReportFinding[];
}

/** The rule for a file that could not be read, as in the reports of `validate`. */
export const UNREADABLE_RULE = "file";
/** The rule for a server that could not be queried. */
export const UNREACHABLE_RULE = "server";

export const FINDING_FORMATS = ["pretty", "json", "sarif", "junit", "markdown"] as const;
export type FindingFormat = (typeof FINDING_FORMATS)[number];

/** An additional file to write a report to. */
export interface ReportFile {
  readonly format: FindingFormat;
  readonly file: string;
}

/** Returns whether a report has a finding of at least this level. */
export function hasFindings({ findings }: Pick<Report, "findings">, least: Level): boolean {
  return findings.some(({ level }) => LEVELS.indexOf(level) <= LEVELS.indexOf(least));
}
