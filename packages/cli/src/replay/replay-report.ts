import type { ReplayDecision, ReplayEvent } from "@touchstone/gateway";
import { plural } from "@touchstone/util/plural";
import type { Report, ReportFinding } from "../findings/finding.ts";
import { safeText } from "../terminal/safe-text.ts";

/** What a replay covered, besides its findings. */
export interface ReplaySummary {
  /** The number of checked frames of clients and servers. */
  readonly frames: number;
  readonly calls: number;
  /** Calls whose tools' declarations are not in the capture, or for which no check is turned on. */
  readonly unjudged: number;
  readonly blocked: number;
  readonly warned: number;
  /** Calls whose arguments would be repaired. */
  readonly repaired: number;
  /** Messages that would be blocked because they cannot be checked; `blocked` does not count them. */
  readonly unchecked: number;
  /** Decisions that depend on values that were redacted in the capture. */
  readonly uncertain: number;
  /** Frames that the capture reports as missing. */
  readonly missing: number;
  readonly malformed: number;
}

/** A report with the numbers of a replay. */
export interface ReplayReport extends Report {
  readonly summary: ReplaySummary;
}

const LEVELS = { blocked: "error", warning: "warning", repaired: "note" } as const;
const VERBS = {
  blocked: "would be blocked",
  warning: "would be noted",
  repaired: "would be repaired",
} as const;

function subjectOf({ server, tool }: ReplayDecision): string {
  return tool === undefined ? server : `${server}/${tool}`;
}

function findingOf(decision: ReplayDecision): ReportFinding {
  const {
    line,
    from,
    answers,
    direction,
    issues,
    reason,
    redacted,
    decision: made,
    checked,
  } = decision;
  const what =
    answers === undefined
      ? `${from} message`
      : `${from} answer to the gateway's own ${safeText(answers)}`;
  const unchecked = checked ? "" : " because it cannot be checked";
  const message = `${what} ${VERBS[made]}${unchecked}: ${reason}`;
  return {
    rule: direction,
    level: redacted ? "note" : LEVELS[made],
    subject: subjectOf(decision),
    path: issues[0]?.path ?? "",
    message: redacted ? `${message} (perhaps: the value was redacted)` : message,
    ...(redacted ? { fix: "The capture does not contain the value; check the live call." } : {}),
    line,
  };
}

/** After this many unreadable lines without a frame, the file does not count as a capture. */
const MAX_LEADING = 1_000;

/** Collects the results of a replay in a report. */
export class ReplayTally {
  readonly #findings: ReportFinding[] = [];
  readonly #subjects: Set<string> = new Set();
  readonly #counts = {
    ...{ frames: 0, calls: 0, unjudged: 0, blocked: 0, warned: 0, repaired: 0, unchecked: 0 },
    ...{ uncertain: 0, missing: 0, malformed: 0 },
  };

  /** Whether no line so far could belong to a capture. */
  get isNone(): boolean {
    const { frames, malformed: bad } = this.#counts;
    return frames === 0 && bad >= MAX_LEADING;
  }

  /** The progress, for people. */
  get soFar(): string {
    const { frames, blocked } = this.#counts;
    return `${plural(frames, "frame")}, ${blocked} would be blocked`;
  }

  add(event: ReplayEvent): void {
    const counts = this.#counts;
    switch (event.kind) {
      case "frame":
        counts.frames += 1;
        break;
      case "call":
        counts.calls += 1;
        if (!event.judged) counts.unjudged += 1;
        this.#subjects.add(`${event.server}/${event.tool}`);
        break;
      case "missing":
        counts.missing += event.frames;
        break;
      case "unknown":
        counts.unchecked += 1;
        break;
      case "malformed":
        counts.malformed += 1;
        this.#findings.push(malformed(event.line, event.reason));
        break;
      case "decision": {
        const { decision } = event;
        if (decision.redacted) counts.uncertain += 1;
        else if (decision.decision === "warning") counts.warned += 1;
        else if (decision.decision === "repaired") counts.repaired += 1;
        else if (decision.checked) counts.blocked += 1;
        else counts.unchecked += 1;
        this.#subjects.add(subjectOf(decision));
        this.#findings.push(findingOf(decision));
      }
    }
  }

  report(name: string): ReplayReport {
    const summary = { ...this.#counts };
    return { name, subjects: [...this.#subjects], findings: this.#findings, summary };
  }
}

function malformed(line: number, reason: string): ReportFinding {
  return {
    ...{ rule: "capture", level: "warning", subject: "capture", path: "", line },
    message: `line ${line} cannot be read: ${reason}`,
    fix: "It was not checked; a process that was killed leaves half a line.",
  };
}

/** Returns whether a part was not checked, so that its result is unknown. */
export function hasUncheckedCalls({
  unjudged,
  uncertain,
  missing,
  malformed: bad,
}: ReplaySummary): boolean {
  return unjudged + uncertain + missing + bad > 0;
}

/** Returns the summary for people, in one or two lines. */
export function summaryText(summary: ReplaySummary): string {
  const {
    frames,
    calls,
    unjudged,
    blocked,
    warned,
    unchecked,
    uncertain,
    missing,
    malformed: bad,
  } = summary;
  const rest = [
    ...(unjudged === 0
      ? []
      : [
          `${plural(unjudged, "call")} ${unjudged === 1 ? "was" : "were"} not checked: no mode is on for the tool, or the capture does not hold what it declares`,
        ]),
    ...(unchecked === 0
      ? []
      : [
          `${plural(unchecked, "message")} would be blocked because ${unchecked === 1 ? "it" : "they"} cannot be checked`,
        ]),
    ...(uncertain === 0 ? [] : [`${uncertain} uncertain: the values were redacted`]),
    ...(missing === 0 ? [] : [`${plural(missing, "frame")} missing from the capture`]),
    ...(bad === 0 ? [] : [`${plural(bad, "line")} could not be read`]),
  ];
  const head = `${plural(frames, "frame")}, ${plural(calls, "call")}: ${blocked} would be blocked, ${warned} noted`;
  return `${[head, ...rest].join("; ")}\n`;
}
