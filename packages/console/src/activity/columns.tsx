import { type ReactElement, useSyncExternalStore } from "react";
import { durationText } from "../text/duration.ts";
import { localTime } from "../text/local-time.ts";
import { StateBadge } from "../ui/badge.tsx";
import { ExternalText } from "../ui/external-text.tsx";
import type { ActivityView } from "./filter.ts";
import type { ActivityRow } from "./rows.ts";

/** Maximum text length in a cell; the full text is in the record. */
const MAX_CELL = 300;

const TYPE_WORDS: Readonly<Record<string, string>> = {
  tool_call: "call",
  policy_decision: "decision",
  schema_change: "schema change",
  list_change: "list change",
  server_change: "server change",
  config_change: "config change",
  system_start: "start",
  system_stop: "stop",
};

/** Returns the type of a record in words. */
export function typeWord(type: string): string {
  return Object.hasOwn(TYPE_WORDS, type) ? (TYPE_WORDS[type] ?? type) : type;
}

/** A column of the list. */
export interface Column {
  readonly id: string;
  readonly header: string;
  /** Its width, in the syntax of `grid-template-columns`. */
  readonly width: string;
  readonly cell: (row: ActivityRow) => ReactElement | string | null;
  /**
   * The filter that a click on the cell adds: either a filter name, whose value is the cell's text, or a function
   * that returns name and value for the row.
   */
  readonly filter?: string | ((row: ActivityRow) => FilterWithValue | null);
  /** Whether the column is hidden while it is empty in all rows. */
  readonly isOptional?: true;
  /** Position on small screens: on the first line, or on its own below. */
  readonly small?: "line" | "below";
  readonly isNumber?: true;
  /** Set if only calls or only records have it. */
  readonly of?: ActivityView;
}

/** A filter with its value. */
export type FilterWithValue = readonly [name: string, value: string];

/** What decided the outcome of a row, as shown in the list, and the filter that finds such rows. */
interface Decided {
  readonly state: string;
  readonly filter: FilterWithValue;
}

/** Decisions that say more about a call than its status. To add one, add an entry; the first match is shown. */
const DECISIONS: readonly (Decided & { readonly fits: (row: ActivityRow) => boolean })[] = [
  {
    state: "policy",
    filter: ["rule", "policy"],
    // Records of earlier versions do not name the setting that refused the call.
    fits: (row) =>
      "rules" in row &&
      row.rules.includes("policy") &&
      (row.status === "blocked" || row.status === "rejected"),
  },
  {
    state: "repaired",
    filter: ["decision", "repaired"],
    fits: ({ status, decision }) => status === "success" && decision === "repaired",
  },
];

/** Returns what decided the outcome of a row; null for a record without a status. */
export function decidedBy(row: ActivityRow): Decided | null {
  const found = DECISIONS.find(({ fits }) => fits(row));
  if (found !== undefined) return found;
  return row.status === null ? null : { state: row.status, filter: ["status", row.status] };
}

function text(value: string | null): ReactElement | null {
  return value === null ? null : <ExternalText text={value.slice(0, MAX_CELL)} />;
}

/** How often relative times such as "5m ago" are updated, in milliseconds. */
const TICK_MS = 10_000;

let shownNow = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

function tick(): void {
  shownNow = Date.now();
  for (const changed of listeners) changed();
}

function subscribe(changed: () => void): () => void {
  listeners.add(changed);
  if (timer === undefined) {
    shownNow = Date.now();
    timer = setInterval(tick, TICK_MS);
  }
  return () => {
    listeners.delete(changed);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Returns the current time, updated every 10 seconds; all rows share one clock. */
function useNow(): number {
  return useSyncExternalStore(subscribe, () => shownNow);
}

const UNITS: readonly (readonly [seconds: number, unit: string])[] = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "m"],
];

/**
 * Returns how long ago a time was, in one unit: "now", "12s ago", "5m ago", "3h ago", "2d ago". Empty if the text is not a time.
 */
