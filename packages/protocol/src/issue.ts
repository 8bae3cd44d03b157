import type { Issue } from "@touchstone/core";

/**
 * Returns a fault of a message against JSON-RPC or MCP.
 * @param keyword of JSON Schema, the one that comes closest to what is wrong
 * @param params of that keyword, from which sentences for people are made
 */
export function protocolIssue(
  path: string,
  message: string,
  keyword: string,
  params?: Issue["params"],
): Issue {
  return { path, message, rule: "protocol", keyword, ...(params && { params }) };
}
