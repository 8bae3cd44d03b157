import { type Issue, type JsonRange, scanJson } from "@touchstone/core/advanced";
import type { Frame } from "../frame.ts";
import { protocolIssue } from "../issue.ts";
import type { MessageTable, Method, Sender } from "../messages/message-table.ts";
import { messagesOf } from "../messages/tables.ts";
import { ERROR, memberNumber, PARAMS, RESULT } from "../plan.ts";
import type { Revision } from "../revisions/revision.ts";

/** A part of a message, and the definition that it is checked against. */
export interface MessagePart {
  readonly range: JsonRange;
  /** RFC 6901 pointer to the part. */
  readonly at: string;
  /** The name of its definition, or an error code. */
  readonly definition: string;
  readonly list: Method["list"];
}

/**
 * What the revision requires of a message beyond JSON-RPC: the issues found at once, and the parts that are still to be
 * checked.
 */
export interface MessageRequirements {
  readonly issues: readonly Issue[];
  readonly part?: MessagePart;
}

export interface MessageSetting {
  readonly revision: Revision;
  readonly table: MessageTable;
  readonly sender: Sender;
  readonly tasksExtension: boolean;
}

const NONE: MessageRequirements = { issues: [] };
const TASK = memberNumber("/result/task");
const INPUT_REQUESTS = memberNumber("/result/inputRequests");
const REQUEST_STATE = memberNumber("/result/requestState");
const STRUCTURED_CONTENT = memberNumber("/result/structuredContent");

function methodOf(
  { table, tasksExtension }: Pick<MessageSetting, "table" | "tasksExtension">,
  name: string | undefined,
  by: Sender,
): Method | undefined {
  if (name === undefined || !Object.hasOwn(table.methods, name)) return undefined;
  if (tasksExtension && name.startsWith("tasks/")) return undefined;
  const method = table.methods[name];
  return method?.from === "both" || method?.from === by ? method : undefined;
}

function needsParams(table: MessageTable, { params, needsParams }: Method): boolean {
  const required = table.definitions[params]?.["required"];
  return needsParams ?? (!Array.isArray(required) || required.length > 0);
}

/** Handles requests and notifications. */
function ofCall(frame: Frame, setting: MessageSetting): MessageRequirements {
  const { revision, table, sender } = setting;
  const { kind } = frame;
  const name = frame.method;
  const method = methodOf(setting, name, sender);
  if (method === undefined) {
    if (revision.serverRequests || sender === "client" || kind !== "request") return NONE;
    const message = `a server may not send requests in MCP ${revision.version}; results ask for input instead`;
    return { issues: [protocolIssue("/method", message, "not")] };
  }
  const issues: Issue[] = [];
  if (method.kind !== kind) {
    issues.push(
      kind === "request"
        ? protocolIssue("/id", `${name} is a notification and must have no id`, "not")
        : protocolIssue("/id", `${name} is a request and must have an id`, "required"),
    );
  }
  const range = frame.scan.members.at(PARAMS);
  if (range === undefined) {
    if (needsParams(table, method)) {
      issues.push(protocolIssue("/params", `${name} must have params`, "required"));
    }
    return { issues };
  }
  return { issues, part: { range, at: "/params", definition: method.params, list: undefined } };
}

/** Returns whether a result has none of the members that its definition requires. */
function lacksAll(
  frame: Frame,
  range: JsonRange,
  table: MessageTable,
  definition: string,
): boolean {
  const required = table.definitions[definition]?.["required"];
  if (!Array.isArray(required)) return false;
  const members = Object.fromEntries(required.map((name: string) => [name, true as const]));
  return scanJson(frame.bytes.subarray(range.start, range.end), { members }).members.size === 0;
}

/**
 * Returns the definition of a result: the one of its method, or of what may come instead. A type of result that an
 * extension adds is allowed.
 */
function resultDefinition(
  frame: Frame,
  range: JsonRange,
  method: Method,
  result: string,
  { revision, table, tasksExtension }: MessageSetting,
): string {
  if (revision.resultType) {
    const { resultType = "complete" } = frame;
    if (resultType === "complete") return result;
    if (resultType !== "input_required") return "Result";
    return method.asksForInput === true ? "InputRequiredResult" : "Result";
  }
  if (tasksExtension && frame.resultType === "task") return "Result";
  const announces = method.task === true && frame.scan.members.includes(TASK);
  return announces && lacksAll(frame, range, table, result) ? "CreateTaskResult" : result;
}

