import {
  type Check,
  decodeUtf8,
  isObject,
  parseJson,
  type RepairedText,
  type RepairKind,
  renderForModel,
} from "@touchstone/core/advanced";
import { errors } from "./answers/errors.ts";
import { runAuthHook } from "./auth.ts";
import {
  answerResult,
  readOutcome,
  readRefusal,
  rejectionResponse,
  thrownErrorResponse,
  toolError,
} from "./call-result.ts";
import type {
  AdmitCall,
  AuthHook,
  CallRequest,
  IncomingRequest,
  RefusalListener,
  RefusedCall,
  RepairListener,
  ToolCallHandler,
} from "./call-types.ts";
import { jsonFault, type KeyLimits, resultOf, scanText } from "./check-response.ts";
import type { FaultListener } from "./fault.ts";
import { isRepairable, type Judge, type Judgement } from "./judge.ts";
import { repairsOf, type Settings } from "./options.ts";
import { withProgress } from "./progress.ts";
import {
  type ApiRequest,
  acceptsEvents,
  header,
  unknownRepair,
  wantedRepairs,
} from "./request/request.ts";
import type { ValidateResult } from "./result.ts";
import { runWithTimeLimit, TIMED_OUT } from "./time-limit.ts";
import type { Tool } from "./tool.ts";
import type { Tools } from "./tools.ts";
import type { Validation } from "./validate.ts";

/** What execution needs. */
export interface Execution extends KeyLimits {
  readonly tools: (left: AbortSignal) => Promise<Tools | undefined>;
  readonly handleCall: ToolCallHandler;
  readonly judge: Judge;
  readonly whyMissing: Validation["whyMissing"];
  readonly report: FaultListener;
  readonly allowExecute: boolean;
  readonly authHook: AuthHook | undefined;
  readonly admit: AdmitCall | undefined;
  readonly onRefused: RefusalListener | undefined;
  readonly repair: Settings["repair"];
  readonly onRepaired: RepairListener | undefined;
  readonly maxBodyBytes: number;
  readonly toolErrorStatus: number;
  /** How long the handler may take, in milliseconds; absent: no limit. */
  readonly callTimeoutMs: number | undefined;
  /** How long the hook, and each of the host's other functions, may take, in milliseconds. */
  readonly hostTimeoutMs: number;
}

/** JSON in UTF-8. A page of another origin cannot send this type without a preflight. */
function isJson(request: ApiRequest): boolean {
  const type = header(request, "content-type") ?? "";
  const coding = header(request, "content-encoding") ?? "identity";
  const plain = coding.trim().toLowerCase() === "identity";
  return plain && /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?;?$/i.test(type.trim());
}

/** MCP's arguments are an object, whatever a schema accepts. */
const NO_OBJECT = {
  valid: false,
  errors: [{ path: "", message: "must be object", keyword: "type" }],
};
const NO_OBJECT_CHECK: Pick<Check, "outcome" | "errors"> = {
  outcome: "violation",
  errors: NO_OBJECT.errors.map((error) => ({ ...error, rule: "type" })),
};

/** How a call is refused if the host gives no status or text. */
const NOT_ADMITTED = { status: 403 } as const;

type Arguments = Record<string, unknown>;

/** What a handler receives in addition to the request. */
type More = Pick<CallRequest, "bodyText" | "sentText" | "askedRepairs" | "reportProgress">;

/** Runs the tool. Also reports progress to a client that accepts events. */
function handle(
  execution: Execution,
  tool: Tool,
  args: Arguments,
  request: ApiRequest,
  texts: More,
): Promise<Response> {
  const { incoming } = request;
  if (!acceptsEvents(request)) return runHandler(execution, tool, args, incoming, texts);
  return withProgress(incoming.signal, (signal, reportProgress) =>
    runHandler(execution, tool, args, { ...incoming, signal }, { ...texts, reportProgress }),
  );
}

