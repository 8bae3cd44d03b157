import { Readable } from "node:stream";
import { compileDeclared, describeCheck } from "@touchstone/core/advanced";
import type { OfferedTool } from "@touchstone/gateway/mcp-server";
import type { ProviderName } from "@touchstone/protocol/lint";
import type { Report } from "../findings/finding.ts";
import { CliExit, EXIT_FINDINGS } from "../io/exit.ts";
import type { ProcessIo } from "../io/process-io.ts";
import { PROVIDERS } from "../lint/register.ts";
import { resolveDataDir } from "../options/data-dir.ts";
import type { ListedOptions } from "../tools/list-tools.ts";
import { boundedReport, cut } from "./bounded-report.ts";
import { CHECK, EXPLANATION, list, objectSchema, REPORT, text } from "./schemas.ts";
import { fileInside, HARMLESS, STARTING, type Subject, subjectWords } from "./subject.ts";

export interface McpOptions {
  readonly config?: string;
  readonly servers?: string;
  readonly dataDir?: string;
  readonly allowCommands?: boolean;
  /** Seconds. */
  readonly timeout: number;
}

type ToolsIo = ProcessIo & { readonly version: string };

const MAX_ISSUES = 20;
const MAX_EXPLANATION = 12_000;

/** Returns the tools of `touchstone mcp`. */
export function offeredTools(options: McpOptions, io: ToolsIo): readonly OfferedTool[] {
  const { config, servers, timeout } = options;
  const mayStart = options.allowCommands === true;
  const subject = subjectProperties(mayStart);
  // A URL may lead to any server, and a command may have any effect.
  const examining = { readOnlyHint: !mayStart, destructiveHint: mayStart, openWorldHint: true };
  const reading = { readOnlyHint: true, openWorldHint: false };
  const listed: ListedOptions = {
    ...{ output: "json", failOn: "note", report: [], forServer: [], timeout },
    ...(config === undefined ? {} : { config }),
    ...(servers === undefined ? {} : { servers }),
  };
  const examined = async (
    given: Subject,
    run: (words: readonly string[], its: CommandIo) => Promise<void>,
  ): Promise<object> => {
    const { words, args, stdin } = subjectWords(given);
    const out = await outputOf(io, { args, stdin }, (its) => run(words, its));
    return boundedReport(JSON.parse(out) as Report);
  };
  return [
    {
      definition: {
        name: "check_server",
        title: "Check a server's tools",
        description:
          "Checks the tool definitions of an MCP server by the protocol and by JSON Schema: names, schemas that cannot be used, limits that contradict each other, descriptions. Calls no tool.",
        inputSchema: objectSchema(subject),
        outputSchema: REPORT,
        annotations: examining,
      },
      call: (args) =>
        examined(JSON.parse(args), async (words, its) => {
          const { runCheck } = await import("../check/run-check.ts");
          await runCheck(words, listed, its);
        }),
    },
    {
      definition: {
        name: "lint_tools",
        title: "Lint tools for model providers",
        description:
          "Reports what model providers and clients refuse in the tool definitions of an MCP server, and how to change each schema. One refused tool makes whole conversations fail.",
        inputSchema: objectSchema({
          ...subject,
          clients: list(
            { type: "string", enum: PROVIDERS },
            "The providers and clients to check for. An empty list means all.",
          ),
        }),
        outputSchema: REPORT,
        annotations: examining,
      },
      call: (args) => {
        const { clients, ...given } = JSON.parse(args) as Subject & {
          readonly clients: readonly ProviderName[];
        };
        const named = clients.length === 0 ? PROVIDERS : clients;
        return examined(given, async (words, its) => {
          const { runLint } = await import("../lint/run-lint.ts");
          await runLint(words, { ...listed, for: named }, its);
        });
      },
    },
    {
      definition: {
        name: "compare_lock",
        title: "Compare a server with its lock file",
        description:
          "Compares what an MCP server declares with a file that touchstone lock wrote, and reports what each difference means: breaking (with arguments that are refused now), unproven, text, compatible or new.",
        inputSchema: objectSchema({
          ...subject,
          lock: text("The path of the lock file, such as touchstone.lock."),
        }),
        outputSchema: REPORT,
        annotations: examining,
      },
      call: (args) => {
        const { lock, ...given } = JSON.parse(args) as Subject & { readonly lock: string };
        const file = fileInside(lock);
        return examined(given, async (words, its) => {
          const { runLock } = await import("../lock/run-lock.ts");
          await runLock(words, { ...listed, lock: file, check: true, failOn: "any" }, its);
        });
      },
    },
    {
      definition: {
        name: "explain_call",
        title: "Explain a recorded call",
        description:
          "Explains a tool call that the gateway recorded: why it was blocked or noted, which value was wrong, what the tool's schema requires, and the next attempt.",
        inputSchema: objectSchema({
          call: text(
            'The id of a record or its beginning; "last" for the newest call; "blocked" for the newest blocked one.',
          ),
        }),
        outputSchema: EXPLANATION,
        annotations: reading,
      },
      call: (args) => explained((JSON.parse(args) as { readonly call: string }).call, options, io),
    },
    {
      definition: {
        name: "validate_value",
        title: "Validate a value by a JSON Schema",
        description:
          "Checks a JSON value by a JSON Schema of draft-04 to 2020-12, and reports what is wrong where. Use it before a call, with the tool's input schema and the arguments.",
        inputSchema: objectSchema({
          schema: text("The JSON Schema, as JSON text."),
          value: text("The value, as JSON text."),
        }),
        outputSchema: CHECK,
        annotations: reading,
      },
      call: async (args) => {
        const { schema, value } = JSON.parse(args) as Readonly<Record<"schema" | "value", string>>;
        return checked(schema, value);
      },
    },
  ];
}