export function agoText(time: string, now: number): string {
  const seconds = Math.floor((now - Date.parse(time)) / 1000);
  if (Number.isNaN(seconds)) return "";
  if (seconds < 5) return "now";
  const [size, unit] = UNITS.find(([each]) => seconds >= each) ?? [1, "s"];
  return `${Math.floor(seconds / size)}${unit} ago`;
}

/**
 * Formats a time in the local time zone, to the millisecond, without the date if it is today. Other text is
 * unchanged.
 */
export function shortTime(time: string, now: number): string {
  const date = new Date(time);
  if (date.toDateString() !== new Date(now).toDateString()) return localTime(time);
  return `${localTime(time).slice(-8)}.${String(date.getMilliseconds()).padStart(3, "0")}`;
}

/** Shows the time of a row, both relative and exact. */
export function RowTime({ time }: { readonly time: string }): ReactElement {
  const now = useNow();
  return (
    <time dateTime={time} title={time} className="tabular-nums">
      {shortTime(time, now)} <span className="text-faint">{agoText(time, now)}</span>
    </time>
  );
}

/** Describes what was wrong with a row in a readable sentence. */
export function issueText(row: ActivityRow): string | null {
  return ("issue" in row ? row.issue : null) ?? row.reason;
}

function Issue({ row }: { readonly row: ActivityRow }): ReactElement | null {
  const issue = issueText(row);
  if (issue === null) return null;
  const more = typeof row.issues === "number" ? row.issues - 1 : 0;
  return (
    <>
      {text(issue)}
      {more > 0 && <span className="text-faint"> +{more}</span>}
    </>
  );
}

/** All columns after the time, which links to its row. To add one, add an entry. */
export const COLUMNS: readonly Column[] = [
  {
    id: "type",
    header: "Type",
    width: "7rem",
    of: "records",
    cell: (row) => ("type" in row ? typeWord(row.type) : null),
    filter: "type",
    small: "line",
  },
  {
    id: "status",
    header: "Status",
    width: "6.5rem",
    cell: (row) => {
      const decided = decidedBy(row);
      return decided === null ? null : <StateBadge state={decided.state} />;
    },
    filter: (row) => decidedBy(row)?.filter ?? null,
    small: "line",
  },
  {
    id: "server",
    header: "Server",
    width: "minmax(5rem, 1fr)",
    cell: ({ server }) => text(server),
    filter: "server",
    small: "line",
  },
  {
    id: "tool",
    header: "Tool",
    width: "minmax(7rem, 1.4fr)",
    cell: ({ tool }) => text(tool),
    filter: "tool",
    small: "line",
  },
  {
    id: "issue",
    header: "What was wrong",
    width: "minmax(10rem, 2.4fr)",
    cell: (row) => <Issue row={row} />,
    small: "below",
  },
  {
    id: "client",
    header: "Client",
    width: "minmax(7.5rem, 1fr)",
    cell: ({ client }) => text(client),
    filter: "client",
    of: "calls",
  },
  {
    id: "caller",
    header: "Caller",
    width: "minmax(6.5rem, 1fr)",
    cell: (row) => ("caller" in row ? text(row.caller) : null),
    filter: "caller",
    isOptional: true,
    of: "calls",
  },
  {
    id: "direction",
    header: "Direction",
    width: "5rem",
    cell: ({ direction }) => text(direction),
    filter: "direction",
    of: "records",
  },
  {
    id: "duration_ms",
    header: "Took",
    width: "4.5rem",
    cell: ({ duration_ms: took }) => (took === null ? null : durationText(took)),
    isNumber: true,
  },
];

/** Returns the columns of a view, without optional ones that are empty in all rows. */
export function columnsOf(view: ActivityView, rows: readonly ActivityRow[]): readonly Column[] {
  return COLUMNS.filter(
    ({ of = view, isOptional, cell }) =>
      of === view && (isOptional !== true || rows.some((row) => cell(row) !== null)),
  );
}
