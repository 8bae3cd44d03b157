import { describeIssue, type Issue, type RootName } from "@touchstone/core/advanced";
import {
  type ActivityRecord,
  fieldLabel,
  RECORD_FIELDS,
} from "@touchstone/gateway/activity/record";
import picocolors from "picocolors";
import { type Colors, diffLine } from "../terminal/diff-line.ts";
import { safeText } from "../terminal/safe-text.ts";
import { decisionAndStatus, paintDecision } from "./list-table.ts";
import type { RelatedRecords } from "./related-records.ts";

/** Fields that are shown in another place, or are only for programs. */
const HIDDEN: ReadonlySet<string> = new Set([
  "issues",
  "response_text",
  "approvals",
  "erasures",
  "salt",
]);

/** Fields that come first: those that identify the record, and its status. */
const FIRST: ReadonlySet<string> = new Set([
  ...["id", "time", "type", "server", "tool", "decision", "status", "reason"],
]);
/** Fields that are rarely needed: only a wide text has them. */
const WIDE: ReadonlySet<string> = new Set([
  ...["source", "outcome", "checks", "schema_hash", "previous_schema_hash", "session", "process"],
  ...["request_id", "bytes_in", "bytes_out", "prev_hash", "hash"],
]);

/**
 * Returns a record, one fact per line: its status, every issue, its related records, then the other fields that are
 * set.
 * @param options.ids how to show the ids of related records
 * @param options.isWide whether to show every field; absent ones as `-`
 */
export function showText(
  record: ActivityRecord,
  related: RelatedRecords,
  options: {
    readonly ids: ReadonlyMap<string, string>;
    readonly colour: boolean;
    readonly isWide: boolean;
  },
): string {
  const colours = picocolors.createColors(options.colour);
  const shown = factsOf(record).filter(
    ({ field, value }) => options.isWide || (value !== null && !WIDE.has(field)),
  );
  const width = Math.max("direction".length, ...shown.map(({ label }) => label.length));
  const fact = (name: string, text: string): string =>
    `${colours.bold(name.padEnd(width))}  ${text}`;
  const line = ({ field, label, value }: Fact): string => {
    const text = value === null ? "-" : safeText(String(value));
    const isVerdict = (field === "decision" || field === "status") && value !== null;
    return fact(label, isVerdict ? paintDecision(text, options.colour) : text);
  };
  const isBlocked = ({ decision }: ActivityRecord): number => (decision === "blocked" ? 1 : 0);
  const withIssues = related.decisions
    .filter(({ issues }) => issues.length > 0)
    .toSorted((a, b) => isBlocked(b) - isBlocked(a));
  const issues =
    record.type !== "tool_call" || withIssues.length === 0
      ? issueLines(record, width, colours.bold, "")
      : withIssues.flatMap((decision) =>
          issueLines(
            decision,
            width,
            colours.bold,
            ` (${decision.direction ?? "protocol"}, in record ${decision.id})`,
          ),
        );
  const first = shown.filter(({ field }) => FIRST.has(field)).map(line);
  const rest = shown.filter(({ field }) => !FIRST.has(field)).map(line);
  const lines = [
    ...first,
    ...issues,
    ...changeLines(related, fact, colours),
    ...relatedLines(record, related, fact, options),
    ...(rest.length === 0 ? [] : ["", ...rest]),
  ];
  return `${lines.join("\n")}\n`;
}

/** Returns how a definition has changed, and what that means. */
function changeLines(
  { change }: RelatedRecords,
  fact: (name: string, text: string) => string,
  colours: Colors,
): readonly string[] {
  if (change === undefined) return [];
  const { diff, changes } = change;
  const lines = (changes ?? []).map(({ class: kind, path, message, counterexample }) => {
    const at = path === "" ? "" : ` ${path}`;
    const shown = counterexample === null ? "" : `: ${counterexample}`;
    return fact("change", safeText(`${kind}${at}: ${message}${shown}`));
  });
  if (diff === null) return ["", ...lines, fact("diff", "a text is not kept anymore")];
  const painted = diff
    .split("\n")
    .slice(0, -1)
    .map((line) => diffLine(line, "  ", colours));
  const none = "only white space or the order of keys";
  return [
    "",
    ...lines,
    ...(diff === "" ? [fact("diff", none)] : [colours.bold("diff"), ...painted]),
  ];
}

