import type { Announcement } from "../announcement.ts";
import { ownMember } from "../object.ts";
import { type NativeResult, readBatchResult, readValidationResult } from "./read-answer.ts";
import { requestWithTimeout } from "./request-timeout.ts";
import { callTool, type RemoteTool, type ValidationClient } from "./sdk-client.ts";

/** A call to ask a server about. */
export interface ServerCallToCheck {
  /** The tool's name, without the server's name. */
  readonly tool: string;
  /** `server:tool`, as the caller wrote it. */
  readonly address: string;
  readonly arguments: unknown;
  readonly levels: readonly string[] | undefined;
}

/** How to ask a server. */
export interface AskServerOptions {
  readonly client: ValidationClient;
  readonly announcement: Announcement;
  /** The validation tool in the server's list, if it is there. */
  readonly declared: RemoteTool | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** How deep to follow branches of a schema. */
const MAX_BRANCH_DEPTH = 4;
/** How many requests to send at a time, if a server takes no batches. */
const CONCURRENT = 4;

/** Some servers declare `parameters` instead of `arguments`, and expect tool names in the form `server:tool`. */
function readsParameters(declared: RemoteTool | undefined): boolean {
  const properties = ownMember(declared?.inputSchema, "properties");
  return (
    ownMember(properties, "parameters") !== undefined &&
    ownMember(properties, "arguments") === undefined
  );
}

function requestOf(
  call: ServerCallToCheck,
  { declared }: AskServerOptions,
): Record<string, unknown> {
  if (readsParameters(declared)) return { tool: call.address, parameters: call.arguments };
  const levels = call.levels === undefined ? {} : { levels: call.levels };
  return { tool: call.tool, arguments: call.arguments, ...levels };
}

/** Parameters of a tool that validates calls; its schema must declare at least one of them. */
const TAKES = ["tool", "arguments", "parameters", "calls"] as const;
const BRANCHES = ["allOf", "anyOf", "oneOf"] as const;

/** Returns whether a schema, or one of its branches, declares a parameter of a validation tool. */
function takesCalls(schema: unknown, depth = 0): boolean {
  const properties = ownMember(schema, "properties");
  if (TAKES.some((name) => ownMember(properties, name) !== undefined)) return true;
  if (depth === MAX_BRANCH_DEPTH) return false;
  return BRANCHES.some((keyword) => {
    const branches = ownMember(schema, keyword);
    return Array.isArray(branches) && branches.some((branch) => takesCalls(branch, depth + 1));
  });
}

/** A validation tool that declares that it changes things is not called. */
function objection(
  { announcement, declared }: AskServerOptions,
  call: ServerCallToCheck,
): string | undefined {
  if (call.tool === announcement.method) return "the validation tool cannot validate itself";
  if (declared !== undefined && !takesCalls(declared.inputSchema)) {
    return `not asked: the tool ${announcement.method} takes none of ${TAKES.join(", ")}, so it validates no calls`;
  }
  if (ownMember(declared?.annotations, "destructiveHint") !== true) return undefined;
  if (ownMember(declared?.annotations, "readOnlyHint") === true) return undefined;
  return `not asked: the tool ${announcement.method} is declared as destructive`;
}

async function ask(asking: AskServerOptions, args: Record<string, unknown>) {
  const { client, announcement, timeoutMs, signal } = asking;
  return requestWithTimeout(timeoutMs, signal, (options) =>
    callTool(client, announcement.method, args, options),
  );
}

async function askOne(asking: AskServerOptions, call: ServerCallToCheck): Promise<NativeResult> {
  const asked = await ask(asking, requestOf(call, asking));
  return asked.status === "answered" ? readValidationResult(asked.value) : asked;
}

async function askBatch(
  asking: AskServerOptions,
  calls: readonly ServerCallToCheck[],
): Promise<readonly NativeResult[]> {
  const asked = await ask(asking, { calls: calls.map((call) => requestOf(call, asking)) });
  if (asked.status === "answered") return readBatchResult(asked.value, calls.length);
  return calls.map(() => asked);
}

async function askChunk(
  asking: AskServerOptions,
  calls: readonly ServerCallToCheck[],
  batches: boolean,
): Promise<readonly NativeResult[]> {
  return batches ? askBatch(asking, calls) : Promise.all(calls.map((call) => askOne(asking, call)));
}

/**
 * The result for the remaining calls after a request has timed out: a silent server is not asked again for each of
 * them.
 */
const SILENT: NativeResult = {
  status: "timeout",
  detail: "not asked: the server did not respond to the calls before this one",
};

function chunks<T>(items: readonly T[], size: number): T[][] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, i) => items.slice(i * size, (i + 1) * size));
}

/**
 * Asks a server about calls, in batches of the announced size, else one by one, a few at a time, until it answers
 * none of them in time. Returns a response for each, in order. Never rejects.
 */
export async function askServer(
  asking: AskServerOptions,
  calls: readonly ServerCallToCheck[],
): Promise<readonly NativeResult[]> {
  const answers = new Map<ServerCallToCheck, NativeResult>();
  const open = calls.filter((call) => {
    const detail = objection(asking, call);
    if (detail !== undefined) answers.set(call, { status: "failed", detail });
    return detail === undefined;
  });
  const { batchSize } = asking.announcement;
  const batches = batchSize > 0 && open.length > 1 && !readsParameters(asking.declared);
  let silent = false;
  for (const chunk of chunks(open, batches ? batchSize : CONCURRENT)) {
    const answered: readonly NativeResult[] = silent
      ? chunk.map(() => SILENT)
      : await askChunk(asking, chunk, batches);
    for (const [i, call] of chunk.entries()) {
      const answer = answered[i];
      if (answer !== undefined) answers.set(call, answer);
    }
    silent = answered.every(({ status }) => status === "timeout");
  }
  const none: NativeResult = { status: "failed", detail: "no answer" };
  return calls.map((call) => answers.get(call) ?? none);
}
