import {
  boundedResult,
  type Check,
  decodeUtf8,
  describeIssue,
  encodeUtf8,
  type Issue,
  isSchemaRule,
  type RepairedText,
  repairsNamed,
} from "@touchstone/core/advanced";
import type { CallDecider } from "@touchstone/gateway/decide";
import { judgeToolResult } from "@touchstone/protocol/advanced";
import { withDuplicateKeys } from "../findings/duplicate-keys.ts";
import { CliExit, EXIT_FAILED, EXIT_USAGE } from "../io/exit.ts";
import type { ProcessIo } from "../io/process-io.ts";
import type { HeaderOptions, ServeOptions } from "../options/common-options.ts";
import type { RepairName } from "../repair/repair-option.ts";
import { repairsLine } from "../repair/repaired-text.ts";
import type { Connection } from "../servers/connect.ts";
import { JsonRpcResponseError } from "../servers/json-rpc-error.ts";
import { exitOnServerFailure, unreachableText, withConnection } from "../servers/server-failure.ts";
import { foundTarget, type ServerTarget } from "../servers/target.ts";
import { splitServerWords } from "../servers/words.ts";
import { indentJson } from "../terminal/indent-json.ts";
import { safeText } from "../terminal/safe-text.ts";
import { runTools, unknownTool } from "../tools/run-tools.ts";
import { type CallArguments, readArguments } from "./arguments.ts";
import { type CallOutput, exitWithCall } from "./called.ts";
import { refuseMisplaced } from "./misplaced-arguments.ts";
import { typedArguments } from "./typed-arguments.ts";

export interface CallOptions extends ServeOptions, HeaderOptions {
  /** `key=value` each. */
  readonly argument?: readonly string[];
  readonly output: "pretty" | "json";
  /** Seconds. */
  readonly timeout: number;
  readonly unchecked?: boolean;
  /** Which repairs of the arguments are allowed. */
  readonly repair?: readonly RepairName[];
}

type CallIo = ProcessIo & { readonly version: string; readonly args: readonly string[] };

interface Tool {
  readonly name: string;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
}

/**
 * Calls one tool, checks arguments and result by its declaration, and checks the result by the MCP revision. In JSON,
 * the output also has the reason if there is no response.
 * @throws CliExit 1 if something is invalid, or the tool or its server reports an error; 3 if the server cannot be
 *   asked, or something could not be checked and nothing is wrong; 128 plus a signal's number if one ended it
 */
export async function runCall(
  words: readonly string[],
  options: CallOptions,
  io: CallIo,
): Promise<void> {
  const { server, rest } = splitServerWords(words, io.args);
  const [name, given, ...more] = rest;
  const { argument } = options;
  if (more.length > 0) {
    const text =
      "call takes a server, a tool, and its arguments as one word of JSON, or each with -a key=value";
    throw new CliExit(EXIT_USAGE, text);
  }
  if (name === undefined) {
    if (argument !== undefined) throw new CliExit(EXIT_USAGE, "-a needs a tool: name one");
    refuseMisplaced(server);
    await listTools(words, options, io);
    return;
  }
  if (given !== undefined && argument !== undefined) {
    throw new CliExit(EXIT_USAGE, "give the arguments as JSON or with -a, not both");
  }
  const target = await foundTarget(server, options, io);
  let called: CallOutput;
  try {
    called = await askTool(target, name, given, options, io);
  } catch (error) {
    if (options.output === "json" && error instanceof CliExit && error.code === EXIT_FAILED) {
      const failure = { reason: error.message };
      io.stdout.write(indentJson(JSON.stringify({ tool: name, failure })));
    }
    throw error;
  }
  exitWithCall(called);
}

/** Lists the tools that may be called, like `touchstone tools`. */
async function listTools(
  words: readonly string[],
  options: CallOptions,
  io: CallIo,
): Promise<void> {
  const output = options.output === "json" ? "json" : "table";
  await runTools(words, { ...options, output, forServer: [] }, io);
  io.stderr.write(
    "touchstone: name one of them to call it; its arguments are JSON or -a key=value\n",
  );
}

/** Calls the tool, and prints the result. */
async function askTool(
  target: ServerTarget,
  name: string,
  given: string | undefined,
  options: CallOptions,
  io: CallIo,
): Promise<CallOutput> {
  const { argument } = options;
  const read = argument === undefined ? await readArguments(given, io.stdin) : undefined;
  return withConnection(target, options, io, async (connection, progress) => {
    const pages: string[] = [];
    const tools = await exitOnServerFailure(unreachableText(target), () =>
      connection.listTools((page) => pages.push(page)),
    );
    const tool = findTool(tools, name);
    const args = read ?? { text: typedArguments(argument ?? [], tool.inputSchema) };
    progress.show(`calling ${safeText(name)} …`);
    const { decideCalls } = await import("@touchstone/gateway/decide");
    const decide = await decideCalls({ ...target, pages });
    const outcome = await callTool(connection, { tool, args, decide }, options);
    const { findings } = connection;
    const called = findings.length === 0 ? outcome : { ...outcome, findings };
    progress.clear();
    if (called.repaired !== undefined) {
      io.stderr.write(`touchstone: repaired: ${repairsLine(called.repaired)}\n`);
    }
    for (const issue of called.input.warnings) {
      io.stderr.write(`touchstone: ${safeText(warningText(issue))}\n`);
    }
    for (const issue of called.output?.warnings ?? []) {
      if (!isSchemaRule(issue.rule)) continue;
      io.stderr.write(`touchstone: warning: ${safeText(describeIssue(issue, "the result"))}\n`);
    }
    print(called, options, io);
    return called;
  });
}

