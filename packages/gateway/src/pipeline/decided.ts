import type { Check, Issue, RepairedText, RepairKind } from "@touchstone/core/advanced";
import type { PolicyDecision } from "../features/decision.ts";
import type { Decision } from "../settings/validation.ts";

/** The result of checking the arguments or the result of a call by the tool's schema. */
export interface PayloadCheck {
  readonly check: Check;
  readonly verdict: PolicyDecision;
  /** Set if the arguments were repaired. */
  readonly repaired?: { readonly repairs: string; readonly made: RepairedText } | undefined;
}

/** The decision about the arguments or the result of a call. */
export interface PayloadDecision {
  readonly decision: Decision;
  readonly outcome?: PolicyDecision["outcome"] | undefined;
  /** A summary of the issues in one line. */
  readonly reason?: string | undefined;
  /** The issues of all stages. */
  readonly issues: readonly Issue[];
  /** How many further issues there are. */
  readonly truncated?: number | undefined;
  readonly guard?: Check["guard"] | undefined;
  /** The text for the model if it is blocked. */
  readonly text?: string | undefined;
  /** The ids of its records; none if none are kept. */
  readonly records: readonly string[];
  /** Absent if no schema was applied. */
  readonly judged?: PayloadCheck | undefined;
  /** The message with its changes; undefined if nothing was changed. */
  readonly changed: Uint8Array | undefined;
}

/** A call by its parts. Arguments are JSON in UTF-8, as the client wrote them. */
export interface CallParts {
  readonly tool: string;
  readonly arguments?: Uint8Array | undefined;
  /** The kinds of repair that the call asks for, in addition to those of the settings. */
  readonly repair?: readonly RepairKind[] | undefined;
}

const HIDING: ReadonlySet<string | undefined> = new Set([
  ...["allow_tools", "deny_tools", "read_only", "pin"],
]);

/** Returns whether policy or a pin blocks the tool itself, so that clients do not see it. */
export function isToolHidden({
  decision,
  issues,
}: Pick<PayloadDecision, "decision" | "issues">): boolean {
  return decision === "blocked" && HIDING.has(issues[0]?.keyword);
}

/** Returns the arguments to send, if they were repaired. */
export function repairedText({
  decision,
  judged,
}: Pick<PayloadDecision, "decision" | "judged">): RepairedText | undefined {
  return decision === "blocked" ? undefined : judged?.repaired?.made;
}

/** Outcomes of arguments that could not be checked, whatever the decision is. */
const UNKNOWN: ReadonlySet<Check["outcome"]> = new Set(["uncompilable", "unknown"]);

/** Returns the check of the arguments in its effective form: `valid` is false exactly if there are errors. */
export function effectiveCheck(decided: PayloadDecision): Check {
  const { decision, judged, guard, truncated } = decided;
  const issues = decided.issues.map(inArguments);
  const { warnings = [], suggestions = [], counts = {}, errors = [] } = judged?.check ?? {};
  const outcome = decided.outcome ?? judged?.check.outcome ?? "skipped";
  const common = {
    ...{ outcome, suggestions, counts },
    ...(guard === undefined ? {} : { guard }),
    ...(truncated === undefined ? {} : { truncated }),
  };
  if (decision === "blocked" && issues.length === 0) return { ...common, ...notDecided(decided) };
  if (decision === "blocked") return { ...common, valid: false, errors: issues, warnings };
  if (judged !== undefined && UNKNOWN.has(judged.check.outcome)) {
    return { ...common, valid: false, outcome: judged.check.outcome, errors, warnings };
  }
  return { ...common, valid: true, errors: [], warnings: [...issues, ...warnings] };
}

const ARGUMENTS = "/params/arguments";

/** Returns an issue of a message with a pointer into the arguments. */
function inArguments(issue: Issue): Issue {
  const { path, rule } = issue;
  const isInside = rule !== "policy" && (path === ARGUMENTS || path.startsWith(`${ARGUMENTS}/`));
  return isInside ? { ...issue, path: path.slice(ARGUMENTS.length) } : issue;
}

/** Returns the check of a call that is not sent for a reason other than its arguments, such as a full queue. */
function notDecided({
  text,
  reason,
}: PayloadDecision): Pick<Check, "valid" | "outcome" | "errors" | "warnings"> {
  const message = text ?? reason ?? "the check was not made; try again";
  const issue: Issue = { path: "", message, rule: "budget", keyword: "budget" };
  return { valid: false, outcome: "unknown", errors: [issue], warnings: [] };
}
