import { decideCalls } from "@touchstone/gateway/decide";
import { TouchstoneError } from "@touchstone/gateway/errors";
import {
  CaptureError,
  type MockSource,
  type Recordings,
  readSource,
} from "@touchstone/gateway/recordings";
import { hasFindings, type Level, UNREACHABLE_RULE } from "../findings/finding.ts";
import { writeReport } from "../findings/render.ts";
import { type ReportOptions, withFailureReport } from "../findings/unreadable-input.ts";
import { CliExit, EXIT_FAILED, EXIT_FINDINGS, EXIT_USAGE } from "../io/exit.ts";
import type { ProcessIo } from "../io/process-io.ts";
import { readError } from "../io/read-error.ts";
import type { HeaderOptions, ServeOptions } from "../options/common-options.ts";
import type { Connection } from "../servers/connect.ts";
import { exitOnServerFailure, unreachableText, withConnection } from "../servers/server-failure.ts";
import { foundTarget, type ServerTarget } from "../servers/target.ts";
import { splitServerWords } from "../servers/words.ts";
import type { Progress } from "../terminal/progress.ts";
import { safeText } from "../terminal/safe-text.ts";
import { type Comparing, Run } from "./repeat-calls.ts";
import { type VerifyReport, verifyReport, verifySummaryText } from "./report.ts";
import { type CallToRepeat, recordedPages, selectCalls, toolsByName } from "./select-calls.ts";

export interface VerifyOptions extends ServeOptions, HeaderOptions, ReportOptions {
  /** Seconds. */
  readonly timeout: number;
  readonly failOn: Level;
  /** The server in the capture. */
  readonly recorded?: string;
  /** Names of tools, with commas. */
  readonly tools?: string;
  readonly exact?: readonly string[];
}

type VerifyIo = ProcessIo & { readonly version: string; readonly args: readonly string[] };

/** After this many calls without a response, the others are not made. */
const MAX_FAILURES = 5;
/** How many calls are made a second time. */
const MAX_CONFIRMED = 10_000;

/**
 * Repeats recorded calls of tools that only read, and reports how they end differently than before.
 * @throws CliExit 1 if something has changed, 2 for wrong usage, 3 if the server does not respond, nothing was repeated,
 *   or something could not be checked and nothing has changed; CaptureError if the file is not a capture
 */
export async function runVerifyServer(
  words: readonly string[],
  options: VerifyOptions,
  io: VerifyIo,
): Promise<void> {
  const [file, server] = fileAndServer(words, io.args);
  const target = await foundTarget(server, options, io);
  const source = await captureIn(file, options.recorded);
  try {
    const report = await withFailureReport(target.name, UNREACHABLE_RULE, options, io, () =>
      verify({ file, source, target }, options, io),
    );
    writeReport(report, options.output, io, options.failOn, options.report);
    const text = verifySummaryText(report.summary);
    if (options.output === "pretty") io.stdout.write(text);
    else io.stderr.write(`touchstone: ${text}`);
    exitWith(report, options.failOn);
  } finally {
    source.recordings.close();
  }
}

function exitWith(report: VerifyReport, failOn: Level): void {
  const { repeated, unchecked, not_repeated: notRepeated } = report.summary;
  if (hasFindings(report, failOn)) throw new CliExit(EXIT_FINDINGS);
  if (repeated === 0) throw new CliExit(EXIT_FAILED, "no recorded call was repeated");
  if (unchecked > 0) throw new CliExit(EXIT_FAILED, "not every result could be checked");
  if (notRepeated.ended !== undefined) {
    throw new CliExit(EXIT_FAILED, "the server ended before all calls were repeated");
  }
}

/** @throws CliExit 2 if they are not a file and a server */
function fileAndServer(
  words: readonly string[],
  args: readonly string[],
): readonly [file: string, server: readonly string[]] {
  const { server, rest } = splitServerWords(words, args);
  const isCommand = server[0] === "--";
  const [file, ...others] = isCommand ? rest : words;
  const [named, more] = isCommand ? [server, others] : [others.slice(0, 1), others.slice(1)];
  if (file === undefined || named.length === 0) {
    const text = "name a capture and a server: a URL, a configured name, or -- COMMAND ARGS…";
    throw new CliExit(EXIT_USAGE, text);
  }
  if (more.length > 0) {
    const text = `verify takes one capture and one server; "${more.join(" ")}" is too much`;
    throw new CliExit(EXIT_USAGE, text);
  }
  return [file, named];
}

async function captureIn(file: string, server: string | undefined): Promise<MockSource> {
  let source: MockSource;
  try {
    source = await readSource(file, server);
  } catch (error) {
    if (error instanceof TouchstoneError) throw error;
    throw readError(file, error);
  }
  if (source.kind === "capture") return source;
  const text = `${file}: a ${source.kind} has no calls; name a file that --capture wrote`;
  throw new CaptureError("CAPTURE_INVALID", text);
}

