import { isObject } from "./json/value.ts";

/**
 * Returns whether a tool was passed instead of its schema. As a JSON Schema, it has no known keyword and would accept
 * everything.
 */
export function isTool(value: unknown): boolean {
  return isObject(value) && typeof value["name"] === "string" && isObject(value["inputSchema"]);
}
