import {
  type Check,
  type GuardTrip,
  type Issue,
  type Outcome,
  withoutIgnored,
} from "@touchstone/core/advanced";
import type { Frame } from "@touchstone/protocol/advanced";
import { BLOCKABLE_WORD, EXTERNAL_REFERENCE_WORD, isUndeclared } from "@touchstone/records/plain";
import type { ActivityEntry } from "@touchstone/records/record";
import { redactText } from "@touchstone/util";
import { toolNames } from "../contracts/tools-page.ts";
import { isQueueFull, type PolicyDecision } from "../features/decision.ts";
import { isExternal } from "../features/invalid-schemas/decide.ts";
import type { RepairedCall } from "../features/repair/repair-arguments.ts";
import { summarizeIssues } from "../features/text.ts";
import { decideProtocol, isHeavier } from "../policy/decide.ts";
import { outputReason } from "../policy/explain.ts";
import { notedDecision } from "../policy/noted.ts";
import type { Decision, Direction, Mode, ProtocolCheckSettings } from "../settings/validation.ts";
import type { PipelineContext } from "./context.ts";
import { NO_CHECKS, noteCallCheck, toolOrServerName, withOutdatedNote } from "./evidence.ts";
import { allFaults, describeFaults, type MessageFaults } from "./faults.ts";
import type { HeaviestDecision, ToolCall } from "./in-flight.ts";
import type { DecidedCheck } from "./judge.ts";
import { ownMessageText } from "./messages.ts";
import type { PipelineState } from "./state.ts";
import type { Tap } from "./tap.ts";

/*
 * The one place where a check becomes a decision, a metric, a log line and a record. The code that builds decision
 * records, counts checks and logs them is private to this file.
 */

/** A check of one message and the policy's decision about it. */
export interface CheckDecision {
  readonly direction: Direction;
  readonly verdict: PolicyDecision;
  readonly issues: readonly Issue[];
  /** How many further issues there are. */
  readonly more?: number | undefined;
  readonly guard?: GuardTrip | undefined;
  readonly schemaHash?: string | undefined;
  /** Returns what is wrong in one line; called only if the policy objects. */
  readonly reason: () => string;
  /** Whether no mode blocks these issues. */
  readonly isAdvice?: boolean | undefined;
  /** A page of a tool list, whose tools get their own records, and which issues are more than advice. */
  readonly page?: { readonly frame: Frame; readonly errors: readonly Issue[] } | undefined;
  /** How the log line begins, if the reason does not name the message. */
  readonly what?: string | undefined;
  /** The calls that the message is about. If there is exactly one, the record names it. */
  readonly calls?: readonly ToolCall[] | undefined;
  /** When the check began, on the tap's clock. */
  readonly began?: number | undefined;
  /** How the arguments were repaired. */
  readonly repaired?: RepairedCall | undefined;
  /** Whether the same call was refused before. */
  readonly repeated?: boolean;
  /** Replaces a blocked message. */
  readonly reply?: BlockedReplacement | undefined;
}

/** Replaces a blocked message. */
export interface BlockedReplacement {
  /** Makes the replacement from the reason. */
  readonly make: (reason: string) => Uint8Array;
  /** Whether the client receives it. The record of the decision then keeps its text. */
  readonly toClient: boolean;
}

/** The result of a check. */
export interface SettledCheck {
  readonly decision: Decision;
  /** The reason as it is recorded; empty if the policy allows the message. */
  readonly reason: string;
  /** The replacement of a blocked message, if the finding has a `reply`. */
  readonly response?: Uint8Array | undefined;
}

const ALLOWED: SettledCheck = { decision: "allowed", reason: "" };
const NO_CALLS: readonly ToolCall[] = [];

/**
 * Settles a check: counts it. If the policy objects, also logs it, adds a record to `entries` and applies the
 * decision to its calls.
 */
