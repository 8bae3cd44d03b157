import { REVISIONS, revisionOf } from "@touchstone/protocol/advanced";
import { lintTools } from "@touchstone/protocol/lint";
import { plural } from "@touchstone/util/plural";
import { hasFindings, LEVEL_OF, type Report } from "../findings/finding.ts";
import { writeReport } from "../findings/render.ts";
import { CliExit, EXIT_FINDINGS, EXIT_USAGE } from "../io/exit.ts";
import type { ProcessIo } from "../io/process-io.ts";
import { Progress } from "../terminal/progress.ts";
import {
  failIfPartial,
  type ListedOptions,
  type ListedTools,
  listedReport,
  listedTools,
} from "../tools/list-tools.ts";
import { openTools, openToolsText } from "../tools/openness.ts";

export interface ToolCheckOptions extends ListedOptions {
  /** The MCP revision to check a file by. */
  readonly revision?: string;
  /** Clients for which to show the gateway's changes. */
  readonly adapt?: string;
}

/**
 * Checks every tool of a server, or in a file with a `tools/list` result.
 * @throws CliExit 1 if something was found, 2 for a wrong file, 3 if the server does not respond, or the file lacks tools;
 *   128 plus a signal's number if one ended it
 */
export async function runCheck(
  words: readonly string[],
  options: ToolCheckOptions,
  io: ProcessIo & { readonly version: string; readonly args: readonly string[] },
): Promise<void> {
  const adapting = options.adapt === undefined ? undefined : await import("./adapted.ts");
  const targets = adapting?.adaptTargets(options.adapt ?? "");
  const { revision } = options;
  if (revision !== undefined && revisionOf(revision) === undefined) {
    const known = REVISIONS.map(({ version }) => version).join(", ");
    throw new CliExit(EXIT_USAGE, `"${revision}" is not a revision of MCP; these are: ${known}`);
  }
  const listed = await listedTools("check", words, options, io);
  if (revision !== undefined && listed.version !== undefined) {
    const text = `--revision is for a file: the server speaks ${listed.version}`;
    throw new CliExit(EXIT_USAGE, text);
  }
  const progress = new Progress(io);
  progress.show(`checking ${plural(listed.tools.length, "tool")} …`);
  const checked = reportOf(listed, options.revision);
  const adapted = targets && adapting?.adaptFindings(listed, targets);
  const report = { ...checked, findings: [...checked.findings, ...(adapted ?? [])] };
  progress.clear();
  if (options.output === "pretty") {
    const open = openToolsText(openTools(listed.tools));
    if (open !== "") io.stderr.write(`${plural(listed.tools.length, "tool")}${open}\n`);
  }
  writeReport(report, options.output, io, options.failOn, options.report, options.by);
  if (hasFindings(report, options.failOn)) throw new CliExit(EXIT_FINDINGS);
  failIfPartial(listed);
}

/** @param revision the user's choice; for a server, the revision that it speaks is used instead */
function reportOf(listed: ListedTools, revision: string | undefined): Report {
  const { tools, version = revision, placesOf } = listed;
  const found = lintTools(tools, version === undefined ? {} : { version });
  const places = placesOf(found);
  return listedReport(
    listed,
    found.map(({ tool, path, rule, severity, message, fix }, index) => ({
      rule,
      level: LEVEL_OF[severity],
      subject: tool,
      path,
      message,
      fix,
      ...places[index],
    })),
  );
}
