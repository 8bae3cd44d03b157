import { lintFor, type ProviderName } from "@touchstone/protocol/lint";
import { plural } from "@touchstone/util/plural";
import { hasFindings, LEVEL_OF, type Report } from "../findings/finding.ts";
import { writeReport } from "../findings/render.ts";
import { CliExit, EXIT_FINDINGS } from "../io/exit.ts";
import type { ProcessIo } from "../io/process-io.ts";
import { Progress } from "../terminal/progress.ts";
import {
  failIfPartial,
  type ListedOptions,
  type ListedTools,
  listedReport,
  listedTools,
} from "../tools/list-tools.ts";
import { rewriteTools } from "./rewrite-tools.ts";

export interface LintCommandOptions extends ListedOptions {
  readonly for: readonly ProviderName[];
  /** The prefix that the client adds to tool names. */
  readonly prefix?: string;
  /** The file for the rewritten tools. */
  readonly rewrite?: string;
}

/**
 * Reports what providers refuse in the tools of a server or a file, and rewrites the tools on request.
 * @throws CliExit 1 if something was found, 2 for a wrong file, 3 if the server does not respond, the file lacks
 *   tools, or a file cannot be written
 */
export async function runLint(
  words: readonly string[],
  options: LintCommandOptions,
  io: ProcessIo & { readonly version: string; readonly args: readonly string[] },
): Promise<void> {
  const listed = await listedTools("lint", words, options, io);
  const progress = new Progress(io);
  progress.show(`checking ${plural(listed.tools.length, "tool")} …`);
  const report = reportOf(listed, options);
  progress.clear();
  writeReport(report, options.output, io, options.failOn, options.report, options.by);
  if (options.rewrite !== undefined) rewriteTools(listed, options.rewrite, options.for, io);
  if (hasFindings(report, options.failOn)) throw new CliExit(EXIT_FINDINGS);
  failIfPartial(listed);
}

function reportOf(listed: ListedTools, { for: providers, prefix }: LintCommandOptions): Report {
  const { name, tools, placesOf } = listed;
  const found = lintFor(tools, providers, prefix === undefined ? {} : { prefix });
  const places = placesOf(found.map(({ index, path }) => ({ index: Math.max(0, index), path })));
  return listedReport(
    listed,
    found.map(({ provider, tool, path, rule, severity, message, fix }, at) => ({
      rule: `${provider}/${rule}`,
      level: LEVEL_OF[severity],
      subject: tool === "" ? name : tool,
      path,
      message,
      fix,
      ...places[at],
    })),
  );
}
