import { joinPointer } from "@touchstone/core/advanced";
import { ERROR_CODES } from "../codes.ts";
import type { Frame } from "../frame.ts";
import type { Revision } from "../revisions/revision.ts";
import { LATEST } from "../revisions/revisions.ts";
import { decodeHeaderValue, encodeHeaderValue } from "./header-value.ts";
import type { ParamHeader } from "./param-headers.ts";
import { paramHeaderFault, paramHeaderValues } from "./param-values.ts";

/** Returns the value of a header by its name in lower case. */
export type HeaderLookup = (name: string) => string | undefined;

/** The member of `params` that `Mcp-Name` repeats, by method (MCP 2026-07-28, Transports). */
export const MCP_NAME_MEMBERS: ReadonlyMap<string, "name" | "uri"> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
]);

/** Why a request is refused with status 400. */
export interface HeaderFault {
  /** The error code: -32020, -32022 or one of JSON-RPC's. */
  readonly code: number;
  readonly message: string;
  /** The error's `data`, if its code has any. */
  readonly data?: unknown;
}

function argumentsOf({ ranges, bytes }: Frame): Uint8Array | undefined {
  const range = ranges.arguments;
  return range && bytes.subarray(range.start, range.end);
}

/**
 * Returns the headers that repeat what a message says, by name, as a client must send them under 2026-07-28
 * (Transports, Standard Request Headers and Custom Headers from Tool Parameters). A message without a method has
 * none.
 * @param params the headers that the called tool's schema declares
 */
export function requestHeaders(
  frame: Frame,
  params: readonly ParamHeader[] = [],
): Readonly<Record<string, string>> {
  const { method, protocolVersion } = frame;
  if (method === undefined) return {};
  const member = MCP_NAME_MEMBERS.get(method);
  const name = member === undefined ? undefined : frame[member];
  return {
    ...(protocolVersion === undefined ? {} : { "mcp-protocol-version": protocolVersion }),
    "mcp-method": encodeHeaderValue(method),
    ...(name === undefined ? {} : { "mcp-name": encodeHeaderValue(name) }),
    ...paramHeaderValues(params, argumentsOf(frame)),
  };
}

function mismatch(
  given: HeaderLookup,
  name: string,
  expected: string | undefined,
): HeaderFault | undefined {
  const value = given(name.toLowerCase());
  if (value !== undefined && decodeHeaderValue(value.trim()) === expected) return undefined;
  const what = value === undefined ? "is missing" : "does not say what the body says";
  return { code: ERROR_CODES.headerMismatch, message: `the header ${name} ${what}` };
}

/**
 * Returns what is wrong with a POST under 2026-07-28: its body must be one request or notification, its `_meta`
 * complete, its version supported, and its headers must match the body (Transports, Standard Request Headers).
 * Undefined if nothing is wrong.
 * @param params the headers that the called tool's schema declares
 * @param supported the supported revisions; `any` if they are checked elsewhere
 */
export function headerFault(
  frame: Frame,
  given: HeaderLookup,
  params: readonly ParamHeader[] = [],
  supported: readonly Revision[] | "any" = [LATEST],
): HeaderFault | undefined {
  if (frame.kind === "notification") return undefined;
  if (frame.kind !== "request") {
    const message = "the body must be a single JSON-RPC request or notification";
    return { code: ERROR_CODES.invalidRequest, message };
  }
  const missing = LATEST.requiredRequestMeta.find(
    (key) => frame.range(joinPointer("/params/_meta", key)) === undefined,
  );
  if (missing !== undefined) {
    const message = `params._meta[${JSON.stringify(missing)}] is missing`;
    return { code: ERROR_CODES.invalidParams, message };
  }
  const member = MCP_NAME_MEMBERS.get(frame.method ?? "");
  const name = member === undefined ? undefined : frame[member];
  const standard =
    mismatch(given, "MCP-Protocol-Version", frame.protocolVersion) ??
    (supported === "any" ? undefined : unsupported(frame.protocolVersion, supported)) ??
    mismatch(given, "Mcp-Method", frame.method) ??
    (name === undefined ? undefined : mismatch(given, "Mcp-Name", name));
  if (standard !== undefined) return standard;
  const fault = paramHeaderFault(params, argumentsOf(frame), given);
  return fault === undefined ? undefined : { code: ERROR_CODES.headerMismatch, message: fault };
}

/**
 * Returns what is wrong with headers that name a method or its subject (`Mcp-Method`, `Mcp-Name`), in any revision:
 * anyone who routes by them would mistake the message for another one. An absent header is not wrong.
 */
export function nameHeaderFault(frame: Frame, given: HeaderLookup): HeaderFault | undefined {
  const { kind, method } = frame;
  if (kind !== "request" && kind !== "notification") return undefined;
  const member = MCP_NAME_MEMBERS.get(method ?? "");
  const differs = (name: string, expected: string | undefined): HeaderFault | undefined =>
    given(name.toLowerCase()) === undefined ? undefined : mismatch(given, name, expected);
  const named = member === undefined ? undefined : differs("Mcp-Name", frame[member]);
  return differs("Mcp-Method", method) ?? named;
}

function unsupported(
  requested: string | undefined,
  revisions: readonly Revision[],
): HeaderFault | undefined {
  const supported = revisions.map(({ version }) => version);
  if (requested !== undefined && supported.includes(requested)) return undefined;
  return {
    code: ERROR_CODES.unsupportedProtocolVersion,
    message: `this protocol version is not served; ${supported.join(", ")} is`,
    data: { supported, requested: requested ?? "" },
  };
}