export function settle(
  state: PipelineState,
  finding: CheckDecision,
  entries: ActivityEntry[],
): SettledCheck {
  const { context } = state;
  const { calls = NO_CALLS, direction, issues, guard, isAdvice = false, what } = finding;
  const decided = finding.verdict;
  // In mode off nothing is checked; only unreadable messages are blocked.
  if (decided.record || decided.decision === "allowed") {
    // Notes never block.
    const counted =
      isAdvice && decided.decision !== "allowed" ? notedDecision(decided, "").verdict : decided;
    count(state.tap, direction, counted, issues, guard, finding.began, finding.repeated);
  }
  if (decided.decision === "allowed") {
    // A well-formed message may still have invalid arguments or an invalid result.
    if (direction !== "protocol") {
      for (const call of calls) call.verdict = heavierDecision(call.verdict, decided);
    }
    return ALLOWED;
  }
  const described = finding.reason();
  const { verdict, reason } = isAdvice
    ? notedDecision(decided, described)
    : { verdict: decided, reason: described };
  const { decision, mode, outcome } = verdict;
  for (const call of calls) {
    call.verdict = heavierDecision(call.verdict, { decision, outcome, direction, mode, reason });
    call.repairs ??= finding.repaired?.repairs;
    if (decision === "warning") call.warned ??= reason;
  }
  const call = calls.length === 1 ? calls[0] : undefined;
  const { reply } = finding;
  const response = decision === "blocked" ? reply?.make(reason) : undefined;
  if (verdict.record && finding.page !== undefined) pageEntries(state, finding, entries);
  else if (verdict.record) {
    const received = response && reply?.toClient ? ownMessageText(response) : undefined;
    addDecision(entries, decisionEntry(state, finding, verdict, reason, call, received));
  }
  const line = what === undefined ? described : `${what}: ${described}`;
  report(context, decision, direction, call?.tool, line);
  return { decision, reason, response };
}

/** Returns the verdict about a message that no mode forwards, such as an unreadable one. */
export function alwaysBlocked(mode: Mode): PolicyDecision {
  return { decision: "blocked", outcome: "violation", mode, record: mode !== "off" };
}

/** Returns the verdict about a frame that is not JSON, or of which an id is too long to be read. */
export function brokenFrameDecision({ scan }: Frame, mode: Mode): PolicyDecision {
  const blocked = alwaysBlocked(mode);
  return scan.error?.code === "size" ? { ...blocked, outcome: "guard", record: true } : blocked;
}

/** How a message is checked against the protocol. */
export interface ProtocolCheck {
  readonly settings: ProtocolCheckSettings;
  /** How the log line begins. */
  readonly what: string;
  readonly call?: ToolCall | undefined;
  /** Whether every mode forwards the message. */
  readonly neverBlocked?: boolean;
  /** Whether the message is the response to the call. */
  readonly isResponse?: boolean;
  /** The message, if it is a page of a tool list. */
  readonly page?: Frame | undefined;
  readonly began?: number | undefined;
  readonly reply?: BlockedReplacement | undefined;
}

/** Settles the check of a message against the protocol. */
export function settleProtocol(
  state: PipelineState,
  { errors, items, more = 0, isOpen = false }: MessageFaults,
  {
    settings,
    what,
    call,
    neverBlocked = false,
    isResponse = false,
    page,
    began,
    reply,
  }: ProtocolCheck,
  entries: ActivityEntry[],
): SettledCheck {
  const issues = allFaults(errors, items);
  // A call counts as checked if both of its messages were, or if one of them was found invalid.
  if (call !== undefined && (isResponse || errors.length > 0)) {
    noteCallCheck(call, "protocol", settings.mode, errors.length > 0 ? "violation" : "pass");
  }
  const verdict = decideProtocol(issues.length, settings, isOpen);
  const isFailure = verdict.decision !== "allowed" && errors.length > 0 && !neverBlocked;
  if (call !== undefined && isFailure) call.failedCheck = true;
  const finding: CheckDecision = {
    direction: "protocol",
    verdict,
    issues,
    more,
    reason: () => describeFaults(issues, more),
    page: page && { frame: page, errors: neverBlocked ? [] : errors },
    // An issue inside one item must not hide the other items.
    isAdvice: neverBlocked || errors.length === 0,
    what,
    calls: call && [call],
    began,
    reply,
  };
  return settle(state, finding, entries);
}

/** The payload that a tool's schema checked. */
export interface SchemaCheck {
  readonly part: "input" | "output";
  /** The direction that decides. For a tool with unknown schemas it may differ from the payload's. */
  readonly direction: Direction;
  readonly began: number | undefined;
  readonly repaired?: RepairedCall | undefined;
  readonly reply?: BlockedReplacement | undefined;
  readonly repeated?: boolean;
}

