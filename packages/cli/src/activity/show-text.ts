import { describeIssue, type Whole } from "@touchstone/core";
import type { ActivityRecord } from "@touchstone/gateway";
import picocolors from "picocolors";
import { safeText } from "../terminal/safe-text.ts";
import { paintVerdict } from "./list-table.ts";

/**
 * A record with every field and every issue, one fact a line; absent fields show as `-`.
 * @param decisions of a call: what was decided about it, whose issues are shown with the id of their record
 */
export function showText(
  record: ActivityRecord,
  decisions: readonly ActivityRecord[],
  options: { readonly colour: boolean },
): string {
  const colours = picocolors.createColors(options.colour);
  const facts = factsOf(record);
  const width = Math.max(...facts.map(([name]) => name.length));
  const lines = facts.map(([name, value]) => {
    const text = value === null ? "-" : safeText(String(value));
    const isVerdict = (name === "decision" || name === "status") && value !== null;
    const shown = isVerdict ? paintVerdict(text, options.colour) : text;
    return `${colours.bold(name.padEnd(width))}  ${shown}`;
  });
  const withIssues = decisions.filter(({ issues }) => issues.length > 0);
  const issues =
    record.issues.length > 0 || withIssues.length === 0
      ? issueLines(record, width, colours.bold, "")
      : withIssues.flatMap((decision) =>
          issueLines(
            decision,
            width,
            colours.bold,
            ` (${decision.direction ?? "protocol"}, in record ${decision.id})`,
          ),
        );
  return `${[...lines, ...issues].join("\n")}\n`;
}

type Fact = readonly [name: string, value: string | number | null];

function factsOf(record: ActivityRecord): readonly Fact[] {
  const { guard } = record;
  return [
    ["id", record.id],
    ["time", record.time],
    ["type", record.type],
    ["source", record.source],
    ["server", record.server],
    ["tool", record.tool],
    ["direction", record.direction],
    ["mode", record.mode],
    ["decision", record.decision],
    ["status", record.status],
    ["outcome", record.outcome],
    ["reason", record.reason],
    ...(guard === undefined
      ? []
      : [["guard", `${guard.guard} ${guard.limit}, was ${guard.actual}`] as const]),
    ["duration", record.duration_ms === null ? null : `${record.duration_ms} ms`],
    ["bytes in", record.bytes_in],
    ["bytes out", record.bytes_out],
    ["request id", record.request_id],
    ["session", record.session],
    ["client", record.client],
    ["schema hash", record.schema_hash],
    ...(record.previous_schema_hash === undefined
      ? []
      : [["schema before", record.previous_schema_hash] as const]),
    ...bodyFacts(record),
    ["prev hash", record.prev_hash],
    ["hash", record.hash],
  ];
}

function bodyFacts(record: ActivityRecord): readonly Fact[] {
  const kept = {
    arguments: record.arguments,
    result: record.result,
    redactions: record.redactions,
  };
  return Object.entries(kept).flatMap(([name, value]): Fact[] =>
    value === undefined ? [] : [[name, value]],
  );
}

/** What the issues of a decision call the root, by its direction. */
const WHOLES: ReadonlyMap<string | null, Whole> = new Map([
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
  const listed = issues.flatMap((issue, index) => {
    const keyword = issue.keyword === undefined ? "" : `, keyword ${safeText(issue.keyword)}`;
    return [
      `  ${index + 1}. ${safeText(describeIssue(issue, WHOLES.get(record.direction)))}`,
      `     rule ${safeText(issue.rule)}${keyword}`,
    ];
  });
  return [count, ...listed];
}