interface Subject {
  readonly file: string;
  readonly source: MockSource;
  readonly target: ServerTarget;
}

type Task<T> = (connection: Connection, progress: Progress) => Promise<T>;
type Open = <T>(task: Task<T>) => Promise<T>;
type Tools = ReadonlyMap<string, object>;

async function verify(
  { file, source, target }: Subject,
  options: VerifyOptions,
  io: VerifyIo,
): Promise<VerifyReport> {
  const { recordings } = source;
  if (recordings.callCount === 0) {
    throw new CliExit(EXIT_FAILED, `${safeText(file)} has no calls of tools`);
  }
  const allowed = allowedTools(options.tools, recordings);
  const open: Open = (task) => withConnection(target, options, io, task);
  const begun = await open(async (connection, progress) => {
    const { tools, pages } = await exitOnServerFailure(unreachableText(target), () =>
      listedTools(connection, progress),
    );
    const comparing: Comparing = {
      recordings,
      before: await decideCalls({ name: target.name, pages: recordedPages(recordings) }),
      now: await decideCalls({ ...target, pages }),
      exact: options.exact ?? [],
    };
    const selection = selectCalls(recordings, { now: tools, allowed });
    const first = new Run(comparing);
    const made = await repeatSome(first, selection.calls, tools)(connection, progress);
    return { tools, comparing, selection, first, made };
  });
  const { tools, comparing, selection, first } = begun;
  const made = await repeatRest(first, selection.calls, tools, open, begun.made);
  if (made < selection.calls.length) selection.skipped.set("ended", selection.calls.length - made);
  const calls = selection.calls.slice(0, made);
  const doubtful = differing(first, calls);
  const second = new Run(comparing);
  const again = await repeatRest(second, doubtful, tools, open);
  return verifyReport({
    name: `${file}: ${target.name}`,
    recordings,
    selection: { ...selection, calls },
    first,
    second,
    confirmed: new Set(doubtful.slice(0, again).map(({ exchange }) => exchange)),
    isComplete: again === doubtful.length,
  });
}

/** @throws CliExit 2 if a tool has no recorded calls */
function allowedTools(names: string | undefined, recordings: Recordings): ReadonlySet<string> {
  const allowed = new Set((names ?? "").split(",").filter((name) => name !== ""));
  for (const name of allowed) {
    if (recordings.ofTarget("tools/call", name).length > 0) continue;
    throw new CliExit(EXIT_USAGE, `--tools: the capture has no calls of "${safeText(name)}"`);
  }
  return allowed;
}

async function listedTools(
  connection: Connection,
  progress: Progress,
): Promise<{ readonly tools: Tools; readonly pages: readonly string[] }> {
  progress.show("listing tools …");
  const pages: string[] = [];
  const listed = await connection.listTools((page) => pages.push(page));
  if (connection.isCut) throw new Error("its list of tools is incomplete");
  return { tools: toolsByName(listed), pages };
}

/**
 * Returns a task that makes calls until the server does not respond to one.
 * @param from how many were made before
 * @returns how many calls were made
 */
function repeatSome(
  run: Run,
  calls: readonly CallToRepeat[],
  tools: Tools,
  from = 0,
): Task<number> {
  return async (connection, progress) => {
    let made = from;
    let responds = true;
    while (responds && made < calls.length) {
      progress.at(() => `repeating calls, ${made} of ${calls.length} …`);
      const call = calls[made] as CallToRepeat;
      responds = await run.repeat(call, tools.get(call.tool) ?? {}, connection);
      made += 1;
    }
    return made;
  };
}

/**
 * Connects and makes the calls that were not made, and connects again after one to which the server did not respond.
 * Gives up after some of them, or if the server cannot be reached.
 * @returns how many calls were made
 */
async function repeatRest(
  run: Run,
  calls: readonly CallToRepeat[],
  tools: Tools,
  open: Open,
  before = 0,
): Promise<number> {
  let made = before;
  try {
    for (let failures = 0; made < calls.length && failures < MAX_FAILURES; failures += 1) {
      made = await open(repeatSome(run, calls, tools, made));
    }
  } catch (error) {
    if (!(error instanceof CliExit) || error.code !== EXIT_FAILED) throw error;
  }
  return made;
}

/** Returns the calls that differ, and all calls of tools whose results have another shape; at most 10,000. */
function differing(run: Run, calls: readonly CallToRepeat[]): readonly CallToRepeat[] {
  const tools = new Set<string>();
  for (const [tool, { before, now }] of run.shapes) {
    if (before.differences(now).length > 0) tools.add(tool);
  }
  const found = calls.filter(
    ({ exchange, tool }) => tools.has(tool) || run.differences.has(exchange),
  );
  return found.slice(0, MAX_CONFIRMED);
}