/** Settles a check by a tool's schema. Logs each unusable schema once. */
export function settleSchema(
  state: PipelineState,
  call: ToolCall,
  judgement: DecidedCheck,
  { part, direction, began, repaired, reply, repeated = false }: SchemaCheck,
  entries: ActivityEntry[],
): SettledCheck {
  const { check, verdict, schemaHash } = judgement;
  state.tap.judged?.({ check, verdict, repaired });
  if (check.outcome === "uncompilable") diagnose(state, call, part, judgement);
  const whole = part === "input" ? "the arguments" : "the result";
  noteCallCheck(call, part, call.settings[part].mode, schemaOutcome(call, part, check.outcome));
  const told = check.treated === undefined ? check : withoutIgnored(check);
  const isOnlyUndeclared = call.settings.input.undeclared !== "violation" && isUndeclaredOnly(told);
  if (!isOnlyUndeclared && isFailure(judgement)) call.failedCheck = true;
  const finding: CheckDecision = {
    direction,
    verdict,
    issues: told.errors,
    guard: check.guard,
    schemaHash,
    more: told.truncated,
    reason: () => {
      const reason = outputReason(told, whole);
      return repaired === undefined ? reason : `${reason}; repaired: ${repaired.repairs}`;
    },
    // A repair is more than advice: the server gets other bytes.
    isAdvice: repaired === undefined && isOnlyUndeclared,
    calls: [call],
    began,
    repaired,
    reply,
    repeated,
  };
  return settle(state, finding, entries);
}

/**
 * Returns whether a check found a violation that counts, or blocks the call for a reason other than the gateway's
 * load.
 */
function isFailure({ check, verdict: { decision } }: DecidedCheck): boolean {
  if (decision === "allowed") return false;
  return check.outcome === "violation" || (decision === "blocked" && !isQueueFull(check));
}

/** Returns whether all that was found are undeclared arguments that count as warnings, which no mode blocks. */
function isUndeclaredOnly({ treated, errors, truncated }: DecidedCheck["check"]): boolean {
  if (treated === undefined || treated.violation > 0 || truncated !== undefined) return false;
  return errors.length > 0 && errors.every(isUndeclared);
}

/** Arguments that were refused before they reached a conversation, as in `strict`, whatever the mode. */
export interface RefusedArguments {
  /** The tool's name as its server lists it. */
  readonly tool: string;
  readonly check: Pick<Check, "outcome" | "errors" | "guard" | "truncated">;
  /** The arguments, and the body that contained them. */
  readonly body: Uint8Array;
  /** Hash of the input schema as the server wrote it, if the gateway knows it. */
  readonly schemaHash: string | undefined;
  /** `name/version` of the client. */
  readonly client: string;
  /** The caller, as the gateway identified it. */
  readonly caller: string | undefined;
  /** The text that the client receives. */
  readonly text: string;
  /** Whether the same call was refused before. */
  readonly repeated: boolean;
  /** Why the call is refused, if it is not for its arguments but over a limit. */
  readonly rejection?: string | undefined;
}

/** Settles refused arguments, or a rejected call. Returns the linked records of the decision and the call. */
export function settleRefused(
  context: PipelineContext,
  refused: RefusedArguments,
): readonly ActivityEntry[] {
  const { tool, check, body, schemaHash, client, caller, text, repeated, rejection } = refused;
  const { errors, guard, outcome, truncated } = check;
  const reason = rejection ?? summarizeIssues(check, "the arguments");
  const verdict = { mode: "strict", outcome, decision: "blocked" } as const;
  count(context.tap?.() ?? {}, "input", verdict, errors, guard, undefined, repeated);
  report(context, "blocked", "input", tool, reason);
  const common = {
    source: "http",
    server: context.server,
    client,
    caller,
    tool,
    request_id: context.newRequestId(),
    direction: "input",
    mode: "strict",
    decision: "blocked",
    outcome,
    status: rejection === undefined ? "blocked" : "limited",
    reason,
  } as const;
  const checks = rejection === undefined ? `input strict ${outcome}` : NO_CHECKS;
  const isKept = context.bodies === "all" || rejection === undefined;
  const kept = isKept ? body : undefined;
  const found = { issues: errors, truncated, guard, schema_hash: schemaHash };
  return [
    { ...common, type: "policy_decision", ...found, response_text: text },
    { ...common, type: "tool_call", bytes_in: body.length, arguments: kept, checks },
  ];
}