/** Returns the text of a warning about arguments that are sent. */
function warningText(issue: Issue): string {
  if (!isSchemaRule(issue.rule)) return `arguments ${issue.path}: ${issue.message}`;
  return `warning: ${describeIssue(issue, "the arguments")}`;
}

function findTool(tools: readonly unknown[], name: string): Tool {
  const named = tools.filter(
    (tool): tool is Tool =>
      typeof tool === "object" && tool !== null && "name" in tool && typeof tool.name === "string",
  );
  const found = named.findLast((tool) => tool.name === name);
  if (found !== undefined) return found;
  throw unknownTool(
    name,
    named.map((tool) => tool.name),
  );
}

interface CallToMake {
  readonly tool: Tool;
  readonly args: CallArguments;
  readonly decide: CallDecider;
}

async function callTool(
  connection: Connection,
  { tool, args, decide }: CallToMake,
  { unchecked = false, repair }: Pick<CallOptions, "unchecked" | "repair">,
): Promise<CallOutput> {
  const bytes = typeof args.text === "string" ? encodeUtf8(args.text) : args.text;
  const asked = repair === undefined ? undefined : repairsNamed(repair);
  const came = await decide.arguments({ tool: tool.name, arguments: bytes, repair: asked });
  const { repaired: found } = came;
  const text = found?.bytes ?? bytes;
  const { check } =
    found === undefined ? came : await decide.arguments({ tool: tool.name, arguments: text });
  const called = {
    tool: tool.name,
    input: withDuplicateKeys(check, text),
    ...(found === undefined ? {} : { repaired: found }),
  };
  if (!called.input.valid && !unchecked) return called;
  const result = await exitOnServerFailure(`${safeText(tool.name)} returned no result`, () =>
    connection.callTool(tool, text).catch(asAnswer),
  );
  if (result instanceof JsonRpcResponseError) return { ...called, error: result };
  const protocol = byProtocol(result.text, connection.revision);
  const output = await decide.result(tool.name, encodeUtf8(result.text));
  return { ...called, result, protocol, ...(output === undefined ? {} : { output }) };
}

/** Returns the check of a result by its revision, as a gateway checks it in the direction `protocol`. */
function byProtocol(result: string, revision: string): Check {
  const { items: _items, unchecked, ...check } = judgeToolResult(result, revision);
  if (unchecked === undefined || !check.valid) return check;
  const message = "the result is larger than the limit for checks";
  const errors = [{ path: "", message, rule: "budget" as const, keyword: unchecked }];
  return { ...check, valid: false, outcome: "budget", errors, counts: { budget: 1 } };
}

/** Returns a server's error, which counts as the result of the call; rethrows other errors. */
function asAnswer(error: unknown): JsonRpcResponseError {
  if (error instanceof JsonRpcResponseError) return error;
  throw error;
}

/** Returns the same form as `/validate` of the HTTP tool API, with every digit. */
function repairJson({ bytes, repairs, patch }: RepairedText): string {
  return `{"arguments":${decodeUtf8(bytes)},"repairs":${JSON.stringify(repairs)},"patch":${patch}}`;
}

/** Prints the result, or in JSON also the error, with the server's exact numbers. */
function print(
  { result, error, ...verdicts }: CallOutput,
  { output: format }: CallOptions,
  io: ProcessIo,
): void {
  if (format === "json") {
    const { tool, input, output, protocol, findings, repaired: fixed } = verdicts;
    const written = (check: Check): string => JSON.stringify(boundedResult(check));
    const members = [
      ["tool", JSON.stringify(tool)],
      ["input", written(input)],
      ...(fixed === undefined ? [] : [["repair", repairJson(fixed)]]),
      ...(result === undefined ? [] : [["result", result.text]]),
      ...(error === undefined ? [] : [["error", error.text]]),
      ...Object.entries({ protocol, output }).flatMap(([name, check]) =>
        check === undefined ? [] : [[name, written(check)]],
      ),
      ...(findings === undefined ? [] : [["findings", JSON.stringify(findings)]]),
    ];
    const text = members.map(([name, value]) => `"${name}":${value}`).join(",");
    io.stdout.write(indentJson(`{${text}}`));
    return;
  }
  if (result !== undefined) io.stdout.write(indentJson(result.text));
}