async function runHandler(
  execution: Execution,
  { name }: Tool,
  args: Arguments,
  incoming: IncomingRequest,
  more: More,
): Promise<Response> {
  const { handleCall, report, toolErrorStatus, callTimeoutMs } = execution;
  if (incoming.signal.aborted) return errors.clientLeft();
  let cause: unknown;
  try {
    cause = await runWithTimeLimit<unknown>(callTimeoutMs, incoming.signal, (signal) =>
      handleCall(name, args, { ...incoming, signal, ...more }),
    );
  } catch (thrown) {
    report({ code: "handler_failed", message: "the handler threw", tool: name, cause: thrown });
    return thrownErrorResponse(toolErrorStatus, thrown);
  }
  if (cause === TIMED_OUT) {
    const message = `did not end within ${callTimeoutMs} ms`;
    report({ code: "handler_timeout", message: `the handler ${message}`, tool: name });
    return toolError(toolErrorStatus, `The tool ${message}. It may still take effect.`);
  }
  let reason = "the result has no JSON text";
  try {
    const outcome = readOutcome(cause);
    const answer = outcome.ok ? answerResult(outcome, toolErrorStatus) : undefined;
    if (answer !== undefined) return answer;
    if (!outcome.ok) reason = outcome.reason;
  } catch {
    reason = "the result cannot be read";
  }
  report({ code: "bad_result", message: reason, tool: name, cause });
  return toolError(toolErrorStatus, `The tool returned no valid result: ${reason}.`);
}

/** The information for a host's listener about a call. */
interface Told {
  readonly tool: string;
  readonly request: IncomingRequest;
}

/** The fault codes and the names, in messages, of the host's functions that receive calls. */
const TOLD = {
  coming: ["admit_failed", "the function that admits calls"],
  refused: ["refusal_failed", "the listener of refused calls"],
  repaired: ["repair_failed", "the listener of repaired calls"],
} as const;

/** Returned in place of a listener's result if the listener failed. */
const UNHEARD: unique symbol = Symbol("the host took no note");

/** Reports a call to the host. Returns what its listener returned. */
async function tell<T extends Told>(
  { report, hostTimeoutMs }: Execution,
  what: keyof typeof TOLD,
  listener: ((told: T) => unknown) | undefined,
  call: T,
): Promise<unknown> {
  if (listener === undefined) return undefined;
  const { tool, request } = call;
  const [code, name] = TOLD[what];
  try {
    const told = await runWithTimeLimit<unknown>(hostTimeoutMs, request.signal, (signal) =>
      listener({ ...call, request: { ...request, signal } }),
    );
    if (told !== TIMED_OUT) return told;
    const message = `${name} did not end within ${hostTimeoutMs} ms`;
    report({ code, message, tool });
  } catch (cause) {
    report({ code, message: `${name} threw`, tool, cause });
  }
  return UNHEARD;
}

/** Returns the repaired arguments of a call that has issues; undefined if they are not repaired. */
function repairedOf(
  { repair, report }: Execution,
  tool: Tool,
  judgement: Judgement,
  asked: readonly RepairKind[],
): RepairedText | undefined {
  if (!isRepairable(judgement)) return undefined;
  let kinds: readonly RepairKind[];
  try {
    kinds = repairsOf(repair, tool, asked);
  } catch (cause) {
    const message = "the function that chooses repairs failed";
    report({ code: "repair_failed", message, tool: tool.name, cause });
    return undefined;
  }
  const found = kinds.length === 0 ? undefined : judgement.repair?.(kinds);
  // MCP's arguments are an object, whatever a schema accepts.
  return found !== undefined && isObject(JSON.parse(decodeUtf8(found.bytes))) ? found : undefined;
}

