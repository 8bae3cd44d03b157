import { messageOf } from "@touchstone/core/advanced";

/**
 * Why a function of this package cannot do its work. Each is a mistake in the calling program.
 *
 * - `invalid_option`: an option has an invalid value or an unknown name. The message names it and what is
 *   allowed.
 * - `not_a_server`: the object is not a server of the MCP TypeScript SDK (v1 `Server` or `McpServer` of
 *   `@modelcontextprotocol/sdk`, v2 of `@modelcontextprotocol/server`). Pass one of them.
 * - `already_connected`: clients learn capabilities when they connect. Wrap the server before that.
 * - `already_added`: the server offers validation already. Wrap it once.
 * - `name_taken`: a tool of the server has the name of the validation tool. Choose another `method`.
 * - `not_a_client`: the object has no `callTool`. Pass a connected MCP client.
 */
export type CapabilityErrorCode =
  | "invalid_option"
  | "not_a_server"
  | "already_connected"
  | "already_added"
  | "name_taken"
  | "not_a_client";

/** A mistake in the program that calls this package. */
export class CapabilityError extends Error {
  override readonly name: string = "CapabilityError";
  readonly code: CapabilityErrorCode;

  constructor(code: CapabilityErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** A JSON-RPC error, as handlers of either SDK generation throw it. */
export class RpcError extends Error {
  override readonly name: string = "RpcError";
  /** A JSON-RPC error code (JSON-RPC 2.0, section 5.1). */
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Returns the text of a thrown value, whatever it is, at most 300 characters; never throws. */
export function shortMessageOf(thrown: unknown): string {
  const text = messageOf(thrown);
  return text.length > 300 ? `${text.slice(0, 299)}…` : text;
}
