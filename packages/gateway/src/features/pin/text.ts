import { visible } from "@touchstone/util";
import { MAX_SHOWN_TOOL_NAME, MAX_TEXT_LINE, quotedToolName } from "../text.ts";
import type { PinDecision } from "./decide.ts";

/**
 * Returns the text for a model whose call was blocked because the tool's current declaration is not approved.
 * @param tool the server's name for it, as the operator's commands take it
 * @param shown the name that the client knows
 */
export function explainPin(
  tool: string,
  server: string,
  { reason, state, next }: PinDecision,
  shown: string = tool,
): string {
  const name = quotedToolName(shown);
  const advice =
    next === "approve"
      ? `Changing the arguments will not help. ${howToApprove(tool, server)}`
      : "Changing the arguments will not help. Try again later; if this continues, tell the operator, who can see more in the log.";
  return [
    `The call of ${name} was blocked before it reached the server: ${PIN_STATES[state]}.`,
    `- ${visible(reason, MAX_TEXT_LINE)}`,
    advice,
  ].join("\n");
}

/** Returns why a tool is missing in a list, and how to approve it; undefined if nobody can approve it. */
export function explainHeldTool(
  tool: string,
  server: string,
  { reason, state, next }: PinDecision,
): string | undefined {
  if (next !== "approve") return undefined;
  return `The tool is ${state}: ${visible(reason, MAX_TEXT_LINE)}. ${howToApprove(tool, server)}`;
}

const PIN_STATES: Readonly<Record<PinDecision["state"], string>> = {
  held: "the tool is held",
  revoked: "the tool is revoked",
  unknown: "it is unknown whether the tool is approved",
};

function howToApprove(tool: string, server: string): string {
  const command = visible(
    `touchstone approve ${shellWord(server)} ${shellWord(tool)}`,
    MAX_TEXT_LINE,
  );
  return `The operator can review the change in the console, and approve it there or with: ${command}`;
}

/** Returns a name as one word for a POSIX shell. */
function shellWord(name: string): string {
  const cut = name.slice(0, MAX_SHOWN_TOOL_NAME);
  return /^[\w.:/@-]+$/.test(cut) ? cut : `'${cut.replaceAll("'", "'\\''")}'`;
}
