import {
  boundedResult,
  type Check,
  decodeUtf8,
  encodeUtf8,
  jsonText,
  locatePointers,
  READ_NOW,
  type RepairedText,
  SchemaCache,
} from "@touchstone/core";
import { CheckPool } from "@touchstone/core/node";
import { judgeToolResult } from "@touchstone/protocol";
import type { HeaderOptions, ServeOptions } from "../common-options.ts";
import { withDuplicateKeys } from "../duplicate-keys.ts";
import { CliExit, EXIT_FAILED, EXIT_USAGE } from "../exit.ts";
import type { ProcessIo } from "../process-io.ts";
import type { RepairWord } from "../repair-option.ts";
import { repaired, repairsLine } from "../repaired-text.ts";
import { AnsweredError } from "../servers/answered-error.ts";
import { answered, cannotBeAsked, withConnection } from "../servers/asking.ts";
import type { Connection } from "../servers/connect.ts";
import { foundTarget, type ServerTarget } from "../servers/target.ts";
import { serverWords } from "../servers/words.ts";
import { indentJson } from "../terminal/indent-json.ts";
import { safeText } from "../terminal/safe-text.ts";
import { runTools, unknownTool } from "../tools/run-tools.ts";
import { type GivenArguments, readArguments } from "./arguments.ts";
import { type Called, finish, isToolError } from "./called.ts";
import { typedArguments } from "./typed-arguments.ts";

export interface CallOptions extends ServeOptions, HeaderOptions {
  /** `key=value` each. */
  readonly argument?: readonly string[];
  readonly output: "pretty" | "json";
  /** Seconds. */
  readonly timeout: number;
  readonly unchecked?: boolean;
  /** Which repairs of the arguments are allowed. */
  readonly repair?: readonly RepairWord[];
}

type CallIo = ProcessIo & { readonly version: string; readonly args: readonly string[] };

interface Tool {
  readonly name: string;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
}

/**
 * Calls one tool and checks arguments and result by its declaration, and the result by the protocol. JSON output also
 * says why there is no response.
 * @throws CliExit 1 if something is invalid, or the tool or its server reports an error; 3 if the server cannot be
 *   asked, or something could not be checked and nothing is wrong; 128 plus a signal's number if one ended it
 */
