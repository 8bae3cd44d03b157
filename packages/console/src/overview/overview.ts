import { type GatewayApi, numberOf, queryOf, readList, textOf } from "../api/gateway.ts";
import { isObject } from "../json/object.ts";
import { readRollout } from "../rollout/rollout.ts";
import { readServer, type ServerSummary } from "../servers/server.ts";

/** The times that the page can be about. A new one is one entry. */
export const PERIODS = [
  ["1h", "Last hour"],
  ["24h", "Last 24 hours"],
  ["7d", "Last 7 days"],
] as const;
export type Period = (typeof PERIODS)[number][0];

/** The period that an address names; the last 24 hours if it names none. */
export function periodOf(query: string): Period {
  const given = new URLSearchParams(query).get("period");
  return PERIODS.find(([period]) => period === given)?.[0] ?? "24h";
}

/** One tool's calls in the period. */
export interface ToolFigures {
  readonly server: string;
  readonly tool: string;
  readonly calls: number;
  readonly blocked: number;
  readonly warning: number;
  readonly error: number;
  readonly meanMs: number;
}

/** A schema that a tool did not declare before. */
export interface SchemaChange {
  readonly id: string;
  readonly time: string;
  readonly server: string | null;
  readonly tool: string | null;
  readonly reason: string | null;
}

/** What the page shows. */
export interface Overview {
  readonly calls: number;
  readonly blocked: number;
  readonly warning: number;
  readonly error: number;
  readonly repaired: number;
  /** Calls that strict would have blocked, and that were not. */
  readonly wouldBlock: number;
  /** Of all calls; null if there was none. */
  readonly meanMs: number | null;
  /** The tools with the most calls that went wrong, the worst first. */
  readonly offenders: readonly ToolFigures[];
  readonly servers: readonly ServerSummary[];
  readonly schemaChanges: readonly SchemaChange[];
}

const MAX_OFFENDERS = 8;
const MAX_CHANGES = 5;

function readTool(item: unknown): ToolFigures | undefined {
  const [server, tool] = [textOf(item, "server"), textOf(item, "tool")];
  if (server === null || tool === null) return undefined;
  const count = (name: string): number => numberOf(item, name) ?? 0;
  return {
    server,
    tool,
    calls: count("calls"),
    blocked: count("blocked"),
    warning: count("warning"),
    error: count("error"),
    meanMs: count("mean_ms"),
  };
}

function readChange(item: unknown): SchemaChange | undefined {
  const [id, time] = [textOf(item, "id"), textOf(item, "time")];
  if (id === null || time === null) return undefined;
  const text = (name: string): string | null => textOf(item, name);
  return { id, time, server: text("server"), tool: text("tool"), reason: text("reason") };
}

const wrongOf = ({ blocked, warning, error }: ToolFigures): number => blocked + warning + error;

/** How long a call took on the whole, by the calls and means of its tools. */
function meanOf(tools: readonly ToolFigures[]): number | null {
  const calls = tools.reduce((sum, tool) => sum + tool.calls, 0);
  if (calls === 0) return null;
  return tools.reduce((sum, tool) => sum + tool.meanMs * tool.calls, 0) / calls;
}

/** Asks for all that the page shows. */
export async function loadOverview(
  api: GatewayApi,
  period: Period,
  signal: AbortSignal,
): Promise<Overview> {
  const scope = queryOf({ period });
  const changed = queryOf({ type: "schema_change", period, limit: String(MAX_CHANGES) });
  const [summary, rollout, servers, changes] = await Promise.all([
    api.get(`activity/summary${scope}`, signal),
    api.get(`activity/rollout${scope}`, signal),
    api.get("servers", signal),
    api.get(`activity${changed.replace("period=", "since=")}`, signal),
  ]);
  const calls = isObject(summary) ? summary["calls"] : undefined;
  const tools = (isObject(summary) ? readList(summary["tools"], readTool) : undefined) ?? [];
  const count = (name: string): number => numberOf(calls, name) ?? 0;
  const listed = isObject(changes) ? readList(changes["activities"], readChange) : undefined;
  return {
    calls: count("total"),
    blocked: count("blocked") + count("rejected"),
    warning: count("warning"),
    error: count("error"),
    repaired: count("repaired"),
    wouldBlock: readRollout(rollout)?.wouldBlock ?? 0,
    meanMs: meanOf(tools),
    offenders: tools
      .filter((tool) => wrongOf(tool) > 0)
      .toSorted((a, b) => wrongOf(b) - wrongOf(a))
      .slice(0, MAX_OFFENDERS),
    servers: readList(servers, readServer) ?? [],
    schemaChanges: listed ?? [],
  };
}
