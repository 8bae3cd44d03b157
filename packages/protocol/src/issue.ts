import type { Issue } from "@touchstone/core";

/**
 * Returns an issue for a violation of JSON-RPC or MCP.
 * @param keyword the JSON Schema keyword that is closest to what is wrong
 * @param params the parameters of that keyword, from which sentences for people are made
 */
export function protocolIssue(
  path: string,
  message: string,
  keyword: string,
  params?: Issue["params"],
): Issue {
  return { path, message, rule: "protocol", keyword, ...(params && { params }) };
}
