import type { IncomingMessage, ServerResponse } from "node:http";
import {
  ERROR_CODES,
  errorFrame,
  type Frame,
  type HeaderFault,
  headerFault,
  readFrame,
} from "@touchstone/protocol";
import { sendJson } from "./answers.ts";
import { headerOf } from "./endpoint.ts";

/** HTTP status of a JSON-RPC error under 2026-07-28; 200 for those that are not listed. */
export const STATUS_OF_CODE: ReadonlyMap<number, number> = new Map([
  [ERROR_CODES.methodNotFound, 404],
  [ERROR_CODES.headerMismatch, 400],
  [ERROR_CODES.missingRequiredClientCapability, 400],
  [ERROR_CODES.unsupportedProtocolVersion, 400],
]);

/** What the gateway refuses by itself with one of these came to it malformed. */
const MALFORMED: ReadonlySet<number> = new Set([
  ERROR_CODES.invalidRequest,
  ERROR_CODES.invalidParams,
]);

/**
 * HTTP status of an answer that the gateway gives by itself under 2026-07-28: a request that lacks
 * what the revision demands is a bad one (MCP 2026-07-28, Transports, Streamable HTTP).
 */
export function statusOfOwn(answer: Uint8Array): number {
  const code = readFrame(answer).errorCode;
  if (code === undefined) return 200;
  return STATUS_OF_CODE.get(code) ?? (MALFORMED.has(code) ? 400 : 200);
}

/**
 * What is wrong with a POST under 2026-07-28 in front of a stdio server, before the server is asked
 * which versions it speaks, and its tools which headers they declare. Undefined where nothing is.
 */
export function postFault(request: IncomingMessage, frame: Frame): HeaderFault | undefined {
  return headersFault(request, frame) ?? beginsSession(frame);
}

/**
 * Where the headers of a POST say another thing than its message, or do not say what they must (MCP 2026-07-28,
 * Transports, Standard Request Headers): who routes by them would take it for another.
 */
export function headersFault(request: IncomingMessage, frame: Frame): HeaderFault | undefined {
  return headerFault(frame, (name) => headerOf(request, name), [], "any");
}

/** The process is shared: a session that one client began in it would be everybody's. */
function beginsSession(frame: Frame): HeaderFault | undefined {
  if (frame.kind !== "request" || frame.method !== "initialize") return undefined;
  const message = "this revision has no initialize; server/discover tells what a server can do";
  return { code: ERROR_CODES.methodNotFound, message };
}

/** Answers a request whose headers are wrong. */
export function sendFault(response: ServerResponse, frame: Frame, fault: HeaderFault): void {
  const { code, message, data } = fault;
  sendJson(
    response,
    STATUS_OF_CODE.get(code) ?? 400,
    errorFrame(frame.id ?? null, code, message, data),
  );
}