function subjectProperties(mayStart: boolean): object {
  const kinds = mayStart ? [...HARMLESS, ...STARTING] : HARMLESS;
  const starting = mayStart
    ? " command: what starts a server over stdio, in words and quotes, without a shell. server: the name of a configured server."
    : "";
  return {
    kind: { type: "string", enum: kinds, description: "What the target is." },
    target: text(
      `url: the URL of a server. file: a file inside of the working directory with a tools/list result. tools: a tools/list result as JSON text.${starting}`,
    ),
  };
}

type CommandIo = ToolsIo & { readonly args: readonly string[] };

/**
 * Runs a command with the streams of a tool call, and returns its output on stdout.
 * @throws CliExit if the command failed; findings are not a failure
 */
async function outputOf(
  io: ToolsIo,
  { args = [], stdin = "" }: { readonly args?: readonly string[]; readonly stdin?: string },
  run: (its: CommandIo) => Promise<void>,
): Promise<string> {
  let out = "";
  const stdout = { write: (piece: string) => (out += piece) };
  const stderr = { write: (piece: string) => io.stderr.write(piece) };
  try {
    await run({ ...io, stdout, stderr, stdin: Readable.from([Buffer.from(stdin)]), args });
  } catch (error) {
    if (!(error instanceof CliExit) || error.code !== EXIT_FINDINGS) throw error;
  }
  return out;
}

async function explained(call: string, options: McpOptions, io: ToolsIo): Promise<object> {
  const { runLast, runShow } = await import("../activity/show.ts");
  const places = { config: options.config, dataDir: options.dataDir };
  const out = await outputOf(io, {}, (its) => {
    const reading = {
      ...its,
      resolveDataDir: (given: Readonly<Record<string, unknown>>) => resolveDataDir(given, io.env),
    };
    return call === "last" || call === "blocked"
      ? runLast(reading, { ...places, blocked: call === "blocked" })
      : runShow(reading, call, places);
  });
  return { explanation: cut(out, MAX_EXPLANATION) };
}

function checked(schema: string, value: string): object {
  const compiled = compileDeclared({ text: schema }, { messages: "plain" });
  const { error } = compiled;
  if (error !== undefined) {
    const issue = { path: cut(error.path), message: cut(`the schema: ${error.message}`) };
    return { valid: false, outcome: "uncompilable", issues: [issue], omitted: 0 };
  }
  const check = compiled.validateText(value);
  const issues = describeCheck(check, "the value", MAX_ISSUES);
  const described = issues.reduce((sum, one) => sum + one.issues, 0);
  return {
    valid: check.valid,
    outcome: check.outcome,
    issues: issues.map(({ path, text: message }) => ({ path: cut(path), message: cut(message) })),
    omitted: Math.max(0, check.errors.length - described),
  };
}
