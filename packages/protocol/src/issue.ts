import type { Issue } from "@touchstone/core";

/** A fault of a message against JSON-RPC or MCP. */
export function protocolIssue(path: string, message: string, keyword?: string): Issue {
  return { path, message, rule: "protocol", ...(keyword === undefined ? {} : { keyword }) };
}
