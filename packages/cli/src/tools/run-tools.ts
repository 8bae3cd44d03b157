import { didYouMean } from "@touchstone/gateway/config";
import { parse } from "yaml";
import { withApprovedConfig } from "../config-file/approve-config.ts";
import {
  configurationFiles,
  configuredGateway,
  reachableServer,
} from "../config-file/configured.ts";
import { noConfig } from "../config-file/default-config.ts";
import { reportSkippedServers, skipReason } from "../config-file/skipped-servers.ts";
import { findingLine } from "../findings/finding.ts";
import { CliExit, EXIT_FAILED, EXIT_USAGE } from "../io/exit.ts";
import type { ProcessIo } from "../io/process-io.ts";
import type { HeaderOptions, ServeOptions } from "../options/common-options.ts";
import { splitServerWords } from "../servers/words.ts";
import { terminalWidth, wantsColour } from "../terminal/capable.ts";
import { indentJson } from "../terminal/indent-json.ts";
import { escapeUnsafe, safeText } from "../terminal/safe-text.ts";
import { toYaml } from "../terminal/yaml.ts";
import {
  findToolSource,
  type ListedTools,
  serverToolSource,
  type ToolSource,
  toolFindingName,
} from "./list-tools.ts";
import { describeTool, type NamedTools, toolTable } from "./text.ts";

export interface ToolsOptions extends ServeOptions, HeaderOptions {
  readonly output: "table" | "wide" | "json" | "jsonl" | "yaml";
  /** Seconds. */
  readonly timeout: number;
  /** Flags on the command line that do not apply to a file. */
  readonly forServer: readonly string[];
}

type ToolsIo = ProcessIo & { readonly version: string; readonly args: readonly string[] };

/** The tools of a subject, or why they cannot be listed. */
type Outcome = { readonly name: string } & (
  | { readonly listed: ListedTools }
  | { readonly failure: CliExit }
);

/**
 * Lists the tools of a server, a file, or every enabled server in the configuration, or describes one tool.
 * Machine-readable formats contain each declaration exactly as the server wrote it.
 * @throws CliExit 2 for wrong usage or an unknown tool; 3 if a server does not respond or a file cannot be read; 128
 *   plus the signal's number if a signal ended it
 */
export async function runTools(
  words: readonly string[],
  options: ToolsOptions,
  io: ToolsIo,
): Promise<void> {
  if (words.length === 0) {
    await listAll(options, io);
    return;
  }
  const { server, rest } = splitServerWords(words, io.args);
  const [tool, ...more] = rest;
  if (more.length > 0) {
    const text = `tools takes a server and one tool; "${safeText(more.join(" "))}" is too much`;
    throw new CliExit(EXIT_USAGE, text);
  }
  const outcome = await outcomeOf(await findToolSource(server, options, io));
  if ("failure" in outcome) {
    if (isMachine(options)) io.stdout.write(written(memberTexts(outcome), options));
    throw outcome.failure;
  }
  const { listed } = outcome;
  warn(listed, io);
  if (tool !== undefined) {
    printTool(listed, tool, options, io);
    return;
  }
  if (isMachine(options)) {
    const text = options.output === "jsonl" ? lines([outcome]) : memberTexts(outcome);
    io.stdout.write(written(text, options));
  } else io.stdout.write(table([outcome], options, io));
}

/** Lists the tools of every enabled server. If some servers cannot be reached, the others are still listed. */
async function listAll(given: ToolsOptions, io: ToolsIo): Promise<void> {
  if (given.header !== undefined || given.headerEnv !== undefined) {
    throw new CliExit(EXIT_USAGE, "--header goes with a URL: name one");
  }
  const options = await withApprovedConfig(given, io);
  if (configurationFiles(options).length === 0) {
    const { message } = noConfig("tools", io.env);
    throw new CliExit(EXIT_USAGE, `${message}; or name a server: a URL, or -- COMMAND ARGS…`);
  }
  const { servers, leftOut } = configuredGateway(options, io.env);
  const enabled = servers.filter(({ disabled }) => !disabled).map(reachableServer);
  const outcomes: Outcome[] = [];
  for (const server of enabled) {
    const outcome = await outcomeOf(serverToolSource(server, options, io));
    outcomes.push(outcome);
    if ("listed" in outcome) warn(outcome.listed, io);
    else io.stderr.write(`touchstone: ${outcome.failure.message}\n`);
  }
  reportSkippedServers(
    leftOut,
    ({ name }, why) =>
      io.stderr.write(`touchstone: ${safeText(name)}: skipped: ${safeText(why)}\n`),
    (more) => io.stderr.write(`touchstone: and ${more} more are skipped\n`),
  );
  const skipped = leftOut.map(
    (one): Outcome => ({ name: one.name, failure: new CliExit(EXIT_FAILED, skipReason(one)) }),
  );
  const all = [...outcomes, ...skipped];
  if (!isMachine(options)) io.stdout.write(table(outcomes, options, io));
  else if (options.output === "jsonl") io.stdout.write(written(lines(all), options));
  else io.stdout.write(written(`{"servers":[${all.map(memberTexts).join(",")}]}`, options));
  const failed = all.filter((outcome) => "failure" in outcome).length;
  if (failed > 0) throw new CliExit(EXIT_FAILED, `${failed} of ${all.length} servers not listed`);
}

