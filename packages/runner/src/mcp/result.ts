import { ToolInputError, ToolOutputError } from "../contract/errors.ts";

/** The parameters of `tools/call`. */
export interface McpCall {
  readonly name: string;
  readonly arguments?: Record<string, unknown> | undefined;
}

/** The result of a refused call: a `CallToolResult` with `isError`. */
export interface McpRefusal {
  content: { type: "text"; text: string }[];
  isError: true;
}

/**
 * Returns an error's text for the model as the result of a call (MCP 2025-11-25, server/tools, "Error Handling").
 */
export function refusalResult(error: unknown): McpRefusal {
  const isOurs = error instanceof ToolInputError || error instanceof ToolOutputError;
  if (!isOurs) throw error;
  return { content: [{ type: "text", text: error.message }], isError: true };
}

/** Returns a member of a result, whatever the result is; undefined if it is not an object. */
export function resultMember(result: unknown, name: string): unknown {
  return typeof result === "object" && result !== null ? Reflect.get(result, name) : undefined;
}

/**
 * Returns whether a result is final. An error, or a result that is not there yet, has no structured content to check.
 */
export function isFinalResult(result: unknown): boolean {
  if (resultMember(result, "isError") === true || resultMember(result, "task") !== undefined)
    return false;
  const type = resultMember(result, "resultType");
  return type === undefined || type === "complete";
}
