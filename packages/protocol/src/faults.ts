import {
  type Issue,
  type JsonScan,
  type JsonType,
  jsonTypeOf,
  normaliseNumber,
} from "@touchstone/core/advanced";
import { OPEN_ARRAY, OPEN_OBJECT, QUOTE } from "./bytes.ts";
import type { Frame, FrameScan } from "./frame.ts";
import { isLongerThan } from "./id.ts";
import { protocolIssue } from "./issue.ts";
import { ERROR, ID, JSONRPC, METHOD, PARAMS, RESULT } from "./plan.ts";

function scanIssues({ error, overKeys }: FrameScan): Issue[] {
  if (error === undefined && overKeys !== undefined) {
    return [{ path: "", message: overKeys.message, rule: "guard", keyword: "maxKeys" }];
  }
  if (error === undefined) return [];
  if (error.code === "keys") {
    return [{ path: "", message: error.message, rule: "guard", keyword: "maxKeys" }];
  }
  if (error.code === "size") {
    return [{ path: error.path ?? "", message: error.message, rule: "guard", keyword: "maxBytes" }];
  }
  if (error.code === "depth") {
    return [{ path: "", message: error.message, rule: "guard", keyword: "maxDepth" }];
  }
  return [protocolIssue("", `Invalid JSON: ${error.message}`, error.code)];
}

function duplicateIssues(scan: JsonScan): Issue[] {
  return scan.duplicates.map(({ path, offset }) => ({
    path,
    message: `The key occurs twice in its object, again at byte ${offset}`,
    rule: "duplicate",
  }));
}

function typeAt(frame: Frame, pointer: string): JsonType | undefined {
  const range = frame.range(pointer);
  if (range === undefined) return undefined;
  return jsonTypeOf(frame.bytes[range.start]);
}

function isDigits(bytes: Uint8Array, start: number, end: number): boolean {
  let i = start;
  while (i < end && ((bytes[i] as number) ^ 0x30) <= 9) i += 1;
  return i === end;
}

function isInteger(frame: Frame, pointer: string): boolean {
  const range = frame.range(pointer);
  if (range === undefined || typeAt(frame, pointer) !== "number") return false;
  if (isLongerThan(range)) return false;
  if (isDigits(frame.bytes, range.start, range.end)) return true;
  return normaliseNumber(frame.text(range)).exponent >= 0;
}

/** Returns an issue for a value of a wrong type, in this package's wording and with the params of JSON Schema. */
function typeIssue(
  path: string,
  message: string,
  type: string | readonly string[],
  received: JsonType | undefined,
): Issue {
  return protocolIssue(path, message, "type", { type, received });
}

/** Returns an issue for a missing member. */
function missingIssue(path: string, message: string): Issue {
  const missingProperty = path.slice(path.lastIndexOf("/") + 1);
  return protocolIssue(path, message, "required", { missingProperty });
}

function versionIssues(frame: Frame): Issue[] {
  if (frame.range("/jsonrpc") === undefined) {
    return [missingIssue("/jsonrpc", 'jsonrpc is missing; it must be "2.0"')];
  }
  if (frame.jsonrpc === "2.0") return [];
  return [protocolIssue("/jsonrpc", 'jsonrpc must be "2.0"', "const", { allowedValue: "2.0" })];
}

function idIssues(frame: Frame): Issue[] {
  const type = typeAt(frame, "/id");
  if (type === undefined) {
    // MCP lets an error omit it if the request's id could not be read.
    return frame.kind === "response"
      ? [missingIssue("/id", "A response must have the id of its request")]
      : [];
  }
  if (type === "string" || isInteger(frame, "/id")) return [];
  if (type === "null" && frame.kind === "error") return [];
  const found = type === "number" ? "a number with a fraction" : type;
  const message = `id must be a string or an integer, found ${found}`;
  return [typeIssue("/id", message, ["string", "integer"], type)];
}

const POINTERS = { result: "/result", error: "/error" } as const;

function callIssues(frame: Frame): Issue[] {
  const issues: Issue[] = [];
  const method = typeAt(frame, "/method");
  if (method !== "string") {
    const message = `method must be a string, found ${method}`;
    issues.push(typeIssue("/method", message, "string", method));
  }
  const params = typeAt(frame, "/params");
  if (params !== undefined && params !== "object" && params !== "array") {
    const message = `params must be an object or an array, found ${params}`;
    issues.push(typeIssue("/params", message, ["object", "array"], params));
  }
  for (const member of ["result", "error"] as const) {
    if (frame.range(POINTERS[member]) === undefined) continue;
    const message = `A message with a method must have no ${member}`;
    issues.push(protocolIssue(`/${member}`, message, "not"));
  }
  return issues;
}