async function outcomeOf({ name, list }: ToolSource): Promise<Outcome> {
  try {
    return { name, listed: await list() };
  } catch (error) {
    if (error instanceof CliExit && error.code === EXIT_FAILED) return { name, failure: error };
    throw error;
  }
}

/** Reports problems with a server's list. These are not part of the command's response. */
function warn({ name, findings = [] }: ListedTools, { stderr }: ToolsIo): void {
  for (const finding of findings.slice(0, 20)) {
    stderr.write(`touchstone: warning: ${safeText(name)}: ${safeText(findingLine(finding))}\n`);
  }
}

const isMachine = ({ output }: ToolsOptions): boolean => output !== "table" && output !== "wide";

function table(outcomes: readonly Outcome[], { output }: ToolsOptions, io: ToolsIo): string {
  const named = outcomes.flatMap((outcome): NamedTools[] =>
    "listed" in outcome ? [{ server: outcome.name, tools: outcome.listed.tools }] : [],
  );
  const isWide = output === "wide";
  return toolTable(named, {
    width: isWide ? undefined : terminalWidth(io.stdout),
    isWide,
    colour: wantsColour(io),
    withServer: outcomes.length > 1,
  });
}

function printTool(listed: ListedTools, name: string, options: ToolsOptions, io: ToolsIo): void {
  const names = listed.tools.map(toolFindingName);
  // The last declaration of a name wins, as in the gateway.
  const at = names.lastIndexOf(name);
  if (at < 0) throw unknownTool(name, names);
  if (isMachine(options)) io.stdout.write(written(listed.texts()[at] ?? "null", options));
  else io.stdout.write(describeTool(listed.tools[at], wantsColour(io)));
}

/** Returns a usage error that names the closest tool and the available tools. */
export function unknownTool(name: string, names: readonly string[]): CliExit {
  const hint = safeText(didYouMean(name, names));
  const all = names.slice(0, 50).map(safeText).join(", ");
  return new CliExit(
    EXIT_USAGE,
    `the server has no tool "${safeText(name)}"${hint === "" ? "." : hint} It has: ${all}`,
  );
}

/** Returns JSON of a server with its tools, or with the reason they are missing. */
function memberTexts(outcome: Outcome): string {
  const server = `"server":${JSON.stringify(outcome.name)}`;
  if ("failure" in outcome) {
    return `{${server},"failure":${JSON.stringify({ reason: outcome.failure.message })}}`;
  }
  const { version, texts } = outcome.listed;
  const revision = version === undefined ? "" : `,"revision":${JSON.stringify(version)}`;
  return `{${server}${revision},"tools":[${texts().join(",")}]}`;
}

/** Returns JSON of each tool with its server, one tool per line. */
function lines(outcomes: readonly Outcome[]): string {
  return outcomes
    .flatMap((outcome) => {
      const server = `"server":${JSON.stringify(outcome.name)}`;
      return "failure" in outcome
        ? [memberTexts(outcome)]
        : outcome.listed.texts().map((text) => `{${server},"tool":${text}}`);
    })
    .map((line) => `${line.replaceAll(/[\r\n]/g, " ")}\n`)
    .join("");
}

/** Returns JSON text in the requested format. */
function written(text: string, { output }: ToolsOptions): string {
  if (output === "json") return indentJson(text);
  // JSON is valid YAML, and numbers beyond a double keep their digits.
  if (output === "yaml") return toYaml(parse(text, { intAsBigInt: true }));
  const line = escapeUnsafe(text, "json");
  return line.endsWith("\n") || line === "" ? line : `${line}\n`;
}
