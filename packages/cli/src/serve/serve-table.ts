import type { ReachResult } from "@touchstone/gateway/serve";
import picocolors from "picocolors";
import type { TableStyle } from "../gateway/command-log.ts";
import { type Column, type Paint, renderTable } from "../terminal/table.ts";

const COLUMNS: readonly Column[] = [
  { title: "" },
  { title: "SERVER", max: 32, least: 8 },
  { title: "MCP", max: 10, leftOut: 4 },
  { title: "BRIDGE", leftOut: 0 },
  { title: "TOOLS", isNumber: true },
  { title: "BLOCKED", isNumber: true, leftOut: 2 },
  { title: "UNCHECKED", isNumber: true, leftOut: 1 },
  { title: "MODE", max: 20, leftOut: 3 },
  { title: "URL, OR WHAT IS WRONG", least: 12 },
];
const MARKS = { reached: "✓", failed: "✗", late: "…" } as const;
const LATE = "no answer yet";
const UNKNOWN = "–";

/**
 * Returns a table of servers, one line each: their status, the revision that the gateway uses, whether clients of
 * earlier revisions are bridged if the server refuses these, how many tools they list, how many of these are blocked
 * or unchecked because of an unusable schema, the mode, and the URL, or the reason of a failure.
 */
export function serverTable(
  servers: readonly ReachResult[],
  { width, colour }: TableStyle,
): string {
  const colours = picocolors.createColors(colour);
  const outcomes = { reached: colours.green, failed: colours.red, late: colours.yellow };
  const paint: Paint = (text, row, column) => {
    if (row === "title") return colours.bold(text);
    const { outcome = "late", unusable } = servers[row] ?? {};
    if (column === 0) return outcomes[outcome](text);
    const count = { 5: unusable?.blocked, 6: unusable?.unchecked }[column] ?? 0;
    return count > 0 ? colours.yellow(text) : text;
  };
  return renderTable(COLUMNS, servers.map(cells), { width, paint });
}

function cells(server: ReachResult): readonly string[] {
  const {
    outcome,
    revision = UNKNOWN,
    bridge = UNKNOWN,
    tools,
    unusable,
    reason = LATE,
    url,
  } = server;
  const last = outcome === "reached" ? url : reason;
  const numbers = [tools, unusable?.blocked, unusable?.unchecked].map((count) =>
    count === undefined ? UNKNOWN : String(count),
  );
  return [MARKS[outcome], server.server, revision, bridge, ...numbers, modeOf(server), last];
}

/** Returns the mode, or the modes of input, output and protocol if they differ. */
function modeOf({ modes: { input, output, protocol } }: ReachResult): string {
  const all = [input, output, protocol];
  return new Set(all).size === 1 ? input : all.join("/");
}
