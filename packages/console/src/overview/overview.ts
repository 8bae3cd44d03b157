import type { ServerSummary } from "@touchstone/gateway/api";
import type { Bucket } from "../activity/call.ts";
import type { GatewayApi } from "../api/gateway.ts";
import { numberOf, readList, textOf, unexpectedAnswer } from "../api/untyped.ts";
import { isObject } from "../json/object.ts";

/** The periods to choose from. To add one, add an entry. */
export const PERIODS = [
  ["1h", "Last hour"],
  ["24h", "Last 24 hours"],
  ["7d", "Last 7 days"],
] as const;
export type Period = (typeof PERIODS)[number][0];

/** Returns the period in an address; the last 24 hours if there is none. */
export function periodOf(query: string): Period {
  const given = new URLSearchParams(query).get("period");
  return PERIODS.find(([period]) => period === given)?.[0] ?? "24h";
}

/** Median and 95th percentile of call durations, in milliseconds; null without calls. */
export interface Percentiles {
  readonly p50: number | null;
  readonly p95: number | null;
}

/** The calls of one time step. */
export type OverviewBucket = Bucket & Percentiles;

/** A tool with calls that went wrong in the period. */
export interface Offender {
  readonly server: string;
  readonly tool: string;
  readonly calls: number;
  readonly blocked: number;
  readonly wouldBlock: number;
  readonly errors: number;
  /** Calls that policy, a pin, narrow or a limit refused. */
  readonly refused: number;
}

/** A newly declared schema of a tool. */
export interface SchemaChange {
  readonly id: string;
  readonly time: string;
  readonly server: string | null;
  readonly tool: string | null;
  readonly reason: string | null;
}

/** What the page shows. */
export interface Overview extends Percentiles {
  readonly calls: number;
  readonly blocked: number;
  /** Calls that strict mode would have blocked, but that were not blocked. */
  readonly wouldBlock: number;
  readonly repaired: number;
  /** Calls that the server failed. */
  readonly errors: number;
  /** Calls that policy, a pin, narrow or a limit refused. */
  readonly refusals: Readonly<Record<Refusal, number>>;
  /** The length of a step in milliseconds. */
  readonly step: number;
  readonly buckets: readonly OverviewBucket[];
  /** The tools with the most calls that went wrong, worst first. */
  readonly offenders: readonly Offender[];
  readonly schemaChanges: readonly SchemaChange[];
  /** Start of the counted period, if there were too many calls to count them all. */
  readonly countedFrom: string | null;
  readonly servers: readonly ServerSummary[];
  /** The tools whose results differ from their schema, latest first. */
  readonly drifts: readonly DriftedTool[];
}

/** A tool whose results were compared with its output schema. */
export interface DriftedTool {
  readonly server: string;
  readonly tool: string;
  readonly until: string | null;
  readonly results: number;
  /** The number of ways in which they differ. */
  readonly findings: number;
}

const MAX_SHOWN = 5;

/** Why a call was refused, if neither a check nor the server failed. */
export const REFUSALS = ["denied", "held", "out_of_bounds", "limited"] as const;
export type Refusal = (typeof REFUSALS)[number];

/** Reads how many calls were refused, by reason. */
function readRefusals(item: unknown): Readonly<Record<Refusal, number>> {
  const all = REFUSALS.map((name) => [name, numberOf(item, name) ?? 0] as const);
  return Object.fromEntries(all) as Record<Refusal, number>;
}

const sumOf = (counts: Readonly<Record<Refusal, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

function readBucket(item: unknown): OverviewBucket | undefined {
  const time = Date.parse(textOf(item, "time") ?? "");
  if (Number.isNaN(time)) return undefined;
  const count = (name: string): number => numberOf(item, name) ?? 0;
  const [warning, repaired] = [count("would_block"), count("repaired")];
  const [blocked, error] = [count("blocked"), count("errors")];
  // A call that strict mode would have blocked may also have been repaired or have failed.
  const refused = sumOf(readRefusals(item));
  const success = Math.max(0, count("calls") - warning - repaired - blocked - error - refused);
  const counts = { success, warning, repaired, blocked, error, refused };
  return { time, ...counts, p50: numberOf(item, "p50_ms"), p95: numberOf(item, "p95_ms") };
}

function readOffender(item: unknown): Offender | undefined {
  const [server, tool] = [textOf(item, "server"), textOf(item, "tool")];
  if (server === null || tool === null) return undefined;
  const count = (name: string): number => numberOf(item, name) ?? 0;
  return {
    server,
    tool,
    calls: count("calls"),
    blocked: count("blocked"),
    wouldBlock: count("would_block"),
    errors: count("errors"),
    refused: sumOf(readRefusals(item)),
  };
}

function readChange(item: unknown): SchemaChange | undefined {
  const [id, time] = [textOf(item, "id"), textOf(item, "time")];
  if (id === null || time === null) return undefined;
  const text = (name: string): string | null => textOf(item, name);
  return { id, time, server: text("server"), tool: text("tool"), reason: text("reason") };
}

function readDrifted(item: unknown): DriftedTool | undefined {
  const [server, tool] = [textOf(item, "server"), textOf(item, "tool")];
  if (server === null || tool === null) return undefined;
  const count = (name: string): number => numberOf(item, name) ?? 0;
  return {
    server,
    tool,
    until: textOf(item, "until"),
    results: count("results"),
    findings: count("findings"),
  };
}

/** Reads the response of `GET /api/v1/drift`. */
export function readDrifts(answer: unknown): readonly DriftedTool[] | undefined {
  return isObject(answer) ? readList(answer["tools"], readDrifted) : undefined;
}

/** Requests everything that the page shows. */
export async function loadOverview(
  api: GatewayApi,
  period: Period,
  signal: AbortSignal,
): Promise<Overview> {
  const [answer, servers, drifts] = await Promise.all([
    api.get("getOverview", { period }, signal),
    api.get("listServers", {}, signal),
    api.get("listDrift", {}, signal),
  ]);
  const totals = isObject(answer) ? answer["totals"] : undefined;
  const buckets = isObject(answer) ? readList(answer["buckets"], readBucket) : undefined;
  if (!isObject(answer) || !isObject(totals) || buckets === undefined) throw unexpectedAnswer();
  const count = (name: string): number => numberOf(totals, name) ?? 0;
  return {
    calls: count("calls"),
    blocked: count("blocked"),
    wouldBlock: count("would_block"),
    repaired: count("repaired"),
    errors: count("errors"),
    refusals: readRefusals(totals),
    p50: numberOf(totals, "p50_ms"),
    p95: numberOf(totals, "p95_ms"),
    step: numberOf(answer, "bucket_ms") ?? 1,
    buckets,
    offenders: readList(answer["offenders"], readOffender) ?? [],
    schemaChanges: (readList(answer["schema_changes"], readChange) ?? []).slice(0, MAX_SHOWN),
    countedFrom: textOf(answer, "counted_from"),
    servers,
    drifts: (readDrifts(drifts) ?? []).filter(({ findings }) => findings > 0).slice(0, MAX_SHOWN),
  };
}