/** Returns the outcome of a check for the record, with a separate value for a tool without a schema. */
function schemaOutcome(
  { contract, settings }: ToolCall,
  part: SchemaCheck["part"],
  outcome: Outcome,
): Parameters<typeof noteCallCheck>[3] {
  if (outcome === "uncompilable" && isExternal(contract?.[part]))
    return `${outcome} ${EXTERNAL_REFERENCE_WORD}`;
  const { missingStructuredContent } = settings.output;
  if (outcome === "missing" && missingStructuredContent === "block")
    return `missing ${BLOCKABLE_WORD}`;
  if (outcome !== "skipped" || contract === undefined) return outcome;
  const text = part === "input" ? contract.inputText : contract.outputText;
  return text === undefined ? "undeclared" : outcome;
}

/** Ranks how informative each outcome is for a call that was not blocked. */
const TELLING: Partial<Record<Outcome, number>> = { skipped: 0, pass: 1 };

/**
 * Returns the heavier of two decisions about a call. If both are equal, returns the more informative one, then the
 * first.
 */
export function heavierDecision(
  current: HeaviestDecision,
  next: HeaviestDecision,
): HeaviestDecision {
  if (isHeavier(next.decision, current.decision)) return next;
  const more = (TELLING[next.outcome] ?? 2) - (TELLING[current.outcome] ?? 2);
  const tellsMore = next.decision === current.decision && more > 0;
  return tellsMore ? { ...current, outcome: next.outcome } : current;
}

/** Reports the result of a check to the tap. */
function count(
  tap: Tap,
  direction: Direction,
  { mode, outcome, decision }: Pick<PolicyDecision, "mode" | "outcome" | "decision">,
  issues: readonly Issue[],
  guard: GuardTrip | undefined,
  began: number | undefined,
  repeated = false,
): void {
  const rule = outcome === "pass" ? undefined : issues[0]?.rule;
  const fact = { direction, mode, outcome, decision, rule, guard: guard?.guard, began };
  tap.checked?.(repeated ? { ...fact, repeated } : fact);
}

/**
 * Logs a warning or a blocked message for the operator. Logs the first blocked messages, and one warning for each
 * tool and reason.
 */
function report(
  { paced, server }: Pick<PipelineContext, "paced" | "server">,
  decision: Decision,
  direction: Direction,
  tool: string | undefined,
  reason: string,
): void {
  const done = decision === "warning" ? "forwarded with a warning" : decision;
  const what = `${direction} ${done}`;
  // Redacts the reason as in the records, because a member's name may be a secret.
  const { text } = redactText(reason);
  const line = `${toolOrServerName(server, tool)} ${what}: ${text}`;
  // A busy agent may break a rule with every call.
  if (decision === "blocked") paced.warn(`${server} ${what}`, line);
  else paced.warnOnce(`${server} ${what}`, line);
}

/** Returns the item of a tool list that an issue is in. */
const TOOL_AT = /^\/result\/tools\/(\d+)(?:\/|$)/;
/** How many tools of one page get their own record. Issues of the others are in the page's record. */
const MOST_TOOLS = 100;

function toolAt({ path }: Issue): number {
  return Number(TOOL_AT.exec(path)?.[1] ?? -1);
}

/**
 * Adds the records of a page of a tool list: one for the page, and one for each named tool with issues. They share a
 * request id.
 */
