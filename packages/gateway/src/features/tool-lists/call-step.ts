import { foldText, type Issue, tooLongToFold } from "@touchstone/core/advanced";
import { ambiguousCallIssue, policyIssue } from "../ambiguity.ts";
import type { CallError, CallRefusal, CallStep, SentMessage } from "../call-step.ts";
import { summarizeIssues } from "../text.ts";
import { namelessCallError, unknownToolError } from "../unknown-schemas/text.ts";
import { blocksTools, decideTool, refusesTools, type ToolDecision } from "./decide.ts";

/**
 * Blocks calls of tools that the policy does not allow (`allow_tools`, `deny_tools`, `read_only`), as calls of
 * unknown tools. A policy that blocks also blocks messages that servers may read as different calls.
 */
export const allowCallStep: CallStep = {
  name: "allow",
  isOn: ({ narrowings, all }, hasOwnRules) =>
    hasOwnRules ||
    narrowings?.blocking !== undefined ||
    all.some(({ policy }) => refusesTools(policy)),
  refuse(message) {
    const { policy, snapshot, method, toolName, call } = message;
    const narrows = snapshot.narrowings?.blocking !== undefined;
    const refuses = policy !== undefined && refusesTools(policy);
    if (!refuses && !narrows) return undefined;
    const blocks = narrows || blocksTools(policy);
    const issue = blocks
      ? (ambiguousCallIssue(message, narrows) ?? longName(message, narrows))
      : undefined;
    if (issue !== undefined) return ambiguous(message, issue);
    if (!refuses || method !== "tools/call") return undefined;
    const tool = { name: toolName, isReadOnly: call?.contract?.isReadOnly };
    return forbidden(message, decideTool(policy, tool));
  },
};

/**
 * Returns whether a call will be refused whatever its tool declares. Such a call does not cause a request for the
 * tool list, and its arguments are not checked.
 */
export function isRefusedByName({
  policy,
  method,
  toolName,
}: Pick<SentMessage, "policy" | "method" | "toolName">): boolean {
  if (policy === undefined || method !== "tools/call") return false;
  return decideTool(policy, { name: toolName, isReadOnly: true }).decision === "blocked";
}

/** Returns an issue if the name of the called tool is too long to be compared with those of the settings. */
function longName(message: SentMessage, narrows: boolean): Issue | undefined {
  const { toolName, method } = message;
  if (method !== "tools/call" || toolName === undefined) return undefined;
  if (!narrows && !isRefusedByName(message)) return undefined;
  return foldText(toolName, "name") === undefined
    ? policyIssue("/params/name", `it ${tooLongToFold(toolName)}; call the tool by a shorter name`)
    : undefined;
}

function ambiguous({ policy, came }: SentMessage, { path, message }: Issue): CallRefusal {
  // The setting that requires the block is the same for all tools.
  const { keyword = "narrow" } = decideTool(policy, { name: undefined, isReadOnly: undefined });
  const why = `policy cannot tell which tool is called: ${message}`;
  return refusal({ decision: "blocked", mode: "strict" }, policyIssue(path, why, keyword), () => ({
    as: "blocked message",
    code: came.transport?.code,
  }));
}

function forbidden(
  { call, asSent }: SentMessage,
  { reason, keyword, decision, mode }: ToolDecision,
): CallRefusal | undefined {
  if (keyword === undefined || decision === "allowed") return undefined;
  const gap = call?.gap;
  // If the list was unavailable, the client may try again.
  const unknown = keyword === "read_only" && gap?.code !== "unlisted" ? gap : undefined;
  const issue = policyIssue("/params/name", `policy does not allow the tool: ${reason}`, keyword);
  // A client that may not know a tool must not learn the tool's own name from the error.
  const named = call?.tool === undefined ? undefined : asSent.toolName;
  const error = (): CallError =>
    named === undefined ? namelessCallError : unknownToolError(named, unknown);
  return {
    ...refusal({ decision, mode }, issue, error),
    isGap: unknown !== undefined && call?.contract === undefined,
  };
}

function refusal(
  decided: Pick<CallRefusal, "decision" | "mode">,
  issue: Issue,
  error: CallRefusal["error"],
): CallRefusal {
  const issues = [issue];
  const reason = (): string => summarizeIssues({ errors: issues }, "the message");
  return { ...decided, issues, reason, status: "denied", error };
}
