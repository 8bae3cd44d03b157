import type { Issue } from "@touchstone/core";
import { auditSpecFile } from "@touchstone/protocol/node";
import { CliExit, EXIT_FAILED, EXIT_FINDINGS } from "../exit.ts";
import type { FindingFormat, ReportFinding } from "../findings/finding.ts";
import { writeReport } from "../findings/render.ts";
import type { CliIo } from "../io.ts";

export interface AuditOptions {
  readonly format: FindingFormat;
}

/**
 * Audits specification files.
 * @throws CliExit 1 where something was found, 3 where a file could not be read
 */
export async function runAudit(
  files: readonly string[],
  { format }: AuditOptions,
  io: CliIo & { readonly version: string },
): Promise<void> {
  const findings: ReportFinding[] = [];
  let unreadable = "";
  for (const file of files) {
    const { valid, errorMessages, warnings } = await auditSpecFile(file);
    if (!valid) unreadable ||= `${file}: ${errorMessages.join("; ")}`;
    findings.push(...warnings.map((issue) => findingOf(file, issue)));
  }
  if (unreadable !== "") throw new CliExit(EXIT_FAILED, unreadable);
  const [name = ""] = files;
  writeReport(
    { name: files.length === 1 ? name : `${files.length} files`, subjects: files, findings },
    format,
    io,
  );
  if (findings.length > 0) throw new CliExit(EXIT_FINDINGS);
}

function findingOf(
  file: string,
  { keyword = "specification", path, message }: Issue,
): ReportFinding {
  return { rule: keyword, level: "warning", subject: file, path, message };
}
