import { redactText } from "../activity/bodies/secret-text.ts";
import type { Decision, Direction } from "../policy/settings.ts";
import type { PipelineContext } from "./context.ts";

/** What the log calls a tool of a server; the server where it is no tool's matter, or names none. */
export function nameInLog(server: string, tool: string | undefined): string {
  return tool === undefined ? server : `${server}/${tool}`;
}

/** One line for the operator about a message that was noted or stopped; of many alike, the first ones. */
export function reportDecision(
  { paced, server }: Pick<PipelineContext, "paced" | "server">,
  decision: Decision,
  direction: Direction,
  tool: string | undefined,
  reason: string,
): void {
  const what = `${direction} ${decision === "blocked" ? "blocked" : "let pass with a warning"}`;
  // As in the records: a secret may be a member's name.
  const { text } = redactText(reason);
  paced.warn(`${server} ${what}`, `${nameInLog(server, tool)} ${what}: ${text}`);
}