export async function runCall(
  words: readonly string[],
  options: CallOptions,
  io: CallIo,
): Promise<void> {
  const { server, rest } = serverWords(words, io.args);
  const [name, given, ...more] = rest;
  const { argument } = options;
  if (more.length > 0) {
    const text =
      "call takes a server, a tool, and its arguments as one word of JSON, or each with -a key=value";
    throw new CliExit(EXIT_USAGE, text);
  }
  if (name === undefined) {
    if (argument !== undefined) throw new CliExit(EXIT_USAGE, "-a needs a tool: name one");
    await listTools(words, options, io);
    return;
  }
  if (given !== undefined && argument !== undefined) {
    throw new CliExit(EXIT_USAGE, "give the arguments as JSON or with -a, not both");
  }
  const target = await foundTarget(server, options, io, { asks: false });
  let called: Called;
  try {
    called = await askTool(target, name, given, options, io);
  } catch (error) {
    if (options.output === "json" && error instanceof CliExit && error.code === EXIT_FAILED) {
      const failure = { reason: error.message };
      io.stdout.write(indentJson(JSON.stringify({ tool: name, failure })));
    }
    throw error;
  }
  finish(called);
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
): Promise<Called> {
  const { argument } = options;
  const read = argument === undefined ? await readArguments(given, io.stdin) : undefined;
  return withConnection(target, options, io, async (connection, progress) => {
    const tools = await answered(cannotBeAsked(target), () => connection.listTools());
    const tool = findTool(tools, name);
    const args = read ?? { text: typedArguments(argument ?? [], tool.inputSchema) };
    progress.show(`calling ${safeText(name)} …`);
    const outcome = await callTool(connection, tool, args, options);
    const { findings } = connection;
    const called = findings.length === 0 ? outcome : { ...outcome, findings };
    progress.clear();
    if (called.repaired !== undefined) {
      io.stderr.write(`touchstone: repaired: ${repairsLine(called.repaired)}\n`);
    }
    for (const { path, message } of called.input.warnings) {
      io.stderr.write(`touchstone: arguments ${safeText(path)}: ${safeText(message)}\n`);
    }
    print(called, options, io);
    return called;
  });
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

async function callTool(
  connection: Connection,
  tool: Tool,
  given: GivenArguments,
  { unchecked = false, repair }: Pick<CallOptions, "unchecked" | "repair">,
): Promise<Called> {
  // Long work runs on a thread, so that a signal can end the server meanwhile.
  const schemas = new SchemaCache({ readNow: READ_NOW });
  const later = new CheckPool().laterFor("");
  const compiled = schemas.get({ value: tool.inputSchema });
  const came = await compiled.checkLater(given.text, later);
  const bytes = typeof given.text === "string" ? encodeUtf8(given.text) : given.text;
  const repairing = { bytes, check: came, schema: compiled, declared: tool.inputSchema };
  const found = repaired(repair, repairing);
  const text = found?.bytes ?? given.text;
  const check = found === undefined ? came : await compiled.checkLater(text, later);
  const called = {
    tool: tool.name,
    input: withDuplicateKeys(check, text),
    ...(found === undefined ? {} : { repaired: found }),
  };
  if (!called.input.valid && !unchecked) return called;
  const result = await answered(`${safeText(tool.name)} gave no result`, () =>
    connection.callTool(tool, text).catch(asAnswer),
  );
  if (result instanceof AnsweredError) return { ...called, error: result };
  const protocol = byProtocol(result.text, connection.revision);
  if ((tool.outputSchema ?? null) === null || isToolError(result.value)) {
    return { ...called, result, protocol };
  }
  const schema = schemas.get({ value: tool.outputSchema });
  const structured = memberText(result.text, "/structuredContent");
  const output = structured === undefined ? missing() : await schema.checkLater(structured, later);
  return { ...called, result, protocol, output };
}

/** Returns the check of a result by its revision, as a gateway makes it in the direction `protocol`. */
function byProtocol(result: string, revision: string): Check {
  const { items: _items, unchecked, ...check } = judgeToolResult(result, revision);
  if (unchecked === undefined || !check.valid) return check;
  const message = "the result is larger than what is checked of one message";
  const errors = [{ path: "", message, rule: "budget" as const, keyword: unchecked }];
  return { ...check, valid: false, outcome: "budget", errors, counts: { budget: 1 } };
}

/** A server's error is the result of the call. */
function asAnswer(error: unknown): AnsweredError {
  if (error instanceof AnsweredError) return error;
  throw error;
}

/** Returns the JSON text at a pointer. */
function memberText(text: string, pointer: string): string | undefined {
  const bytes = encodeUtf8(text);
  const place = locatePointers(bytes, [pointer]).get(pointer);
  return place?.found === true ? jsonText(bytes, place.value) : undefined;
}

function missing(): Check {
  const message = "the tool declares an output schema and returned no structuredContent";
  const errors = [{ path: "", message, rule: "required" as const }];
  const none = { warnings: [], suggestions: [], counts: { required: 1 } };
  return { valid: false, outcome: "missing", errors, ...none };
}

/** In the form of `/validate` of the HTTP tool API, with every digit. */
function repairJson({ bytes, repairs, patch }: RepairedText): string {
  return `{"arguments":${decodeUtf8(bytes)},"repairs":${JSON.stringify(repairs)},"patch":${patch}}`;
}

/** Prints the result, or in JSON also the error, with the server's exact numbers. */
function print(
  { result, error, ...verdicts }: Called,
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
