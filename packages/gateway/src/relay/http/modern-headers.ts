import type { IncomingMessage } from "node:http";
import { joinPointer } from "@touchstone/core";
import {
  ERROR_CODES,
  type Frame,
  META_CLIENT_CAPABILITIES,
  META_PROTOCOL_VERSION,
} from "@touchstone/protocol";
import { headerOf } from "./endpoint.ts";
import { decodeHeaderValue } from "./header-value.ts";
import { NAMED_BY } from "./message-headers.ts";

/** What `_meta` of every request must have. */
const META_KEYS = [META_PROTOCOL_VERSION, META_CLIENT_CAPABILITIES];

export interface HeaderFault {
  readonly code: number;
  readonly message: string;
  /** The error's `data`, where its code has some. */
  readonly data?: unknown;
}

/**
 * What is wrong with a POST under 2026-07-28: its body must be one request or notification, its
 * `_meta` complete, and its headers must say what the body says (MCP 2026-07-28, Transports,
 * Standard Request Headers). Undefined where nothing is.
 */
export function headerFault(request: IncomingMessage, frame: Frame): HeaderFault | undefined {
  if (frame.kind === "notification") return undefined;
  if (frame.kind !== "request") {
    const message = "the body must be a single JSON-RPC request or notification";
    return { code: ERROR_CODES.invalidRequest, message };
  }
  const missing = META_KEYS.find(
    (key) => frame.range(joinPointer("/params/_meta", key)) === undefined,
  );
  if (missing !== undefined) {
    return { code: ERROR_CODES.invalidParams, message: `params._meta["${missing}"] is missing` };
  }
  const member = NAMED_BY.get(frame.method ?? "");
  const name = member === undefined ? undefined : frame[member];
  return (
    mismatch(request, "MCP-Protocol-Version", frame.protocolVersion) ??
    mismatch(request, "Mcp-Method", frame.method) ??
    (name === undefined ? undefined : mismatch(request, "Mcp-Name", name)) ??
    beginsSession(frame)
  );
}

/** The process is shared: a session that one client began in it would be everybody's. */
function beginsSession(frame: Frame): HeaderFault | undefined {
  if (frame.method !== "initialize") return undefined;
  const message = "this revision has no initialize; server/discover tells what a server can do";
  return { code: ERROR_CODES.methodNotFound, message };
}

function mismatch(
  request: IncomingMessage,
  name: string,
  expected: string | undefined,
): HeaderFault | undefined {
  const given = headerOf(request, name.toLowerCase());
  if (given !== undefined && decodeHeaderValue(given.trim()) === expected) return undefined;
  const what = given === undefined ? "is missing" : "does not say what the body says";
  return { code: ERROR_CODES.headerMismatch, message: `the header ${name} ${what}` };
}
