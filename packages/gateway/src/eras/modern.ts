import {
  ERROR_CODES,
  headerFault,
  LATEST,
  META_CLIENT_CAPABILITIES,
  META_PROTOCOL_VERSION,
  readFrame,
  requestHeaders,
} from "@touchstone/protocol/advanced";
import type { Era } from "./era.ts";

/**
 * HTTP status of JSON-RPC errors (MCP 2026-07-28, Transports, Streamable HTTP). Codes that are not listed have 200.
 */
const STATUS_OF_CODE: ReadonlyMap<number, number> = new Map([
  [ERROR_CODES.methodNotFound, 404],
  [ERROR_CODES.headerMismatch, 400],
  [ERROR_CODES.missingRequiredClientCapability, 400],
  [ERROR_CODES.unsupportedProtocolVersion, 400],
]);

/** If the gateway refuses a request with one of these codes, the request was malformed. */
const MALFORMED: ReadonlySet<number> = new Set([
  ERROR_CODES.invalidRequest,
  ERROR_CODES.invalidParams,
]);

/** Returns the HTTP status of a JSON-RPC error that a server sends; undefined if the code has none. */
export function httpStatusOfCode(code: number | undefined): number | undefined {
  return code === undefined ? undefined : STATUS_OF_CODE.get(code);
}

/** Source text of `_meta`. What one client sends must not change what the gateway learns for others. */
const OWN_META: string = JSON.stringify({
  [META_PROTOCOL_VERSION]: LATEST.version,
  [META_CLIENT_CAPABILITIES]: {},
});

/** Revisions from 2026-07-28 on (MCP 2026-07-28, Base Protocol; Transports). */
export const modern: Era & { readonly ownMeta: string } = {
  name: "modern",
  hasHandshake: false,
  revisionAfter: ({ protocolVersion }) => protocolVersion,
  ownMeta: OWN_META,
  namesResultType: true,
  namesCacheScope: true,
  asksForInput: ({ resultType }) => resultType === "input_required",
  announcesTask: ({ resultType }) => resultType === "task",
  repeatsArguments: true,
  messageHeaders: requestHeaders,
  // A proxy that routes by headers would route the message as another one.
  headersFault: (frame, header) => headerFault(frame, header, [], "any"),
  statusOf(response) {
    const code = readFrame(response).errorCode;
    if (code === undefined) return 200;
    return STATUS_OF_CODE.get(code) ?? (MALFORMED.has(code) ? 400 : 200);
  },
  cancelsByClosing: true,
  hasServerStream: false,
};
