import { visible } from "@touchstone/util";
import type { UnknownSchemaReason } from "../../contracts/contract-source.ts";
import type { CallError } from "../call-step.ts";
import { MAX_SHOWN_TOOL_NAME, MAX_TEXT_LINE, quotedToolName } from "../text.ts";

/** Returns the protocol's error message for a tool that the server does not list. */
function unknownTool(tool: string): string {
  return `Unknown tool: ${visible(tool.slice(0, MAX_SHOWN_TOOL_NAME), 2 * MAX_SHOWN_TOOL_NAME)}`;
}

/** Returns the text for a model whose call was blocked because the tool's schema is unknown. */
function explainUnknown(tool: string, gap: UnknownSchemaReason): string {
  const name = quotedToolName(tool);
  return [
    `The call of ${name} was blocked before it reached the server: it cannot be checked yet, because the tool's schemas are not known.`,
    `- ${visible(gap.reason, gap.httpRefusal === undefined ? MAX_TEXT_LINE : 2 * MAX_TEXT_LINE)}`,
    `Changing the arguments will not help. ${afterGap(gap)}`,
  ].join("\n");
}

/** The error about a call without a readable name. */
export const namelessCallError: CallError = {
  as: "invalid params",
  text: "Blocked by touchstone: the call names no tool; params.name must be a string",
};

/**
 * Returns the error about a call of a tool that the client must not know: the same as for an unknown tool.
 * @param gap why the tool's declaration is unknown, if it is not allowed for that reason
 */
export function unknownToolError(tool: string, gap: UnknownSchemaReason | undefined): CallError {
  // MCP, Tools, Error Handling: an unknown tool is a protocol error in every revision.
  return gap === undefined
    ? { as: "invalid params", text: unknownTool(tool) }
    : { as: "tool error", text: explainUnknown(tool, gap) };
}

/** Returns what to do about an unknown schema. */
function afterGap({ code, httpRefusal }: UnknownSchemaReason): string {
  if (code === "incomplete") {
    return "The operator can raise limits.tools, or set on_unknown_schema to allow for this server.";
  }
  const { status, retryAfterMs } = httpRefusal ?? {};
  if (status === 401 || status === 403) return "The server requires other credentials.";
  if (status === 400 || status === 404 || status === 410) {
    return "The server does not know this session: begin a new one with initialize, then call again.";
  }
  const when = retryAfterMs === undefined ? "in a few seconds" : `in ${retryAfterMs / 1000} s`;
  return `List the tools and call again ${when}; if this continues, check the server.`;
}
