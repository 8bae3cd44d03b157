import type { Command } from "commander";
import { FINDING_FORMATS } from "../findings/finding.ts";
import type { ProcessIo } from "../io/process-io.ts";
import { addCommonOptions } from "../options/common-options.ts";
import { addOutput } from "../options/output-option.ts";
import type { AuditOptions } from "./run-audit.ts";

const EXAMPLES = `
Examples:
  $ touchstone audit docs/spec.md
  $ touchstone audit -o junit specs/*.md > audit.xml

Exit status: 0 nothing found; 1 findings; 2 wrong usage; 3 a file cannot be read.`;

/** Adds `touchstone audit`. Its modules are loaded only when it runs. */
export function registerAudit(
  program: Command,
  io: ProcessIo & { readonly version: string },
): void {
  const command = program
    .command("audit")
    .summary("check specification files of tools")
    .description(
      "Reads Markdown files that specify tools and reports what they lack: sections, headings of " +
        "tools, JSON examples that do not parse, schemas that do not compile, a part on security.",
    )
    .argument("<file...>", "Markdown files; - is standard input")
    .addHelpText("after", EXAMPLES);
  addOutput(command, FINDING_FORMATS);
  addCommonOptions(command).action(async (files: readonly string[], options: AuditOptions) => {
    const { runAudit } = await import("./run-audit.ts");
    await runAudit(files, options, io);
  });
}
