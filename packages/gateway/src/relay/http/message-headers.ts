import type { Frame } from "@touchstone/protocol";
import { encodeHeaderValue } from "./header-value.ts";
import { type ParamHeader, paramHeaderValues } from "./param-headers.ts";

/** Members of `params` that `Mcp-Name` repeats, by method. */
export const NAMED_BY: ReadonlyMap<string, "name" | "uri"> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
]);

/**
 * The headers that repeat what a message says, as a client owes them under 2026-07-28 (Transports,
 * Standard Request Headers and Custom Headers from Tool Parameters).
 * @param params the headers that the called tool's schema declares
 */
export function messageHeaders(
  frame: Frame,
  params: readonly ParamHeader[],
): Record<string, string> {
  const { method, ranges } = frame;
  if (method === undefined) return {};
  const member = NAMED_BY.get(method);
  const name = member === undefined ? undefined : frame[member];
  const { arguments: range } = ranges;
  const args = range && frame.bytes.subarray(range.start, range.end);
  return {
    "mcp-method": encodeHeaderValue(method),
    ...(name === undefined ? {} : { "mcp-name": encodeHeaderValue(name) }),
    ...paramHeaderValues(params, args),
  };
}
