import { encodeUtf8 } from "@touchstone/core";
import { lintTools } from "@touchstone/protocol/lint";
import type { HeaderOptions, ServeOptions } from "../common-options.ts";
import { configurationFiles } from "../configured.ts";
import { CliExit, EXIT_FINDINGS, EXIT_USAGE } from "../exit.ts";
import {
  hasFindings,
  type Report,
  type ReportFinding,
  UNASKED_RULE,
  UNREAD_RULE,
} from "../findings/finding.ts";
import { writeReport } from "../findings/render.ts";
import { orReported, type Reporting } from "../findings/unread.ts";
import { nameOfInput } from "../input-pieces.ts";
import type { ProcessIo } from "../process-io.ts";
import { answered, cannotBeAsked, withConnection } from "../servers/asking.ts";
import { serverTarget } from "../servers/target.ts";
import { serverWords } from "../servers/words.ts";
import { safeText } from "../terminal/safe-text.ts";
import { type Capture, isCapture, readCapture, toolTexts } from "./capture.ts";

/** Options of commands that look at the tools of a server or a file. */
export interface ListedOptions extends ServeOptions, HeaderOptions, Reporting {
  /** Seconds. */
  readonly timeout: number;
  /** The flags that were typed and mean something of a server only. */
  readonly forServer: readonly string[];
}

export type ToolCheckOptions = ListedOptions;

/** The tools of a server or a file; of a server, with the revision that it speaks. */
export interface Listed extends Omit<Capture, "warnings"> {
  readonly version?: string;
  /** What is wrong with the server's answers, single tools left aside. */
  readonly findings?: readonly ReportFinding[];
}

const LEVELS = { error: "error", warning: "warning", info: "note" } as const;

/**
 * Judges every tool of a server, or of a file that holds a `tools/list` result.
 * @throws CliExit 1 where something was found, 2 for a wrong file, 3 where the server does not answer;
 *   128 and a signal's number where one ended it
 */
export async function runCheck(
  words: readonly string[],
  options: ToolCheckOptions,
  io: ProcessIo & { readonly version: string; readonly args: readonly string[] },
): Promise<void> {
  const listed = await listedTools("check", words, options, io);
  const report = reportOf(listed);
  writeReport(report, options.output, io, options.failOn);
  if (hasFindings(report, options.failOn)) throw new CliExit(EXIT_FINDINGS);
}

/**
 * The tools of the server, or in the file, that the words of a command line mean.
 * Where they cannot be had, the report of a machine's format says why.
 * @param command what messages name
 * @throws CliExit 2 for a wrong file or too many words, 3 where the server does not answer, 128 and a
 *   signal's number where one ended it
 */
export async function listedTools(
  command: string,
  words: readonly string[],
  options: ListedOptions,
  io: ProcessIo & { readonly version: string; readonly args: readonly string[] },
): Promise<Listed> {
  const { server, rest } = serverWords(words, io.args);
  if (rest.length > 0) {
    const text = `${command} takes one server or file; "${rest.join(" ")}" is too much`;
    throw new CliExit(EXIT_USAGE, text);
  }
  const [word = ""] = server;
  if (word === "--" || !isCapture(word, configurationFiles(options).length > 0)) {
    return listTools(server, options, io);
  }
  const [flag] = options.forServer;
  if (flag !== undefined) {
    const name = safeText(nameOfInput(word));
    throw new CliExit(EXIT_USAGE, `${flag} is for a server, and ${name} is a file; leave it out`);
  }
  const capture = await orReported(nameOfInput(word), UNREAD_RULE, options, io, () =>
    readCapture(word, io.stdin),
  );
  for (const warning of capture.warnings) io.stderr.write(`touchstone: warning: ${warning}\n`);
  return capture;
}

async function listTools(
  server: readonly string[],
  options: ListedOptions,
  io: ProcessIo & { readonly version: string },
): Promise<Listed> {
  const target = serverTarget(server, options, io.env);
  const ask = () =>
    withConnection(target, options, io, async (connection, progress) => {
      const { revision: version } = connection;
      const pages: string[] = [];
      progress.show("listing tools …");
      const tools = await connection.listTools((text) => {
        pages.push(text);
        progress.at(() => `listing tools, page ${pages.length} …`);
      });
      return {
        name: target.name,
        tools,
        version,
        findings: connection.findings,
        texts: () => pages.flatMap((page) => toolTexts(encodeUtf8(page), "/tools")),
        placesOf: (found: readonly unknown[]) => found.map(() => ({})),
      };
    });
  return orReported(target.name, UNASKED_RULE, options, io, () =>
    answered(cannotBeAsked(target), ask),
  );
}

/** How findings name a tool. */
export function nameOf(tool: unknown, index: number): string {
  const name = typeof tool === "object" && tool !== null && "name" in tool ? tool.name : undefined;
  return typeof name === "string" ? name : `#${index}`;
}

/** A report about tools: first what is wrong with the answers of their server. */
export function listedReport(
  { name, tools, findings: ofServer = [] }: Listed,
  ofTools: readonly ReportFinding[],
): Report {
  const findings = [...ofServer, ...ofTools];
  const subjects = new Set([...ofServer.map(({ subject }) => subject), ...tools.map(nameOf)]);
  return { name, subjects: [...subjects], findings };
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
