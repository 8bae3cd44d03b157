import { lintTools } from "@touchstone/protocol/lint";
import { CliExit, EXIT_FINDINGS } from "../exit.ts";
import { hasFindings, type Report } from "../findings/finding.ts";
import { writeReport } from "../findings/render.ts";
import type { ProcessIo } from "../process-io.ts";
import { counted } from "../terminal/counted.ts";
import { Progress } from "../terminal/progress.ts";
import { type Listed, type ListedOptions, listedReport, listedTools } from "../tools/listed.ts";
import { openTools, openToolsText } from "../tools/openness.ts";

export interface ToolCheckOptions extends ListedOptions {
  /** Clients for which to show the gateway's changes. */
  readonly adapt?: string;
}

const LEVELS = { error: "error", warning: "warning", info: "note" } as const;

/**
 * Checks every tool of a server, or of a file with a `tools/list` result.
 * @throws CliExit 1 if something was found, 2 for a wrong file, 3 if the server does not respond; 128 plus a signal's
 *   number if one ended it
 */
export async function runCheck(
  words: readonly string[],
  options: ToolCheckOptions,
  io: ProcessIo & { readonly version: string; readonly args: readonly string[] },
): Promise<void> {
  const adapting = options.adapt === undefined ? undefined : await import("./adapted.ts");
  const targets = adapting?.adaptTargets(options.adapt ?? "");
  const listed = await listedTools("check", words, options, io);
  const progress = new Progress(io);
  progress.show(`checking ${counted(listed.tools.length, "tool")} …`);
  const checked = reportOf(listed);
  const adapted = targets && adapting?.adaptFindings(listed, targets);
  const report = { ...checked, findings: [...checked.findings, ...(adapted ?? [])] };
  progress.clear();
  if (options.output === "pretty") {
    const open = openToolsText(openTools(listed.tools));
    if (open !== "") io.stderr.write(`${counted(listed.tools.length, "tool")}${open}\n`);
  }
  writeReport(report, options.output, io, options.failOn, options.report);
  if (hasFindings(report, options.failOn)) throw new CliExit(EXIT_FINDINGS);
}

function reportOf(listed: Listed): Report {
  const { tools, version, placesOf } = listed;
  const found = lintTools(tools, version === undefined ? {} : { version });
  const places = placesOf(found);
  return listedReport(
    listed,
    found.map(({ tool, path, rule, severity, message, fix }, index) => ({
      rule,
      level: LEVELS[severity],
      subject: tool,
      path,
      message,
      fix,
      ...places[index],
    })),
  );
}