/**
 * Returns what is wrong with a result that asks for input, beyond the types of its members: who may send one, and
 * what it contains (MCP 2026-07-28, Multi Round-Trip Requests, Supported Requests and Server Requirements).
 */
function inputIssues(frame: Frame, method: Method, { revision }: MessageSetting): readonly Issue[] {
  if (!revision.resultType || frame.resultType !== "input_required") return NONE.issues;
  if (method.asksForInput !== true) {
    const message =
      "only tools/call, prompts/get and resources/read may be answered with input_required";
    return [protocolIssue("/result/resultType", message, "enum")];
  }
  const { members } = frame.scan;
  const issues: Issue[] = [];
  if (!members.includes(INPUT_REQUESTS) && !members.includes(REQUEST_STATE)) {
    const message = "an input_required result must have inputRequests, requestState, or both";
    issues.push(protocolIssue("/result", message, "anyOf"));
  }
  if (members.includes(STRUCTURED_CONTENT)) {
    const message = "an input_required result must have no structuredContent";
    issues.push(protocolIssue("/result/structuredContent", message, "not"));
  }
  return issues;
}

function ofResponse(
  frame: Frame,
  setting: MessageSetting,
  requestMethod: string | undefined,
): MessageRequirements {
  const asker = setting.sender === "client" ? "server" : "client";
  const method = methodOf(setting, requestMethod, asker);
  const range = frame.scan.members.at(RESULT);
  if (method?.result === undefined || range === undefined) return NONE;
  const { result, list } = method;
  const definition = resultDefinition(frame, range, method, result, setting);
  return {
    issues: inputIssues(frame, method, setting),
    part: { range, at: "/result", definition, list: definition === result ? list : undefined },
  };
}

function ofError(frame: Frame, { table }: MessageSetting): MessageRequirements {
  const issues: Issue[] = [];
  if (table.errorNeedsId && frame.range("/id") === undefined) {
    const message = "an error must have the id of its request, or null if that could not be read";
    issues.push(protocolIssue("/id", message, "required"));
  }
  const definition = String(frame.errorCode);
  const range = frame.scan.members.at(ERROR);
  if (range === undefined || !Object.hasOwn(table.errors, definition)) return { issues };
  return { issues, part: { range, at: "/error", definition, list: undefined } };
}

/**
 * Returns what the revision's table requires of a message. A method that it does not define for this sender is
 * allowed, and so are responses to it.
 * @param requestMethod the method of the request that a response belongs to
 */
export function demandsOf(
  frame: Frame,
  setting: MessageSetting,
  requestMethod: string | undefined,
): MessageRequirements {
  switch (frame.kind) {
    case "request":
    case "notification":
      return ofCall(frame, setting);
    case "response":
      return ofResponse(frame, setting, requestMethod);
    case "error":
      return ofError(frame, setting);
    default:
      return NONE;
  }
}

/**
 * Returns whether the table of a revision, with the extensions in it, has the method of a message, or of the request
 * that a response belongs to, for its sender. Other methods, such as those of vendors, are checked only by JSON-RPC. True for a response to an unknown
 * request.
 * @param revision the `protocolVersion`; true if there is no such revision
 * @param setting whether the tasks extension is agreed on: then it defines `tasks/*`, not the revision
 */
export function isMethodDefined(
  { kind, method }: Pick<Frame, "kind" | "method">,
  revision: string | undefined,
  {
    sender,
    tasksExtension = false,
    requestMethod,
  }: Pick<MessageSetting, "sender"> & {
    readonly tasksExtension?: boolean;
    readonly requestMethod?: string | undefined;
  },
): boolean {
  const table = messagesOf(revision);
  if (table === undefined) return true;
  const setting = { table, tasksExtension };
  if (kind === "request" || kind === "notification") {
    return methodOf(setting, method, sender) !== undefined;
  }
  if (kind !== "response" || requestMethod === undefined) return true;
  return methodOf(setting, requestMethod, sender === "client" ? "server" : "client") !== undefined;
}