/** Returns the call, the decisions about it, what the agent received, and the next attempt. */
function relatedLines(
  record: ActivityRecord,
  { call, decisions, next }: RelatedRecords,
  fact: (name: string, text: string) => string,
  { ids, colour }: { readonly ids: ReadonlyMap<string, string>; readonly colour: boolean },
): readonly string[] {
  const line = (one: ActivityRecord): string => {
    const { id, direction, reason } = one;
    const words = [
      ids.get(id) ?? id,
      direction ?? "",
      paintDecision(decisionAndStatus(one), colour),
    ];
    return [...words, safeText(reason ?? "")].filter((word) => word !== "").join("  ");
  };
  const lines = [
    ...(call === undefined ? [] : [fact("call", line(call))]),
    ...decisions.map((decision) => fact("decided", line(decision))),
  ];
  const subject = call ?? (record.type === "tool_call" ? record : undefined);
  const decided = record.type === "policy_decision" ? [record, ...decisions] : decisions;
  lines.push(...receivedLines(subject, decided, fact));
  if (next !== undefined) {
    const seconds = (Date.parse(next.time) - Date.parse(subject?.time ?? next.time)) / 1000;
    lines.push(fact("next", `${line(next)}  ${seconds.toFixed(1)} s later`));
  }
  return lines.length === 0 ? [] : ["", ...lines];
}

/** Returns what the agent received: the exact text if a record has it. */
function receivedLines(
  subject: ActivityRecord | undefined,
  decided: readonly ActivityRecord[],
  fact: (name: string, text: string) => string,
): readonly string[] {
  const texts = decided.flatMap(({ response_text }) => response_text ?? []);
  const described = texts[0] ?? (subject && receivedText(subject, decided));
  if (described === undefined) return [];
  return described
    .split("\n")
    .map((line, index) => fact(index === 0 ? "received" : "", safeText(line)));
}

/** Returns what the agent received, by the records of its call, if none has the text. */
function receivedText(
  { status, reason }: ActivityRecord,
  decisions: readonly ActivityRecord[],
): string | undefined {
  const blocked = decisions.find(({ decision }) => decision === "blocked");
  switch (status) {
    case "blocked":
      return blocked?.direction === "output"
        ? "an error that names the issues, instead of the server's result"
        : "an error that names the issues; the server did not get the call";
    case "denied":
    case "held":
    case "out_of_bounds":
    case "limited":
    case "rejected":
      return `an error: ${reason ?? `the call was ${status}`}`;
    case "error":
      return "an error of the server or of the tool";
    case "success":
    case "warning":
      return "the server's result";
    default:
      return undefined;
  }
}

interface Fact {
  readonly field: string;
  readonly label: string;
  readonly value: string | number | null;
}

/** Returns every field that is set, or that all records have. */
function factsOf(record: ActivityRecord): readonly Fact[] {
  return RECORD_FIELDS.flatMap(([name, field]) => {
    const value = record[name];
    if (value === undefined || HIDDEN.has(name)) return [];
    return [{ field: name, label: fieldLabel(name, field), value: shownValue(value, field.unit) }];
  });
}

function shownValue(
  value: ActivityRecord[keyof ActivityRecord],
  unit: string | undefined,
): Fact["value"] {
  if (typeof value === "object" && value !== null && "guard" in value) {
    return `${value.guard} ${value.limit}, was ${value.actual}`;
  }
  if (value === null || value === undefined) return null;
  return unit === undefined ? String(value) : `${value} ${unit}`;
}

/** The name of the root in a decision's issues, by its direction. */
const WHOLES: ReadonlyMap<string | null, RootName> = new Map([
  ["input", "the arguments"],
  ["output", "the result"],
  ["protocol", "the message"],
]);

function issueLines(
  record: ActivityRecord,
  width: number,
  bold: (text: string) => string,
  where: string,
): readonly string[] {
  const { issues, truncated } = record;
  const left = truncated === undefined ? "" : ` of ${issues.length + truncated}`;
  const count = `${bold("issues".padEnd(width))}  ${issues.length}${left}${where}`;
  const describe = (issue: Issue, index: number): readonly string[] => {
    const keyword = issue.keyword === undefined ? "" : `, keyword ${safeText(issue.keyword)}`;
    return [
      `  ${index + 1}. ${safeText(describeIssue(issue, WHOLES.get(record.direction)))}`,
      `     rule ${safeText(issue.rule)}${keyword}`,
    ];
  };
  if (record.repairs === undefined || record.decision !== "blocked") {
    return [count, ...issues.flatMap(describe)];
  }
  // If a repaired call was blocked, the blocking issue is of class policy.
  const blocking = issues.filter(({ rule }) => rule === "policy");
  const repaired = issues.filter(({ rule }) => rule !== "policy");
  const before = `  before that, repaired: ${safeText(record.repairs)}`;
  const listed = [...blocking, ...repaired].map(describe);
  return [
    count,
    ...listed.slice(0, blocking.length).flat(),
    before,
    ...listed.slice(blocking.length).flat(),
  ];
}
