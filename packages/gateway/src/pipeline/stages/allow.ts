import { folded, type Issue, tooLongToFold } from "@touchstone/core";
import { callTwin, nearMethod, twinText } from "@touchstone/protocol";
import type { Verdict } from "../../features/decision.ts";
import type { PolicySettings } from "../../features/policy/policy.ts";
import {
  blocksTools,
  decideTool,
  refusesTools,
  type ToolDecision,
} from "../../features/tool-lists/decide.ts";
import { answeredBy } from "../evidence.ts";
import { type ClientExchange, FORBIDDEN, type Outcome, type Stage } from "../exchange.ts";
import { describeFaults } from "../faults.ts";
import { blockedMessage, isAnswered, unknownCall } from "../messages.ts";
import { settle } from "../settle.ts";

/**
 * Blocks calls of tools that the policy does not allow (`allow_tools`, `deny_tools`, `read_only`), as calls of
 * unknown tools. A policy that blocks also blocks messages that servers may read as different calls.
 */
export const allow: Stage<ClientExchange> = {
  name: "allow",
  isOn: ({ narrowings, all }, hasOwnRules) =>
    hasOwnRules ||
    narrowings?.blocking !== undefined ||
    all.some(({ policy }) => refusesTools(policy)),
  run(exchange) {
    const { policy, snapshot } = exchange;
    const narrows = snapshot.narrowings?.blocking !== undefined;
    const refuses = policy !== undefined && refusesTools(policy);
    if (!refuses && !narrows) return "continue";
    const blocks = narrows || blocksTools(policy);
    const issue = blocks
      ? (ambiguity(exchange, narrows) ?? longName(exchange, narrows))
      : undefined;
    if (issue !== undefined) return blockAmbiguous(exchange, policy, issue);
    if (!refuses || exchange.method !== "tools/call") return "continue";
    const decided = decideTool(policy, toolOf(exchange));
    return decided.keyword === undefined ? "continue" : refuse(exchange, decided);
  },
};

/**
 * Returns whether a call will be refused whatever its tool declares. Such a call does not cause a request for the
 * tool list, and its arguments are not checked.
 */
export function isRefusedByName({ policy, method, toolName }: ClientExchange): boolean {
  if (policy === undefined || method !== "tools/call") return false;
  return decideTool(policy, { name: toolName, isReadOnly: true }).decision === "blocked";
}

function toolOf({ toolName, call }: ClientExchange): Parameters<typeof decideTool>[1] {
  return { name: toolName, isReadOnly: call?.contract?.isReadOnly };
}

const TOOL_METHODS: ReadonlySet<string> = new Set(["tools/call", "tools/list"]);

/**
 * Returns why servers may read a message as different calls; undefined if they agree.
 * @param narrows whether argument values are limited
 */
export function ambiguity(
  { frame, came }: Pick<ClientExchange, "frame" | "came">,
  narrows: boolean = false,
): Issue | undefined {
  const { kind, method, scan } = frame;
  if (kind === "batch") return policyIssue("", "a batch inside a batch is not read");
  if (scan.overKeys !== undefined) return policyIssue("", "it has more keys than are read");
  if (came.transport !== undefined) return policyIssue("", came.transport.message);
  const twin = callTwin(frame, narrows);
  if (twin !== undefined) {
    const isParam = twin === "name" || twin === "arguments";
    const path = typeof twin === "symbol" ? "" : isParam ? `/params/${twin}` : `/${twin}`;
    return policyIssue(path, twinText(twin));
  }
  if (method === undefined) {
    // Where it is a key of an object, JavaScript reads `["tools/call"]` as "tools/call".
    const isGiven = frame.range("/method") !== undefined;
    return isGiven ? policyIssue("/method", "it is not a string") : undefined;
  }
  if (TOOL_METHODS.has(method)) return undefined;
  const compared = folded(method, "name");
  const isNear =
    compared === undefined ||
    method.includes("\0") ||
    TOOL_METHODS.has(compared) ||
    nearMethod(frame).length > 0;
  return isNear ? policyIssue("/method", "it is nearly the name of another method") : undefined;
}

/** Returns an issue if the name of the called tool is too long to be compared with those of the settings. */
function longName(exchange: ClientExchange, narrows: boolean): Issue | undefined {
  const { toolName, method } = exchange;
  if (method !== "tools/call" || toolName === undefined) return undefined;
  if (!narrows && !isRefusedByName(exchange)) return undefined;
  return folded(toolName, "name") === undefined
    ? policyIssue("/params/name", `it ${tooLongToFold(toolName)}; call the tool by a shorter name`)
    : undefined;
}

function policyIssue(path: string, message: string, keyword?: string): Issue {
  return { path, message, rule: "policy", ...(keyword === undefined ? {} : { keyword }) };
}

function blockAmbiguous(
  exchange: ClientExchange,
  policy: PolicySettings | undefined,
  { path, message }: Issue,
): Outcome {
  const { frame, came } = exchange;
  // Which setting requires the block does not depend on the tool.
  const { keyword = "narrow" } = decideTool(policy, { name: undefined, isReadOnly: undefined });
  const why = `policy cannot tell which tool is called: ${message}`;
  const issue = policyIssue(path, why, keyword);
  const make = (): Uint8Array => blockedMessage(frame, [issue], came.transport?.code);
  return settled(exchange, { decision: "blocked", mode: "strict" }, issue, make);
}

function refuse(exchange: ClientExchange, { reason, keyword, ...decided }: ToolDecision): Outcome {
  const { frame, call, era } = exchange;
  const gap = call?.gap;
  // If the list was missing, the client may try again.
  const unknown = keyword === "read_only" && gap?.code !== "unlisted" ? gap : undefined;
  const issue = policyIssue("/params/name", `policy does not allow the tool: ${reason}`, keyword);
  // Whatever the tool's own name is, a client that must not know the tool is not told.
  const named = call?.tool === undefined ? undefined : exchange.asSent.toolName;
  const make = (): Uint8Array => unknownCall(frame.id, named, unknown, era);
  const outcome = settled(exchange, decided, issue, make);
  const httpRefusal = call?.contract === undefined ? unknown?.httpRefusal : undefined;
  return typeof outcome === "object" && httpRefusal ? { ...outcome, httpRefusal } : outcome;
}

function settled(
  exchange: ClientExchange,
  decided: Pick<Verdict, "decision" | "mode">,
  issue: Issue,
  make: () => Uint8Array,
): Outcome {
  const { state, frame, call, entries } = exchange;
  const issues = [issue];
  const finding = {
    direction: "input",
    verdict: { ...decided, outcome: "violation", record: true },
    issues,
    reason: () => describeFaults(issues),
    what: call === undefined ? "client message" : undefined,
    calls: call && [call],
    began: state.tap.now?.(),
    reply: { make, toClient: isAnswered(frame) },
  } as const;
  const { response } = settle(state, finding, entries);
  if (response === undefined) return "continue";
  if (call) entries.push(state.evidence.toolCall(call, "denied", answeredBy(frame, response)));
  return { respond: response, refusal: FORBIDDEN };
}
