import { type Check, decodeUtf8, isObject, parseJson, renderForModel } from "@touchstone/core";
import { errors } from "./answers/errors.ts";
import { behindHook } from "./auth.ts";
import { answerResult, readOutcome, thrownError, toolError } from "./call-result.ts";
import type { AuthHook, RefusalListener, RefusedCall, ToolCallHandler } from "./call-types.ts";
import type { FaultListener } from "./fault.ts";
import type { Judge } from "./judge.ts";
import { type ApiRequest, header } from "./request/request.ts";
import { GIVEN_UP, inTime } from "./time-limit.ts";
import type { Tool } from "./tool.ts";
import type { Tools } from "./tools.ts";
import { jsonFault, type KeyLimits, overKeys, resultOf, scanText } from "./verdict.ts";

/** What execution needs. */
export interface Execution extends KeyLimits {
  readonly tools: (left: AbortSignal) => Promise<Tools | undefined>;
  readonly handleCall: ToolCallHandler;
  readonly judge: Judge;
  readonly report: FaultListener;
  readonly allowExecute: boolean;
  readonly authHook: AuthHook | undefined;
  readonly onRefused: RefusalListener | undefined;
  readonly maxBodyBytes: number;
  readonly toolErrorStatus: number;
  /** How long the handler may take, in milliseconds; no limit where absent. */
  readonly callTimeoutMs: number | undefined;
  /** How long the hook, and the listener of refusals, may take, in milliseconds. */
  readonly hostTimeoutMs: number;
}

/** JSON in UTF-8 as it is. A page of another origin cannot send this type without being asked first. */
function isJson(request: ApiRequest): boolean {
  const type = header(request, "content-type") ?? "";
  const coding = header(request, "content-encoding") ?? "identity";
  const plain = coding.trim().toLowerCase() === "identity";
  return plain && /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?;?$/i.test(type.trim());
}

/** MCP's arguments are an object, whatever a schema lets through. */
const NO_OBJECT = {
  valid: false,
  errors: [{ path: "", message: "must be object", keyword: "type" }],
};
const NO_OBJECT_CHECK: Pick<Check, "outcome" | "errors"> = {
  outcome: "violation",
  errors: NO_OBJECT.errors.map((error) => ({ ...error, rule: "type" })),
};

type Arguments = Record<string, unknown>;

async function handle(
  execution: Execution,
  { name }: Tool,
  args: Arguments,
  request: ApiRequest,
  bodyText: string,
): Promise<Response> {
  const { handleCall, report, toolErrorStatus, callTimeoutMs } = execution;
  const { incoming } = request;
  if (incoming.signal.aborted) return errors.clientLeft();
  let cause: unknown;
  try {
    cause = await inTime<unknown>(callTimeoutMs, incoming.signal, (signal) =>
      handleCall(name, args, { ...incoming, signal, bodyText }),
    );
  } catch (thrown) {
    report({ code: "handler_failed", message: "the handler threw", tool: name, cause: thrown });
    return thrownError(toolErrorStatus, thrown);
  }
  if (cause === GIVEN_UP) {
    const message = `did not end within ${callTimeoutMs} ms`;
    report({ code: "handler_timeout", message: `the handler ${message}`, tool: name });
    return toolError(toolErrorStatus, `The tool ${message}. What it does may still come about.`);
  }
  let reason = "the result has no JSON text";
  try {
    const outcome = readOutcome(cause);
    const answer = outcome.ok
      ? answerResult(outcome.result, outcome.texts, toolErrorStatus)
      : undefined;
    if (answer !== undefined) return answer;
    if (!outcome.ok) reason = outcome.reason;
  } catch {
    reason = "the result cannot be read";
  }
  report({ code: "bad_result", message: reason, tool: name, cause });
  return toolError(toolErrorStatus, `The tool gave no valid result: ${reason}.`);
}

/** Whether the host has taken note of a refused call. */
async function tell(
  { onRefused, report, hostTimeoutMs }: Execution,
  refused: RefusedCall,
): Promise<boolean> {
  if (onRefused === undefined) return true;
  const { tool, request } = refused;
  try {
    const told = await inTime<unknown>(hostTimeoutMs, request.signal, (signal) =>
      onRefused({ ...refused, request: { ...request, signal } }),
    );
    if (told !== GIVEN_UP) return true;
    const message = `the listener of refused calls did not end within ${hostTimeoutMs} ms`;
    report({ code: "refusal_failed", message, tool });
    return false;
  } catch (cause) {
    const message = "the listener of refused calls threw";
    report({ code: "refusal_failed", message, tool, cause });
    return false;
  }
}

async function run(execution: Execution, tool: Tool, request: ApiRequest): Promise<Response> {
  if (!isJson(request)) return errors.unsupportedType();
  const body = await request.read(execution.maxBodyBytes);
  if (!body.ok) {
    if (body.reason === "too_large") return errors.tooLarge(body.detail);
    return errors.invalidBody(`Invalid JSON: ${body.detail}`);
  }
  const { bytes } = body;
  const scan = await scanText(bytes, tool, execution);
  const fault = jsonFault(scan);
  if (fault !== undefined) return errors.invalidBody(fault.errors?.[0]?.message ?? "Invalid JSON");
  const judgement = overKeys(scan) ?? (await execution.judge(tool, bytes));
  const refused = { tool: tool.name, body: bytes, request: request.incoming };
  if (!judgement.valid) {
    const text = `The tool was not run. ${renderForModel(judgement, { tool: tool.name })}`;
    if (!(await tell(execution, { ...refused, check: judgement, text }))) return errors.internal();
    return toolError(200, text, resultOf(judgement));
  }
  const parsed = parseJson(bytes);
  const args = parsed.ok ? parsed.value : undefined;
  if (!isObject(args)) {
    const text = `The tool ${JSON.stringify(tool.name)} was not run: its arguments must be an object.`;
    const told = await tell(execution, { ...refused, check: NO_OBJECT_CHECK, text });
    if (!told) return errors.internal();
    return toolError(200, text, NO_OBJECT);
  }
  return handle(execution, tool, args as Arguments, request, decodeUtf8(bytes));
}

/**
 * `POST /tools/{name}/call`: runs a tool, on arguments that satisfy its input schema. In this order:
 * 403, 404, 401, 415, 413, 400, then 200 with a result that is an error where the arguments do not
 * satisfy the schema (the transport worked, and a model can act on it), then what the handler gives.
 */
export async function call(
  execution: Execution,
  request: ApiRequest,
  name: string,
): Promise<Response> {
  const { allowExecute, authHook, report, tools: ask, hostTimeoutMs } = execution;
  if (!allowExecute) return errors.executionDisabled();
  const tools = await ask(request.incoming.signal);
  if (tools === undefined) return errors.toolsUnavailable();
  const tool = tools.get(name);
  if (tool === undefined) return errors.toolNotFound(name);
  const next = () =>
    run(execution, tool, request).catch((cause: unknown) => {
      report({ code: "internal", message: "a call failed", tool: name, cause });
      return errors.internal();
    });
  if (authHook === undefined) return next();
  return behindHook(authHook, request.incoming, next, { report, hostTimeoutMs });
}
