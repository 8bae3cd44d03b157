import { isObject } from "../json/object.ts";
import type { Issue } from "../result.ts";

/** What is told of a tool that stands where its schema is wanted. */
export const TOOL_FOR_SCHEMA: Issue = {
  path: "",
  message: "Invalid schema: it is a tool of tools/list; give its inputSchema",
  rule: "schema",
  keyword: "schema",
};

/**
 * Whether a tool stands where its schema is wanted. As a JSON Schema it has no keyword that is known, and would
 * accept everything.
 */
export function isTool(value: unknown): boolean {
  return isObject(value) && typeof value["name"] === "string" && isObject(value["inputSchema"]);
}
