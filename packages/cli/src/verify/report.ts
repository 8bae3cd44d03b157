import type { DriftFinding, Exchange, Recordings } from "@touchstone/gateway/recordings";
import { plural } from "@touchstone/util/plural";
import type { Level, Report, ReportFinding } from "../findings/finding.ts";
import type { Difference } from "./compare-call.ts";
import { shownArguments } from "./outcome.ts";
import type { Run } from "./repeat-calls.ts";
import { type Selection, SKIPPED, type Skipped } from "./select-calls.ts";

/** What was compared, besides the findings. */
export interface VerifySummary {
  /** Calls in the capture. */
  readonly recorded: number;
  readonly repeated: number;
  /** How many calls were not repeated, by reason. */
  readonly not_repeated: Partial<Record<Skipped, number>>;
  /** Values that differ from one run to the next, and are not compared. */
  readonly varying: number;
  /** Results that could not be checked by their output schema. */
  readonly unchecked: number;
  /** Calls that differ and were not made a second time: there are too many, or the server was gone. */
  readonly unconfirmed: number;
  /** Lines of the capture that cannot be read, and frames that were not written to it. */
  readonly unreadable_lines: number;
  readonly lost_frames: number;
}

export interface VerifyReport extends Report {
  readonly summary: VerifySummary;
}

const LEVELS: Readonly<Record<Difference["rule"], Level>> = {
  outcome: "error",
  "error-kind": "warning",
  "output-schema": "error",
  value: "error",
};
const ONCE = " (in one of two runs)";

/** What was found in two runs. */
export interface Verified {
  readonly name: string;
  readonly recordings: Recordings;
  readonly selection: Selection;
  readonly first: Run;
  /** Repeats what differed in the first. */
  readonly second: Run;
  /** The calls that were made twice. */
  readonly confirmed: ReadonlySet<Exchange>;
  /** Whether these are all that differed. */
  readonly isComplete: boolean;
}

/** Returns the differences of two runs as a report. What only one run has is a note. */
export function verifyReport(verified: Verified): VerifyReport {
  const { name, recordings, selection, first, confirmed } = verified;
  const { calls, skipped, gone } = selection;
  const inCalls = callFindings(verified);
  const findings = [...[...gone].map(goneFinding), ...inCalls.findings, ...shapeFindings(verified)];
  const unconfirmed = [...first.differences.keys()].filter((exchange) => !confirmed.has(exchange));
  const { malformed, lost } = recordings.gaps;
  const summary: VerifySummary = {
    recorded: recordings.callCount,
    repeated: calls.length,
    not_repeated: Object.fromEntries(skipped),
    varying: inCalls.varying,
    unchecked: first.unchecked,
    unconfirmed: unconfirmed.length + first.dropped,
    unreadable_lines: malformed,
    lost_frames: lost,
  };
  return { name, subjects: [...new Set([...gone, ...first.calls.keys()])], findings, summary };
}

function shapeFindings({ first, second, isComplete }: Verified): readonly ReportFinding[] {
  return [...first.shapes].flatMap(([tool, { before, now }]) => {
    const again = second.shapes.get(tool);
    const twice = new Set(again?.before.differences(again.now).map(shapeKey));
    return before
      .differences(now)
      .map((found) => shapeFinding(tool, found, !isComplete || twice.has(shapeKey(found))));
  });
}

function goneFinding(tool: string): ReportFinding {
  const message = "this tool was called when it was recorded, and the server does not list it";
  return { rule: "gone", level: "error", subject: tool, path: "", message };
}

interface Group {
  readonly tool: string;
  readonly difference: Difference;
  readonly isTwice: boolean;
  readonly exchange: Exchange;
  calls: number;
}

