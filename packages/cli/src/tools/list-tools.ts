import { encodeUtf8 } from "@touchstone/core/advanced";
import { toolTexts } from "@touchstone/protocol/advanced";
import { configurationFiles } from "../config-file/configured.ts";
import { findConfig } from "../config-file/default-config.ts";
import {
  type Report,
  type ReportFinding,
  UNREACHABLE_RULE,
  UNREADABLE_RULE,
} from "../findings/finding.ts";
import type { ReportOrder } from "../findings/render.ts";
import { type ReportOptions, withFailureReport } from "../findings/unreadable-input.ts";
import { CliExit, EXIT_FAILED, EXIT_USAGE } from "../io/exit.ts";
import { inputName } from "../io/input-pieces.ts";
import type { ProcessIo } from "../io/process-io.ts";
import type { HeaderOptions, ServeOptions } from "../options/common-options.ts";
import { exitOnServerFailure, unreachableText, withConnection } from "../servers/server-failure.ts";
import { foundTarget, type ServerTarget } from "../servers/target.ts";
import { splitServerWords } from "../servers/words.ts";
import { safeText } from "../terminal/safe-text.ts";
import { type Capture, isCapture, readCapture } from "./capture.ts";

/** Options of commands that examine the tools of a server or a file. */
export interface ListedOptions extends ServeOptions, HeaderOptions, ReportOptions {
  /** Seconds. */
  readonly timeout: number;
  /** The order of a report for people. */
  readonly by?: ReportOrder;
  /** The flags that the user typed and that do not apply to a file. */
  readonly forServer: readonly string[];
}

/** The tools of a server or a file; for a server, with the revision that it supports. */
export interface ListedTools extends Omit<Capture, "warnings"> {
  readonly version?: string;
  /** The faults in the server's responses, apart from those of single tools. */
  readonly findings?: readonly ReportFinding[];
}

/** A server or a file whose tools can be listed. */
export interface ToolSource {
  readonly name: string;
  /** The rule for a finding that explains why its tools cannot be listed. */
  readonly rule: string;
  /** The server; undefined for a file. */
  readonly target?: ServerTarget;
  /**
   * Lists the tools.
   * @throws CliExit 2 for a wrong file, 3 if it cannot be read or the server does not respond, 128 and a signal's
   *   number if one ended it
   */
  list(): Promise<ListedTools>;
}

type ListIo = ProcessIo & { readonly version: string; readonly args: readonly string[] };
type SubjectOptions = Omit<ListedOptions, keyof ReportOptions>;

/**
 * Lists the tools of the server or file that the words of a command line name. If that fails, a report in a
 * machine-readable format gives the reason.
 * @param command the name that messages use
 * @throws CliExit 2 for too many words, and what {@link ToolSource.list} throws
 */
export async function listedTools(
  command: string,
  words: readonly string[],
  options: ListedOptions,
  io: ListIo,
): Promise<ListedTools> {
  const { server, rest } = splitServerWords(words, io.args);
  if (rest.length > 0) {
    const text = `${command} takes one server or file; "${rest.join(" ")}" is too much`;
    throw new CliExit(EXIT_USAGE, text);
  }
  const { name, rule, list } = await findToolSource(server, options, io);
  return withFailureReport(name, rule, options, io, list);
}

/**
 * Finds the server or the file that words name.
 * @param server as returned by {@link splitServerWords}
 * @throws CliExit 2 if they name neither, or an option does not apply to a file
 */
export async function findToolSource(
  server: readonly string[],
  options: SubjectOptions,
  io: ListIo,
): Promise<ToolSource> {
  const [word = ""] = server;
  if (word === "--" || !isCapture(word, isConfigured(options, io.env))) {
    return serverToolSource(await foundTarget(server, options, io), options, io);
  }
  const name = inputName(word);
  const [flag] = options.forServer;
  if (flag !== undefined) {
    const text = `${flag} is for a server, and ${safeText(name)} is a file; leave it out`;
    throw new CliExit(EXIT_USAGE, text);
  }
  const list = async (): Promise<ListedTools> => {
    const capture = await readCapture(word, io.stdin);
    const { warnings, partial = [] } = capture;
    for (const warning of [...warnings, partial].flat()) {
      io.stderr.write(`touchstone: warning: ${warning}\n`);
    }
    return capture;
  };
  return { name, rule: UNREADABLE_RULE, list };
}

/** Returns whether a word may be the name of a configured server. */
function isConfigured(options: SubjectOptions, env: ProcessIo["env"]): boolean {
  return configurationFiles(options).length > 0 || findConfig("project", env).file !== undefined;
}

/** Returns the source for a server, whose tools can be listed. */
export function serverToolSource(
  target: ServerTarget,
  options: { readonly timeout: number },
  io: ProcessIo & { readonly version: string },
): ToolSource {
  const ask = (): Promise<ListedTools> =>
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
  const list = (): Promise<ListedTools> => exitOnServerFailure(unreachableText(target), ask);
  return { name: target.name, rule: UNREACHABLE_RULE, target, list };
}

/**
 * Ends a command without findings with status 3 if it could not examine every tool of the server.
 * @throws CliExit 3 if tools are missing
 */
export function failIfPartial({ partial }: Pick<ListedTools, "partial">): void {
  if (partial !== undefined) throw new CliExit(EXIT_FAILED, "not every tool was examined");
}

/** Returns the name that findings use for a tool. */
export function toolFindingName(tool: unknown, index: number): string {
  const name = typeof tool === "object" && tool !== null && "name" in tool ? tool.name : undefined;
  return typeof name === "string" ? name : `#${index}`;
}

/** Returns a report about tools. Faults in their server's responses come first. */
export function listedReport(
  { name, tools, findings: ofServer = [], partial }: ListedTools,
  ofTools: readonly ReportFinding[],
): Report {
  const rest = partial === undefined ? [] : [morePages(name, partial)];
  const findings = [...ofServer, ...rest, ...ofTools];
  const names = new Set(tools.map(toolFindingName));
  const responses = [...new Set(ofServer.map(({ subject }) => subject))].filter(
    (subject) => !names.has(subject),
  );
  const subjects = [...responses, ...names];
  return { name, subjects, ...(responses.length === 0 ? {} : { responses }), findings };
}

/** Returns the finding about tools that a report lacks. */
function morePages(name: string, message: string): ReportFinding {
  return {
    ...{ rule: "not-examined", level: "note", subject: name, path: "/nextCursor", message },
    fix: "Save every page, and join the lists of tools.",
  };
}
