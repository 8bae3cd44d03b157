import { ATTRIBUTES as A, CALLER_FAULTS, EXECUTE_TOOL, OTHER, TOOL_ERROR } from "./conventions.ts";
import type { Ending, OperationFact } from "./facts.ts";
import { codeLabel, methodLabel, type NameLimit, revisionLabel } from "./labels.ts";
import type { Labels } from "./metrics.ts";
import type { ServerPlace } from "./telemetry.ts";

/** An operation as one of the gateway's two sides saw it. */
export interface Side {
  /** `server` towards the one who asked, `client` towards the one who was asked. */
  readonly role: "client" | "server";
  /** Milliseconds, on the clock of the batch. */
  readonly began: number;
  readonly ended: number;
  readonly ending: Ending;
  /** `error.type`; undefined where the operation did not fail. */
  readonly error: string | undefined;
  /** Of its series: every value is one of few. */
  readonly labels: Labels;
}

/** What both sides have in common. */
export interface Operation {
  readonly fact: OperationFact;
  /** `{mcp.method.name} {gen_ai.tool.name}`, of few values. */
  readonly name: string;
  readonly server: Side;
  /** Absent where the operation went no further than the gateway. */
  readonly client?: Side;
}

/** `error.type` of one side, by the conventions for `mcp.client` and `mcp.server`. */
export function errorType(
  role: Side["role"],
  { code, failure, toolError }: Ending,
): string | undefined {
  if (failure !== undefined) return failure;
  if (toolError === true) return TOOL_ERROR;
  if (code === undefined || (role === "server" && CALLER_FAULTS.has(code))) return undefined;
  return codeLabel(code);
}

/** Where one side of an operation leads, by who began it. */
export function nextTo(
  place: ServerPlace,
  from: OperationFact["from"],
  role: Side["role"],
): ServerPlace["upstream"] {
  const towardsClient = (from === "client") === (role === "server");
  return towardsClient ? { transport: place.client } : place.upstream;
}

/** Reads what was told of an operation, with all names bounded. */
export function readOperation(
  fact: OperationFact,
  place: ServerPlace,
  names: NameLimit,
): Operation {
  const common = commonLabels(fact, names);
  const target = common[A.toolName] ?? common[A.promptName];
  const method = methodLabel(fact.method);
  const side = (role: Side["role"], times: Pick<Side, "began" | "ended">, ending: Ending): Side => {
    const error = errorType(role, ending);
    const { transport, address, port } = nextTo(place, fact.from, role);
    const labels: Record<string, string | number> = { ...common, [A.transport]: transport };
    if (transport === "tcp") labels[A.protocolName] = "http";
    if (error !== undefined) labels[A.errorType] = error;
    if (ending.code !== undefined) labels[A.statusCode] = codeLabel(ending.code);
    if (role === "client" && address !== undefined) labels[A.serverAddress] = address;
    if (role === "client" && port !== undefined) labels[A.serverPort] = port;
    return { role, ...times, ending, error, labels };
  };
  const { began, ended, sent, answered = ended, answer = {} } = fact;
  return {
    fact,
    name: target === undefined || target === OTHER ? method : `${method} ${target}`,
    server: side("server", { began, ended }, fact.ending),
    ...(sent === undefined
      ? {}
      : { client: side("client", { began: sent, ended: answered }, answer) }),
  };
}

function commonLabels(fact: OperationFact, names: NameLimit): Record<string, string> {
  const { server, method, target, known, revision } = fact;
  const labels: Record<string, string> = { [A.server]: server, [A.method]: methodLabel(method) };
  if (revision !== undefined) labels[A.protocolVersion] = revisionLabel(revision);
  if (method === "tools/call") {
    labels[A.operationName] = EXECUTE_TOOL;
    if (target !== undefined) labels[A.toolName] = names.label(server, "tool", target, known);
  } else if (method === "prompts/get" && target !== undefined) {
    labels[A.promptName] = names.label(server, "prompt", target, known);
  }
  return labels;
}
