import type { Issue } from "@touchstone/core";

/**
 * A fault of a message against JSON-RPC or MCP.
 * @param keyword of JSON Schema, the one that comes closest to what is wrong
 */
export function protocolIssue(path: string, message: string, keyword: string): Issue {
  return { path, message, rule: "protocol", keyword };
}
