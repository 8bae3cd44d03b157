import type { SchemaCache } from "@touchstone/core/advanced";
import { ownMember } from "../object.ts";
import { cutText } from "../validation-result.ts";
import type { RequestLimits } from "./listed-tools.ts";
import { firstText } from "./read-answer.ts";
import { requestWithTimeout } from "./request-timeout.ts";
import { callTool, type RemoteTool, type ValidationClient } from "./sdk-client.ts";
import type { Clock } from "./validation-cache.ts";

/**
 * The one call of a tool that `testRun` makes.
 *
 * - `success`: the tool ran, reported no error, and its structured content matches its output schema, if it has one
 * - `error`: it reported an error, could not be called, or its result does not match its output schema
 * - `timeout`: it did not respond in time; it may have run
 * - `not_run`: it was not called; `detail` says why
 */
export interface TestRun {
  readonly status: "success" | "error" | "timeout" | "not_run";
  readonly detail?: string;
  /** How long the call took, in milliseconds; absent if it was not made. */
  readonly durationMs?: number;
  /** The tool's result as the client returned it; absent without a response. */
  readonly result?: unknown;
}

/** A call to make once. */
export interface TestCall {
  readonly client: ValidationClient;
  /** The tool's name, without the server's name. */
  readonly name: string;
  /** The tool as the server lists it; undefined if it is not listed. */
  readonly tool: RemoteTool | undefined;
  readonly arguments: unknown;
  readonly schemas: SchemaCache;
  readonly now: Clock;
}

/** Returns why a tool may not be run for a test; undefined if it may. */
function objection(tool: RemoteTool | undefined): string | undefined {
  if (tool === undefined) return "the server does not list the tool";
  if (ownMember(tool.annotations, "readOnlyHint") === true) return undefined;
  if (ownMember(tool.annotations, "destructiveHint") === false) return undefined;
  return "the tool declares neither readOnlyHint: true nor destructiveHint: false, so it may destroy something";
}

/** Returns what is wrong with a result; undefined if nothing is. */
function problemOf({ tool, schemas }: TestCall, result: unknown): string | undefined {
  if (ownMember(result, "isError") === true) {
    return cutText(firstText(ownMember(result, "content")) ?? "the tool reported an error");
  }
  if (tool?.outputSchema === undefined) return undefined;
  const structured = ownMember(result, "structuredContent");
  if (structured === undefined) return "the result has no structuredContent";
  const { valid, errors } = schemas.get({ value: tool.outputSchema }).validate(structured);
  const [{ path, message } = { path: "", message: "it cannot be checked" }] = errors;
  return valid ? undefined : cutText(`structuredContent${path} ${message}`);
}

/**
 * Calls a tool once, if it declares that this destroys nothing: `readOnlyHint: true`, or `destructiveHint: false`.
 * These hints are only claims of the server. Never rejects.
 */
export async function testRun(
  call: TestCall,
  { timeoutMs, signal }: RequestLimits,
): Promise<TestRun> {
  const detail = objection(call.tool);
  if (detail !== undefined) return { status: "not_run", detail };
  const { client, name, now } = call;
  const began = now();
  const asked = await requestWithTimeout(timeoutMs, signal, (options) =>
    callTool(client, name, call.arguments as Record<string, unknown>, options),
  );
  const durationMs = Math.max(0, now() - began);
  if (asked.status !== "answered") {
    const status = asked.status === "timeout" ? "timeout" : "error";
    return { status, detail: asked.detail, durationMs };
  }
  const result = asked.value;
  const problem = problemOf(call, result);
  return problem === undefined
    ? { status: "success", durationMs, result }
    : { status: "error", detail: problem, durationMs, result };
}