/** Gathers differences of the same kind at the same place, and counts values that no two runs have in common. */
function callFindings({ recordings, selection, first, second, confirmed }: Verified): {
  readonly findings: readonly ReportFinding[];
  readonly varying: number;
} {
  const groups = new Map<string, Group>();
  let varying = 0;
  for (const { exchange, tool } of selection.calls) {
    const again = second.differences.get(exchange) ?? [];
    for (const difference of first.differences.get(exchange) ?? []) {
      const { rule, path, now } = difference;
      const other = again.find((one) => one.rule === rule && one.path === path);
      if (rule === "value" && other !== undefined && other.now !== now) {
        varying += 1;
        continue;
      }
      const isTwice = !confirmed.has(exchange) || other !== undefined;
      const key = JSON.stringify([tool, rule, path, isTwice]);
      const group = groups.get(key);
      if (group === undefined) groups.set(key, { tool, difference, isTwice, exchange, calls: 1 });
      else group.calls += 1;
    }
  }
  const findings = [...groups.values()].map((group): ReportFinding => {
    const { tool, difference, isTwice, exchange, calls } = group;
    const { rule, path, message } = difference;
    const of = first.calls.get(tool) ?? 0;
    const many = calls > 1 || of > 1 ? ` (in ${calls} of ${plural(of, "call")})` : "";
    return {
      ...{ rule, subject: tool, path, level: isTwice ? LEVELS[rule] : "note" },
      message: `${message}${many}${isTwice ? "" : ONCE}`,
      shown: { as: "json", text: shownArguments(recordings.request(exchange)) },
    };
  });
  return { findings, varying };
}

const shapeKey = ({ kind, path }: DriftFinding): string => `${kind} ${path}`;

function shapeFinding(tool: string, found: DriftFinding, isTwice: boolean): ReportFinding {
  const { rule, level, message } = shapeMeaning(found);
  return {
    ...{ rule, subject: tool, path: found.path, level: isTwice ? level : "note" },
    message: `${message}${isTwice ? "" : ONCE}`,
  };
}

function shapeMeaning({ kind, count, of, types = [], declared = [], required }: DriftFinding): {
  readonly rule: string;
  readonly level: Level;
  readonly message: string;
} {
  const share = `${count} of ${of}`;
  switch (kind) {
    case "never_came":
    case "sometimes_missing":
      return required === true
        ? {
            rule: "missing",
            level: "error",
            message: `was always there, and is missing in ${share}`,
          }
        : {
            rule: "missing",
            level: "note",
            message: `was sometimes there, and is missing in ${share}`,
          };
    case "undeclared":
      return {
        rule: "added",
        level: "note",
        message: `was never there, and is in ${share} (${types.join(", ")})`,
      };
    default: {
      const wasNull = declared.length === 1 && declared[0] === "null";
      const message = `was ${declared.join(", ")}, and is ${types.join(", ")} in ${share}`;
      return { rule: "type", level: wasNull ? "note" : "error", message };
    }
  }
}

/** Returns the summary for people, in one line. */
export function verifySummaryText(summary: VerifySummary): string {
  const { recorded, repeated, not_repeated, varying, unchecked, unconfirmed } = summary;
  const { unreadable_lines: unreadable, lost_frames: lost } = summary;
  const others = Object.entries(not_repeated).map(
    ([reason, count]) => `${count} ${SKIPPED[reason as Skipped]}`,
  );
  const left = recorded - repeated;
  const parts = [
    `${plural(recorded, "recorded call")}, ${repeated} repeated`,
    ...(left === 0 ? [] : [`${left} not repeated: ${others.join(", ")}`]),
    ...(varying === 0 ? [] : [`${plural(varying, "value")} not compared: different in each run`]),
    ...(unchecked === 0 ? [] : [`${plural(unchecked, "result")} not checked by the output schema`]),
    ...(unconfirmed === 0
      ? []
      : [`${plural(unconfirmed, "call")} that differ not confirmed by a second run`]),
    ...(unreadable === 0 ? [] : [`${plural(unreadable, "line")} of the capture not read`]),
    ...(lost === 0 ? [] : [`${plural(lost, "frame")} missing from the capture`]),
  ];
  return `${parts.join("; ")}\n`;
}
