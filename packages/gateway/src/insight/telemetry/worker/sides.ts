import { STOPPED_STATUSES } from "@touchstone/records/record";
import {
  ATTRIBUTES as A,
  CALLER_ERROR_CODES,
  EXECUTE_TOOL,
  OTHER_LABEL,
  TOOL_ERROR,
} from "../conventions.ts";
import type { OperationFact, SideOutcome } from "../facts.ts";
import type { Labels } from "../metrics.ts";
import type { ServerAddresses } from "../telemetry.ts";
import { codeLabel, type LabelNameLimit, methodLabel, revisionLabel } from "./labels.ts";

/** An operation as one of the gateway's two sides sees it. */
export interface OperationSide {
  /** `server` toward the requester, `client` toward the responder. */
  readonly role: "client" | "server";
  /** Milliseconds, on the clock of the batch. */
  readonly began: number;
  readonly ended: number;
  readonly ending: SideOutcome;
  /** `error.type`; undefined if the operation did not fail. */
  readonly error: string | undefined;
  /** Labels of its series; each label has a small number of values. */
  readonly labels: Labels;
}

/** The parts that both sides share. */
export interface TracedOperation {
  readonly fact: OperationFact;
  /** `{mcp.method.name} {gen_ai.tool.name}`, with a small number of values. */
  readonly name: string;
  readonly server: OperationSide;
  /** Absent if the gateway itself ended the operation. */
  readonly client?: OperationSide;
}

const WELL: SideOutcome = {};

/**
 * Returns whether the gateway refused a call because of what the caller sent, or because of a limit on its calls.
 * That is not a failure of the server, as with the codes in {@link CALLER_ERROR_CODES}. A blocked result is a failure
 * of the server.
 */
function isRefused({ status, sent }: Pick<OperationFact, "status" | "sent">): boolean {
  if (status === undefined || !STOPPED_STATUSES.has(status)) return false;
  return status !== "blocked" || sent === undefined;
}

/** Returns `error.type` of one side, by the conventions for `mcp.client` and `mcp.server`; undefined without an error. */
export function errorType(
  role: OperationSide["role"],
  { code, failure, toolError }: SideOutcome,
  call: Pick<OperationFact, "status" | "sent"> = {},
): string | undefined {
  if (role === "server" && isRefused(call)) return undefined;
  if (failure !== undefined) return failure;
  if (toolError === true) return TOOL_ERROR;
  if (code === undefined || (role === "server" && CALLER_ERROR_CODES.has(code))) return undefined;
  return codeLabel(code);
}

/** Returns the peer on one side of the gateway, depending on who began the operation. */
function nextTo(
  place: ServerAddresses,
  from: OperationFact["from"],
  role: OperationSide["role"],
): ServerAddresses["upstream"] {
  const towardsClient = (from === "client") === (role === "server");
  return towardsClient ? { transport: place.client } : place.upstream;
}

/** Reads the facts about an operation, with all names bounded. */
export function readOperation(
  fact: OperationFact,
  place: ServerAddresses,
  names: LabelNameLimit,
): TracedOperation {
  if (fact.listed !== undefined) names.listPrompts(fact.server, fact.listed);
  const method = methodLabel(fact.method);
  const target = targetLabel(fact, names);
  const caller = fact.caller === undefined ? "" : names.caller(fact.caller);
  const revision = fact.revision === undefined ? "" : revisionLabel(fact.revision);
  const side = (
    role: OperationSide["role"],
    began: number,
    ended: number,
    ending: SideOutcome,
  ): OperationSide => {
    const error = errorType(role, ending, fact);
    const code = ending.code === undefined ? "" : codeLabel(ending.code);
    const status = role === "server" ? fact.status : undefined;
    // Only the last part may contain a line feed.
    const key = `${role}\n${fact.from}\n${method}\n${revision}\n${error ?? ""}\n${code}\n${status ?? ""}\n${caller.length} ${caller}${target ?? ""}`;
    const labels = names.labels(place, key, () => ({
      ...commonLabels(fact, method, revision, target),
      ...(caller === "" ? {} : { [A.caller]: caller }),
      ...(status === undefined ? {} : { [A.status]: status }),
      ...sideLabels(nextTo(place, fact.from, role), role, error, code),
    }));
    return { role, began, ended, ending, error, labels };
  };
  const { began, ended, sent, answered = ended, answer = WELL } = fact;
  return {
    fact,
    name: target === undefined || target === OTHER_LABEL ? method : `${method} ${target}`,
    server: side("server", began, ended, fact.ending),
    ...(sent === undefined ? {} : { client: side("client", sent, answered, answer) }),
  };
}

/** Returns the labels that identify a tool or prompt; undefined if the operation is about neither. */
function targetLabel(fact: OperationFact, names: LabelNameLimit): string | undefined {
  const { server, method, target, known } = fact;
  if (target === undefined) return undefined;
  if (method === "tools/call") return names.label(server, "tool", target, known);
  return method === "prompts/get" ? names.label(server, "prompt", target, known) : undefined;
}

function commonLabels(
  { server, method: told }: OperationFact,
  method: string,
  revision: string,
  target: string | undefined,
): Labels {
  const tool = told === "tools/call";
  return {
    [A.server]: server,
    [A.method]: method,
    ...(revision === "" ? {} : { [A.protocolVersion]: revision }),
    ...(tool ? { [A.operationName]: EXECUTE_TOOL } : {}),
    ...(target === undefined ? {} : { [tool ? A.toolName : A.promptName]: target }),
  };
}

function sideLabels(
  { transport, address, port }: ServerAddresses["upstream"],
  role: OperationSide["role"],
  error: string | undefined,
  code: string,
): Labels {
  return {
    [A.transport]: transport,
    ...(transport === "tcp" ? { [A.protocolName]: "http" } : {}),
    ...(error === undefined ? {} : { [A.errorType]: error }),
    ...(code === "" ? {} : { [A.statusCode]: code }),
    ...(role === "client" && address !== undefined ? { [A.serverAddress]: address } : {}),
    ...(role === "client" && port !== undefined ? { [A.serverPort]: port } : {}),
  };
}