async function run(execution: Execution, tool: Tool, request: ApiRequest): Promise<Response> {
  if (!isJson(request)) return errors.unsupportedType();
  const body = await request.read(execution.maxBodyBytes);
  if (!body.ok) {
    if (body.reason === "refused") return body.response;
    if (body.reason === "too_large") return errors.tooLarge(body.detail);
    return errors.invalidBody(`Invalid JSON: ${body.detail}`);
  }
  const wanted = wantedRepairs(request);
  if ("unknown" in wanted) return errors.invalidQuery(unknownRepair(wanted.unknown));
  const { bytes } = body;
  const scan = await scanText(bytes, tool, execution);
  const fault = jsonFault(scan);
  if (fault !== undefined) return errors.invalidBody(fault.errors?.[0]?.message ?? "Invalid JSON");
  const { admit, onRefused, onRepaired } = execution;
  const about = { tool: tool.name, body: bytes, request: request.incoming };
  const admitted = await tell(execution, "coming", admit, about);
  if (admitted === UNHEARD) return errors.internal();
  if (typeof admitted === "string") return rejectionResponse(admitted, NOT_ADMITTED);
  if (isObject(admitted)) {
    const { text } = admitted;
    const words = typeof text === "string" ? text : "This call is not allowed.";
    return rejectionResponse(words, readRefusal(admitted) ?? NOT_ADMITTED);
  }
  const { kinds } = wanted;
  const judgement = await execution.judge(tool, bytes, scan, {
    repair: kinds,
    left: request.incoming.signal,
  });
  const refuse = async (
    check: RefusedCall["check"],
    text: string,
    result: ValidateResult,
  ): Promise<Response> => {
    const said = await tell(execution, "refused", onRefused, { ...about, check, text });
    if (said === UNHEARD) return errors.internal();
    return toolError(200, typeof said === "string" ? said : text, result);
  };
  const asked = kinds.length === 0 ? {} : { askedRepairs: kinds };
  const { host } = judgement;
  const repaired = host?.repaired ?? repairedOf(execution, tool, judgement, kinds);
  if (repaired !== undefined) {
    const { bytes: sent, repairs, patch } = repaired;
    const call = { ...about, repaired: sent, repairs, patch };
    const said = await tell(execution, "repaired", onRepaired, call);
    if (said === UNHEARD) return errors.internal();
    const bodyText = decodeUtf8(sent);
    const texts = { bodyText, sentText: decodeUtf8(bytes), ...asked };
    return handle(execution, tool, JSON.parse(bodyText) as Arguments, request, texts);
  }
  if (!judgement.valid && host?.isHandled !== true) {
    const text = `The tool was not run. ${renderForModel(judgement, { tool: tool.name })}`;
    return refuse(judgement, text, resultOf(judgement));
  }
  const parsed = parseJson(bytes);
  const args = parsed.ok ? parsed.value : undefined;
  if (!isObject(args)) {
    const text = `The tool ${JSON.stringify(tool.name)} was not run: its arguments must be an object.`;
    return refuse(NO_OBJECT_CHECK, text, NO_OBJECT);
  }
  const texts = { bodyText: decodeUtf8(bytes), ...asked };
  return handle(execution, tool, args as Arguments, request, texts);
}

/**
 * `POST /tools/{name}/call`: runs a tool, on arguments that satisfy its input schema. In this order: 403, 404, 401,
 * 415, 413, 400 (also for a wrong query), then 403 or 429 if the host does not admit the call, then 200 with a result
 * that is an error (the transport worked, and a model can act on it) if the arguments do not satisfy the schema and are
 * not repaired, then what the handler returns. A client that accepts `text/event-stream` gets {@link withProgress} if
 * the handler reports any.
 */
export async function call(
  execution: Execution,
  request: ApiRequest,
  name: string,
): Promise<Response> {
  const { allowExecute, authHook, report, tools: ask, hostTimeoutMs, whyMissing } = execution;
  if (!allowExecute) return errors.executionDisabled();
  const tools = await ask(request.incoming.signal);
  if (tools === undefined) return errors.toolsUnavailable();
  const tool = tools.get(name);
  if (tool === undefined) return errors.toolNotFound(name, whyMissing(name));
  const next = () =>
    run(execution, tool, request).catch((cause: unknown) => {
      report({ code: "internal", message: "a call failed", tool: name, cause });
      return errors.internal();
    });
  if (authHook === undefined) return next();
  return runAuthHook(authHook, request.incoming, next, { report, hostTimeoutMs });
}
