import { type Issue, jsonTypeOf } from "@touchstone/core";
import type { Frame } from "../frame.ts";
import { protocolIssue } from "../issue.ts";

/**
 * A frame's faults by JSON-RPC 2.0 alone. It lets an id be null or have a fraction, and advises
 * against both (section 4); MCP forbids them. An error must have an id, be it null (section 5).
 */
export function jsonRpcGrade(frame: Frame): {
  readonly errors: readonly Issue[];
  readonly warnings: readonly Issue[];
} {
  const id = frame.ranges.id;
  const type = id === undefined ? undefined : jsonTypeOf(frame.bytes[id.start]);
  const legal = type === "number" || type === "null";
  const isAdvice = (issue: Issue): boolean =>
    legal && issue.path === "/id" && issue.keyword === "type";
  const warnings = frame.faults.filter(isAdvice).map((issue): Issue => {
    const what = type === "null" ? "be null" : "have a fraction";
    return { ...issue, message: `id should not ${what}` };
  });
  const errors = frame.faults.filter((issue) => !isAdvice(issue));
  if (frame.kind !== "error" || id !== undefined) return { errors, warnings };
  const message = "An error must have the id of its request, or null where it could not be read";
  return { errors: [...errors, protocolIssue("/id", message, "required")], warnings };
}
