import { type ReactElement, useSyncExternalStore } from "react";
import { localTime } from "../page/local-time.ts";
import { durationText } from "../text/duration.ts";
import { StateBadge } from "../ui/badge.tsx";
import { Shown } from "../ui/shown.tsx";
import type { View } from "./filter.ts";
import type { ActivityRow } from "./rows.ts";

/** Longest text of a cell; the whole of it is in the record. */
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

/** The type of a record in words. */
export function typeWord(type: string): string {
  return Object.hasOwn(TYPE_WORDS, type) ? (TYPE_WORDS[type] ?? type) : type;
}

/** A column of the list. */
export interface Column {
  readonly id: string;
  readonly header: string;
  /** Its part of the width, as `grid-template-columns` takes it. */
  readonly width: string;
  readonly cell: (row: ActivityRow) => ReactElement | string | null;
  /**
   * The filter that a click on the cell adds: its name, with the cell's own text as its value, or both as the row has
   * them.
   */
  readonly filter?: string | ((row: ActivityRow) => FilterOf | null);
  /** Whether it is left out while no row has anything in it. */
  readonly isOptional?: true;
  /** Where small screens have it: on the first line, or by itself below. */
  readonly small?: "line" | "below";
  readonly isNumber?: true;
  /** Whether only calls have it, or only records. */
  readonly of?: View;
}

/** A filter with its value. */
export type FilterOf = readonly [name: string, value: string];

/** What decided about a row, in the word that the list shows, and the filter that finds such rows. */
interface Decided {
  readonly state: string;
  readonly filter: FilterOf;
}

/** Decisions that say more of a call than its status. A new one is one entry; the first that fits is shown. */
const DECISIONS: readonly (Decided & { readonly fits: (row: ActivityRow) => boolean })[] = [
  {
    state: "policy",
    filter: ["rule", "policy"],
    fits: (row) => "rules" in row && row.rules.includes("policy"),
  },
  {
    state: "repaired",
    filter: ["decision", "repaired"],
    fits: ({ status, decision }) => status === "success" && decision === "repaired",
  },
];

/** Returns what decided about a row; null for a record without a status. */
export function decidedBy(row: ActivityRow): Decided | null {
  const found = DECISIONS.find(({ fits }) => fits(row));
  if (found !== undefined) return found;
  return row.status === null ? null : { state: row.status, filter: ["status", row.status] };
}

function text(value: string | null): ReactElement | null {
  return value === null ? null : <Shown text={value.slice(0, MAX_CELL)} />;
}

/** How often texts such as "5m" are drawn again, in milliseconds. */
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

/** Returns the time, updated every 10 seconds: one clock for all rows. */
function useNow(): number {
  return useSyncExternalStore(subscribe, () => shownNow);
}

const UNITS: readonly (readonly [seconds: number, unit: string])[] = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "m"],
];

/** How long ago a moment was, in one unit: "now", "12s", "5m", "3h", "2d". Empty if it is not a moment. */
export function agoText(time: string, now: number): string {
  const seconds = Math.floor((now - Date.parse(time)) / 1000);
  if (Number.isNaN(seconds)) return "";
  if (seconds < 5) return "now";
  const [size, unit] = UNITS.find(([each]) => seconds >= each) ?? [1, "s"];
  return `${Math.floor(seconds / size)}${unit}`;
}

/** A moment in this machine's zone, to the millisecond, without the date if that is today; another text as it is. */
export function shortTime(time: string, now: number): string {
  const date = new Date(time);
  if (date.toDateString() !== new Date(now).toDateString()) return localTime(time);
  return `${localTime(time).slice(-8)}.${String(date.getMilliseconds()).padStart(3, "0")}`;
}

/** The moment of a row: how long ago, and exactly. */
export function RowTime({ time }: { readonly time: string }): ReactElement {
  const now = useNow();
  return (
    <time dateTime={time} title={time} className="tabular-nums">
      {shortTime(time, now)} <span className="text-faint">{agoText(time, now)}</span>
    </time>
  );
}

/** What was wrong with a row, in a sentence for people. */
export function issueOf(row: ActivityRow): string | null {
  return ("issue" in row ? row.issue : null) ?? row.reason;
}

function Issue({ row }: { readonly row: ActivityRow }): ReactElement | null {
  const issue = issueOf(row);
  if (issue === null) return null;
  const more = typeof row.issues === "number" ? row.issues - 1 : 0;
  return (
    <>
      {text(issue)}
      {more > 0 && <span className="text-faint"> +{more}</span>}
    </>
  );
}

/** Every column after the time, which is the link of its row. A new one is one entry. */
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
    width: "minmax(10rem, 3fr)",
    cell: (row) => <Issue row={row} />,
    small: "below",
  },
  {
    id: "client",
    header: "Client",
    width: "minmax(5rem, 0.9fr)",
    cell: ({ client }) => text(client),
    filter: "client",
    of: "calls",
  },
  {
    id: "caller",
    header: "Caller",
    width: "minmax(5rem, 0.8fr)",
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

/** The columns of a view, without those that are optional and empty in all rows. */
export function columnsOf(view: View, rows: readonly ActivityRow[]): readonly Column[] {
  return COLUMNS.filter(
    ({ of = view, isOptional, cell }) =>
      of === view && (isOptional !== true || rows.some((row) => cell(row) !== null)),
  );
}
