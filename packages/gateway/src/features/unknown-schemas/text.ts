import type { SchemaGap } from "../../contracts/source.ts";
import { visible } from "../../util/log.ts";
import { MAX_LINE, MAX_TOOL, shownTool } from "../text.ts";

/** Returns the protocol's error message for a tool that the server does not list. */
export function unknownTool(tool: string): string {
  return `Unknown tool: ${visible(tool.slice(0, MAX_TOOL), 2 * MAX_TOOL)}`;
}

/** Returns the text for a model whose call was blocked because the tool's schema is unknown. */
export function explainUnknown(tool: string, gap: SchemaGap): string {
  const name = shownTool(tool);
  return [
    `The call of ${name} was blocked before it reached the server: it cannot be checked yet, because the tool's schemas are not known.`,
    `- ${visible(gap.reason, gap.httpRefusal === undefined ? MAX_LINE : 2 * MAX_LINE)}`,
    `Changing the arguments will not help. ${afterGap(gap)}`,
  ].join("\n");
}

/** Returns what to do about an unknown schema. */
function afterGap({ code, httpRefusal }: SchemaGap): string {
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