function pageEntries(state: PipelineState, finding: CheckDecision, entries: ActivityEntry[]): void {
  const { page, issues, more = 0, verdict: decided } = finding;
  if (page === undefined) return;
  const names = toolNames(page.frame, [...new Set(issues.map(toolAt))].slice(0, MOST_TOOLS));
  const tools = new Map<number, Issue[]>();
  const rest: Issue[] = [];
  for (const issue of issues) {
    const at = toolAt(issue);
    const known = tools.get(at);
    if (known !== undefined) known.push(issue);
    else if (names.has(at)) tools.set(at, [issue]);
    else rest.push(issue);
  }
  const requestId = state.context.newRequestId();
  const blocking = new Set(page.errors);
  const add = (part: readonly Issue[], tool: string | undefined, left: number): void => {
    const described = describeFaults(part, left);
    const { verdict, reason } = part.some((issue) => blocking.has(issue))
      ? { verdict: decided, reason: described }
      : notedDecision(decided, described);
    const about = { tool, requestId, contract: undefined, gap: undefined };
    const own = { ...finding, issues: part, more: left };
    entries.push(decisionEntry(state, own, verdict, reason, about));
  };
  // Issues beyond those that a check lists cannot be assigned to a tool.
  if (rest.length > 0) add(rest, undefined, more);
  let left = rest.length > 0 ? 0 : more;
  for (const [at, part] of tools) {
    add(part, names.get(at), left);
    left = 0;
  }
}

/**
 * Adds the record of a decision. Each message and direction has one record: it includes what earlier stages decided
 * about the call, and the heavier decision counts and comes first.
 */
function addDecision(entries: ActivityEntry[], entry: ActivityEntry): void {
  const at = entries.findIndex(
    ({ type, direction, request_id }) =>
      type === entry.type && direction === entry.direction && request_id === entry.request_id,
  );
  const before = at < 0 ? undefined : entries[at];
  if (before === undefined) entries.push(entry);
  else entries[at] = joined(before, entry);
}

function joined(before: ActivityEntry, after: ActivityEntry): ActivityEntry {
  const { decision: decided = "allowed" } = after;
  const heavier = isHeavier(decided, before.decision ?? "allowed") ? after : before;
  const lighter = heavier === after ? before : after;
  const truncated = (before.truncated ?? 0) + (after.truncated ?? 0);
  return {
    ...lighter,
    ...heavier,
    // Readers show the first issue as the reason for the block.
    reason: `${heavier.reason}; ${lighter.reason}`,
    issues: [...(heavier.issues ?? []), ...(lighter.issues ?? [])],
    truncated: truncated === 0 ? undefined : truncated,
    guard: heavier.guard ?? lighter.guard,
    schema_hash: heavier.schema_hash ?? lighter.schema_hash,
    repairs: heavier.repairs ?? lighter.repairs,
    patch: heavier.patch ?? lighter.patch,
    response_text: heavier.response_text ?? lighter.response_text,
  };
}

function decisionEntry(
  { context, conversation }: PipelineState,
  { direction, issues, more = 0, guard, schemaHash, repaired }: CheckDecision,
  { decision, mode, outcome }: PolicyDecision,
  reason: string,
  call: Pick<ToolCall, "tool" | "requestId" | "contract" | "gap"> | undefined,
  received?: string,
): ActivityEntry {
  const { caller, client, session } = conversation;
  // Built in one expression: copying an object and adding members takes many times as long.
  return {
    type: "policy_decision",
    source: "gateway",
    server: context.server,
    client,
    caller: caller?.name,
    session,
    tool: call?.tool,
    request_id: call?.requestId ?? context.newRequestId(),
    direction,
    mode,
    decision,
    outcome,
    // A recorded decision is never "allowed", so its status is known.
    status: decision === "allowed" ? "warning" : decision,
    reason:
      call === undefined || direction === "protocol" ? reason : withOutdatedNote(reason, call),
    issues,
    truncated: more === 0 ? undefined : more,
    guard,
    schema_hash: schemaHash,
    repairs: repaired?.repairs,
    patch: repaired?.patch,
    response_text: received,
  };
}

/** Logs an unusable schema once. */
function diagnose(
  { context, diagnosed }: PipelineState,
  { tool }: ToolCall,
  part: "input" | "output",
  { check, verdict, schemaHash }: DecidedCheck,
): void {
  const key = `${tool}\n${schemaHash}`;
  if (diagnosed.has(key)) return;
  diagnosed.set(key, true);
  const so =
    verdict.decision === "blocked" ? "its calls are blocked" : "nothing is checked against it";
  const what = `the ${part} schema cannot be used, so ${so}`;
  context.log.warn(`${toolOrServerName(context.server, tool)}: ${what}: ${outputReason(check)}`);
}
