import type { Issue } from "@touchstone/core";
import { SpecificationValidator } from "@touchstone/protocol";
import { plural } from "@touchstone/util/plural";
import type { FindingFormat, ReportFinding } from "../findings/finding.ts";
import { writeReport } from "../findings/render.ts";
import { unreadableFinding } from "../findings/unreadable-input.ts";
import { CliExit, EXIT_FAILED, EXIT_FINDINGS } from "../io/exit.ts";
import { inputName, refuseInputTwice } from "../io/input-pieces.ts";
import type { ProcessIo } from "../io/process-io.ts";
import { readInputText } from "../io/read-file.ts";

/** Largest file to read, in bytes. */
const MAX_BYTES = 16 * 1024 * 1024;

export interface AuditOptions {
  readonly output: FindingFormat;
}

/**
 * Audits specification files. Reports the readable ones even if others cannot be read.
 * @throws CliExit 1 if something was found, 2 if standard input is named twice, 3 if a file could not be read
 */
export async function runAudit(
  files: readonly string[],
  { output: format }: AuditOptions,
  io: ProcessIo & { readonly version: string },
): Promise<void> {
  refuseInputTwice(files);
  const validator = new SpecificationValidator();
  const findings: ReportFinding[] = [];
  const subjects: string[] = [];
  const unreadable: CliExit[] = [];
  const unread: ReportFinding[] = [];
  for (const file of files) {
    try {
      const text = await readInputText(file, MAX_BYTES, io.stdin);
      const name = inputName(file);
      const { warnings } = validator.validateSpecFile(text);
      findings.push(...warnings.map((issue) => findingOf(name, issue)));
      subjects.push(name);
    } catch (error) {
      if (!(error instanceof CliExit)) throw error;
      unreadable.push(error);
      unread.push(unreadableFinding(inputName(file), error.message));
    }
  }
  const [fault] = unreadable;
  const isForPeople = format === "pretty";
  if (fault !== undefined && isForPeople && files.length === 1) throw fault;
  for (const { message } of unreadable) io.stderr.write(`touchstone: ${message}\n`);
  // People have already seen this on stderr.
  if (!isForPeople) findings.push(...unread);
  const [first = ""] = files;
  writeReport(
    {
      name: files.length === 1 ? inputName(first) : plural(files.length, "file"),
      subjects,
      findings,
    },
    format,
    io,
  );
  if (unreadable.length > 0) {
    throw new CliExit(EXIT_FAILED, `${plural(unreadable.length, "file")} could not be read`);
  }
  if (findings.length > 0) throw new CliExit(EXIT_FINDINGS);
}

function findingOf(
  file: string,
  { keyword = "specification", path, message, params = {} }: Issue,
): ReportFinding {
  const place = (["line", "column"] as const).flatMap((name) => {
    const value = params[name];
    return typeof value === "number" ? [[name, value] as const] : [];
  });
  const at = Object.fromEntries(place);
  return { rule: keyword, level: "warning", subject: file, file, path, message, ...at };
}
