/** How much a finding matters, in SARIF's words. */
export type Level = "error" | "warning" | "note";

/** One thing that was found, and what to do about it. */
export interface ReportFinding {
  readonly rule: string;
  readonly level: Level;
  /** What it is about: a tool, a section of a document. */
  readonly subject: string;
  /** RFC 6901 pointer into the subject; empty if it is about all of it. */
  readonly path: string;
  readonly message: string;
  readonly fix?: string;
  /** What many subjects have in common: reports for people list findings of one cause once. Programs get each. */
  readonly cause?: string;
  /** What shows it: a value, or how a text has changed. */
  readonly shown?: { readonly as: "json" | "diff"; readonly text: string };
  /** The file that it is about, where a report is about several. */
  readonly file?: string;
  /** Where it is in the file, both from 1. */
  readonly line?: number;
  readonly column?: number;
}

/** Returns what is found and what to do about it, for formats that have one text for both. */
export function findingText({ message, fix, shown }: ReportFinding): string {
  const text = fix === undefined ? message : `${message}. ${fix}`;
  return shown === undefined ? text : `${text}\n${shown.text}`;
}

/** Returns a finding on one line: what it is about, where, and what is wrong. */
export function findingLine({ subject, path, message }: ReportFinding): string {
  return `${subject}${path === "" ? "" : ` ${path}`}: ${message}`;
}

/** What was found out about one server or file. */
export interface Report {
  /** A file's name, or the server's. */
  readonly name: string;
  /** Everything that was looked at, whether something was found or not. */
  readonly subjects: readonly string[];
  readonly findings: readonly ReportFinding[];
}

/** The rule of a file that could not be read, as in the reports of `validate`. */
export const UNREAD_RULE = "file";
/** The rule of a server that could not be asked. */
export const UNASKED_RULE = "server";

export const FINDING_FORMATS = ["pretty", "json", "sarif", "junit", "markdown"] as const;
export type FindingFormat = (typeof FINDING_FORMATS)[number];

/** A file that a report is also written to. */
export interface ReportFile {
  readonly format: FindingFormat;
  readonly file: string;
}

const LEVELS: readonly Level[] = ["note", "warning", "error"];

/** Returns whether a report holds a finding of at least this level. */
export function hasFindings({ findings }: Pick<Report, "findings">, least: Level): boolean {
  return findings.some(({ level }) => LEVELS.indexOf(level) >= LEVELS.indexOf(least));
}