function errorIssues(frame: Frame): Issue[] {
  const type = typeAt(frame, "/error");
  if (type === undefined) return [];
  if (type !== "object") {
    return [typeIssue("/error", `error must be an object, found ${type}`, "object", type)];
  }
  const issues: Issue[] = [];
  const code = typeAt(frame, "/error/code");
  if (code === undefined) {
    issues.push(missingIssue("/error/code", "error must have an integer code"));
  } else if (!isInteger(frame, "/error/code")) {
    issues.push(typeIssue("/error/code", "error.code must be an integer", "integer", code));
  }
  const message = typeAt(frame, "/error/message");
  if (message === undefined) {
    issues.push(missingIssue("/error/message", "error must have a message"));
  } else if (message !== "string") {
    const text = `error.message must be a string, found ${message}`;
    issues.push(typeIssue("/error/message", text, "string", message));
  }
  return issues;
}

function answerIssues(frame: Frame): Issue[] {
  const issues = errorIssues(frame);
  if (frame.kind === "response" && frame.range("/error") !== undefined) {
    const message = "A response must have either result or error, not both";
    issues.push(protocolIssue("/error", message, "not"));
  }
  return issues;
}

function shapeIssues(frame: Frame): Issue[] {
  const first = frame.bytes[frame.scan.root.start];
  if (frame.kind === "batch") {
    return frame.bytes[lastByte(frame)] === OPEN_ARRAY
      ? [protocolIssue("", "A batch must contain at least one message", "minItems")]
      : [];
  }
  if (first !== OPEN_OBJECT) return [protocolIssue("", "A message must be an object", "type")];
  const issues = [...versionIssues(frame), ...idIssues(frame)];
  if (frame.kind === "request" || frame.kind === "notification") {
    issues.push(...callIssues(frame));
  } else if (frame.kind === "invalid") {
    const message = "A message must have a method, a result or an error";
    issues.push(protocolIssue("", message, "required"));
  } else {
    issues.push(...answerIssues(frame));
  }
  return issues;
}

const NONE: readonly never[] = Object.freeze([]);

function isVersion2(bytes: Uint8Array, start: number, end: number): boolean {
  return (
    end - start === 5 &&
    bytes[start] === QUOTE &&
    bytes[start + 1] === 0x32 &&
    bytes[start + 2] === 0x2e &&
    bytes[start + 3] === 0x30
  );
}

/** Returns whether a quick check shows that the shape of a message is valid. False proves nothing. */
function isSound({ bytes, kind, scan }: Frame): boolean {
  const { members } = scan;
  const { words } = members;
  const version = members.indexOf(JSONRPC);
  if (version < 0) return false;
  if (!isVersion2(bytes, words[version + 1] as number, words[version + 2] as number)) return false;
  if (kind !== "notification") {
    const id = members.indexOf(ID);
    if (id < 0) return false;
    const start = words[id + 1] as number;
    if (bytes[start] !== QUOTE && !isDigits(bytes, start, words[id + 2] as number)) return false;
  }
  if (members.includes(ERROR)) return false;
  if (kind === "response") return true;
  const method = members.indexOf(METHOD);
  if (kind === "error" || method < 0 || bytes[words[method + 1] as number] !== QUOTE) return false;
  const params = members.indexOf(PARAMS);
  // '[' and '{' differ by one bit.
  const isOpen = params < 0 || ((bytes[words[params + 1] as number] ?? 0) | 0x20) === 0x7b;
  return isOpen && !members.includes(RESULT);
}

/** Returns the position of the last byte before the closing bracket that is not white space. */
function lastByte(frame: Frame): number {
  let at = frame.scan.root.end - 2;
  while ((frame.bytes[at] ?? 0xff) <= 0x20) at--;
  return at;
}

/** Returns all faults that {@link Frame.faults} reports. */
export function faultsOf(frame: Frame): readonly Issue[] {
  const { scan } = frame;
  // A message with too many keys was read only in part, so missing members are not reported.
  if (scan.overKeys !== undefined) return scanIssues(scan);
  if (scan.error === undefined && scan.duplicates.length === 0 && isSound(frame)) return NONE;
  const shape = scan.error === undefined ? shapeIssues(frame) : [];
  if (scan.error === undefined && scan.duplicates.length === 0) return shape;
  return [...scanIssues(scan), ...shape, ...duplicateIssues(scan)];
}
