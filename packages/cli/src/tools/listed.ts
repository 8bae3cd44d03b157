import { encodeUtf8 } from "@touchstone/core";
import type { HeaderOptions, ServeOptions } from "../common-options.ts";
import { configurationFiles } from "../configured.ts";
import { findConfig } from "../default-config.ts";
import { CliExit, EXIT_USAGE } from "../exit.ts";
import { type Report, type ReportFinding, UNASKED_RULE, UNREAD_RULE } from "../findings/finding.ts";
import { orReported, type Reporting } from "../findings/unread.ts";
import { nameOfInput } from "../input-pieces.ts";
import type { ProcessIo } from "../process-io.ts";
import { answered, cannotBeAsked, withConnection } from "../servers/asking.ts";
import { foundTarget, type ServerTarget } from "../servers/target.ts";
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

/** The tools of a server or a file; of a server, with the revision that it speaks. */
export interface Listed extends Omit<Capture, "warnings"> {
  readonly version?: string;
  /** What is wrong with the server's responses, single tools left aside. */
  readonly findings?: readonly ReportFinding[];
}

/** A server or a file whose tools can be listed. */
export interface Subject {
  readonly name: string;
  /** The rule of a finding that says why its tools cannot be listed. */
  readonly rule: string;
  /** The server; undefined for a file. */
  readonly target?: ServerTarget;
  /**
   * Lists the tools.
   * @throws CliExit 2 for a wrong file, 3 if it cannot be read or the server does not answer, 128 and a signal's number
   *   if one ended it
   */
  list(): Promise<Listed>;
}

type ListIo = ProcessIo & { readonly version: string; readonly args: readonly string[] };
type SubjectOptions = Omit<ListedOptions, keyof Reporting>;

/**
 * Lists the tools of the server, or in the file, that the words of a command line mean. If that fails, the report of a
 * machine's format says why.
 * @param command what messages name
 * @throws CliExit 2 for too many words, and what {@link Subject.list} throws
 */
export async function listedTools(
  command: string,
  words: readonly string[],
  options: ListedOptions,
  io: ListIo,
): Promise<Listed> {
  const { server, rest } = serverWords(words, io.args);
  if (rest.length > 0) {
    const text = `${command} takes one server or file; "${rest.join(" ")}" is too much`;
    throw new CliExit(EXIT_USAGE, text);
  }
  const { name, rule, list } = await subjectOf(server, options, io);
  return orReported(name, rule, options, io, list);
}

/**
 * Finds the server or the file that words mean.
 * @param server as {@link serverWords} returns them
 * @throws CliExit 2 if they mean none, or an option is of no use for a file
 */
export async function subjectOf(
  server: readonly string[],
  options: SubjectOptions,
  io: ListIo,
): Promise<Subject> {
  const [word = ""] = server;
  if (word === "--" || !isCapture(word, isConfigured(options, io.env))) {
    return serverSubject(await foundTarget(server, options, io, { asks: true }), options, io);
  }
  const name = nameOfInput(word);
  const [flag] = options.forServer;
  if (flag !== undefined) {
    const text = `${flag} is for a server, and ${safeText(name)} is a file; leave it out`;
    throw new CliExit(EXIT_USAGE, text);
  }
  const list = async (): Promise<Listed> => {
    const capture = await readCapture(word, io.stdin);
    for (const warning of capture.warnings) io.stderr.write(`touchstone: warning: ${warning}\n`);
    return capture;
  };
  return { name, rule: UNREAD_RULE, list };
}

/** Returns whether a word may be the name of a configured server. */
function isConfigured(options: SubjectOptions, env: ProcessIo["env"]): boolean {
  return configurationFiles(options).length > 0 || findConfig("project", env).file !== undefined;
}

/** Returns a server whose tools are listed. */
export function serverSubject(
  target: ServerTarget,
  options: { readonly timeout: number },
  io: ProcessIo & { readonly version: string },
): Subject {
  const ask = (): Promise<Listed> =>
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
  const list = (): Promise<Listed> => answered(cannotBeAsked(target), ask);
  return { name: target.name, rule: UNASKED_RULE, target, list };
}

/** Returns how findings name a tool. */
export function nameOf(tool: unknown, index: number): string {
  const name = typeof tool === "object" && tool !== null && "name" in tool ? tool.name : undefined;
  return typeof name === "string" ? name : `#${index}`;
}

/** Returns a report about tools: first what is wrong with the responses of their server. */
export function listedReport(
  { name, tools, findings: ofServer = [] }: Listed,
  ofTools: readonly ReportFinding[],
): Report {
  const findings = [...ofServer, ...ofTools];
  const subjects = new Set([...ofServer.map(({ subject }) => subject), ...tools.map(nameOf)]);
  return { name, subjects: [...subjects], findings };
}
