import type { Overview } from "@touchstone/gateway/api";
import { CircleCheck } from "lucide-react";
import { type ReactElement, type ReactNode, Suspense, useCallback } from "react";
import { REFUSED, refusedOf } from "../activity/call.ts";
import { writeFilters } from "../activity/filter.ts";
import { namesOf } from "../activity/record.ts";
import type { GatewayApi } from "../api/gateway.ts";
import { ErrorBoundary } from "../page/error-boundary.tsx";
import { Failure } from "../page/failure.tsx";
import { PageHeader, ReloadButton } from "../page/header.tsx";
import { lazily } from "../page/lazily.tsx";
import { Loading } from "../page/loading.tsx";
import type { PageProps } from "../page/page-props.ts";
import { hashOf } from "../page/route.ts";
import { useLoaded } from "../page/use-loaded.ts";
import { When } from "../page/when.tsx";
import { durationText } from "../text/duration.ts";
import { StateBadge } from "../ui/badge.tsx";
import { LINK } from "../ui/button.tsx";
import { Card, Stat } from "../ui/card.tsx";
import { cx } from "../ui/classes.ts";
import { Shown } from "../ui/shown.tsx";
import { FirstCall } from "./first-call.tsx";
import {
  loadOverview,
  type OverviewParts,
  type Period,
  periodOf,
  REFUSALS,
  type Refusal,
} from "./overview.ts";
import { PeriodSelect } from "./period-select.tsx";

const Histogram = lazily(() => import("../activity/histogram.tsx"));
const Durations = lazily(() => import("./durations.tsx"));

/** How often the page is refreshed, in milliseconds. */
const REFRESH_MS = 10_000;

const number = (value: number): string => value.toLocaleString("en");

/** Formats a share of all calls in percent; small shares get one more digit. */
function shareText(part: number, whole: number): string {
  if (whole === 0) return "–";
  const percent = (100 * part) / whole;
  return `${percent.toFixed(percent > 0 && percent < 10 ? 1 : 0)}%`;
}

const REFUSAL_LABELS: Readonly<Record<Refusal, readonly [label: string, note: string]>> = {
  denied: ["Denied", "by policy"],
  held: ["Held", "by pins"],
  out_of_bounds: ["Out of bounds", "by narrow"],
  limited: ["Limited", "over a limit"],
};

/** Returns the statuses of refused calls. Limits of the gateway itself are limits, too. */
const statusesOf = (name: Refusal): string => (name === "limited" ? "limited,rejected" : name);

function Figures({
  overview,
  period,
}: {
  readonly overview: Overview;
  readonly period: Period;
}): ReactElement {
  const { totals } = overview;
  const { calls, blocked, would_block, errors, repaired, p50_ms, p95_ms } = totals;
  const listed = (filters: Readonly<Record<string, string>> = {}): string =>
    hashOf("activity", "", writeFilters({ since: period, ...filters }));
  return (
    <div className="mb-3 grid grid-cols-2 gap-3 md:grid-cols-3 xl:grid-cols-6">
      <Stat label="Calls" value={number(calls)} href={listed()} />
      <Stat
        label="Blocked"
        value={number(blocked)}
        note={`${shareText(blocked, calls)} of calls`}
        tone={blocked > 0 ? "bad" : "plain"}
        href={listed({ status: "blocked" })}
      />
      <Stat
        label="Would be blocked"
        value={number(would_block)}
        note="if all checks were strict"
        tone={would_block > 0 ? "warn" : "plain"}
        href={hashOf("rollout", "", `period=${period}`)}
      />
      <Stat
        label="Repaired"
        value={number(repaired)}
        note={`${shareText(repaired, calls)} of calls`}
        tone={repaired > 0 ? "info" : "plain"}
        href={hashOf("repairs", "", `period=${period}`)}
      />
      <Stat
        label="Error rate"
        value={shareText(errors, calls)}
        note={`${number(errors)} ${errors === 1 ? "error" : "errors"}`}
        tone={errors > 0 ? "error" : "plain"}
        href={listed({ status: "error" })}
      />
      <Stat
        label="Half took at most"
        value={p50_ms === null ? "–" : durationText(p50_ms)}
        note={p95_ms === null ? "no calls" : `95% at most ${durationText(p95_ms)}`}
        href={listed()}
      />
      {REFUSALS.filter((name) => totals[name] > 0).map((name) => (
        <Stat
          key={name}
          label={REFUSAL_LABELS[name][0]}
          value={number(totals[name])}
          note={REFUSAL_LABELS[name][1]}
          tone="warn"
          href={listed({ status: statusesOf(name) })}
        />
      ))}
    </div>
  );
}

/** Reports that there is nothing of this kind, which is good. */
function Fine({ children }: { readonly children: ReactNode }): ReactElement {
  return (
    <p className="flex items-center gap-2 text-soft">
      <CircleCheck className="size-4 text-good" aria-hidden="true" />
      {children}
    </p>
  );
}

function Offenders({
  overview: { offenders },
  period,
}: {
  readonly overview: Overview;
  readonly period: Period;
}): ReactElement {
  if (offenders.length === 0) {
    return (
      <Card title="Tools with the most issues">
        <Fine>No call was blocked, refused or failed, and no warning is recorded.</Fine>
      </Card>
    );
  }
  const hasRefused = offenders.some((each) => refusedOf(each) > 0);
  const head = [
    ...["Tool", "Calls", "Blocked", "Would be blocked"],
    ...(hasRefused ? ["Refused"] : []),
    "Errors",
  ];
  return (
    <Card title="Tools with the most issues" flush>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: without focus it cannot be scrolled with a keyboard */}
      <section className="relative overflow-x-auto scroll-thin" aria-label="Tools" tabIndex={0}>
        <table
          className={cx(
            "w-full border-collapse max-sm:[&_:is(th,td):not(:first-child)]:ps-0",
            hasRefused
              ? "max-sm:[&_:is(th,td):not(:last-child)]:pe-1.5"
              : "max-sm:[&_:is(th,td):not(:last-child)]:pe-2.5",
          )}
        >
          <thead className="wrap-normal text-xs text-soft">
            <tr>
              {head.map((title, index) => (
                <th
                  key={title}
                  scope="col"
                  className={`px-4 py-1.5 font-medium ${index === 0 ? "text-start" : "text-end"}`}
                >
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {offenders.map((offender) => {
              const { server, tool, calls, blocked, would_block, errors } = offender;
              const names = { ...(server !== null && { server }), ...(tool !== null && { tool }) };
              const link = (status: string): string =>
                hashOf("activity", "", writeFilters({ ...names, since: period, status }));
              const cell = (count: number, status: string, tone: string): ReactElement => (
                <td className="px-4 py-1.5 text-end tabular-nums">
                  {count === 0 ? (
                    <span className="text-faint">0</span>
                  ) : (
                    <a className={`${tone} underline-offset-2 hover:underline`} href={link(status)}>
                      {number(count)}
                    </a>
                  )}
                </td>
              );
              return (
                <tr key={JSON.stringify([server, tool])} className="border-t border-line">
                  <th
                    scope="row"
                    className="max-w-64 min-w-28 px-4 wrap-anywhere sm:min-w-40 py-1.5 text-start font-normal"
                  >
                    <a className={LINK} href={link("")}>
                      <Shown text={server ?? "–"} /> / <Shown text={tool ?? "–"} />
                    </a>
                  </th>
                  <td className="px-4 py-1.5 text-end tabular-nums">{number(calls)}</td>
                  {cell(blocked, "blocked", "text-bad")}
                  {cell(would_block, "warning", "text-warn")}
                  {hasRefused && cell(refusedOf(offender), REFUSED.join(","), "text-warn")}
                  {cell(errors, "error", "text-error")}
                </tr>
              );
            })}
          </tbody>
        </table>
      </section>
    </Card>
  );
}

function Servers({ servers }: Pick<OverviewParts, "servers">): ReactElement {
  const failed = servers.filter(({ state }) => state === "failed");
  return (
    <Card title="Servers">
      {failed.length === 0 && (
        <Fine>
          {servers.length === 1 ? "The server works." : `All ${servers.length} servers work.`}
        </Fine>
      )}
      <ul className="flex flex-col gap-2">
        {failed.map(({ name, state, error }) => (
          <li key={name} className="min-w-0">
            <p className="flex flex-wrap items-center gap-2">
              <StateBadge state={state} />
              <a className={LINK} href={hashOf("servers", name)}>
                <Shown text={name} />
              </a>
            </p>
            {error !== undefined && (
              <p className="mt-0.5 line-clamp-3 text-soft">
                <Shown text={error} />
              </p>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}

function SchemaChanges({ changes }: { readonly changes: Overview["schema_changes"] }) {
  return (
    <Card title="Schema changes">
      {changes.length === 0 && <Fine>No tool has changed its schemas.</Fine>}
      <ul className="flex flex-col gap-1.5">
        {changes.map(({ id, time, server, tool, reason }) => (
          <li key={id} className="min-w-0">
            <a className={LINK} href={hashOf("changes", id)}>
              <Shown text={namesOf({ server, tool })} />
            </a>{" "}
            <span className="text-soft">
              <When time={time} />
              {reason !== null && (
                <>
                  {" · "}
                  <Shown text={reason} />
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Drift({ drifts }: Pick<OverviewParts, "drifts">): ReactElement {
  return (
    <Card title="Drift">
      {drifts.length === 0 && <Fine>No result is known to differ from its schema.</Fine>}
      <ul className="flex flex-col gap-1.5">
        {drifts.map(({ server, tool, findings, until }) => (
          <li key={JSON.stringify([server, tool])} className="min-w-0">
            <a className={LINK} href={hashOf("drift", "", { server, tool })}>
              <Shown text={server} /> / <Shown text={tool} />
            </a>{" "}
            <span className="text-soft">
              {findings} {findings === 1 ? "difference" : "differences"}
              {" · "}
              <When time={until} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** Charts calls and their durations over time. Both charts take up their space before they are drawn. */
function OverTime({
  overview,
  buckets,
}: Pick<OverviewParts, "overview" | "buckets">): ReactElement {
  const { bucket_ms: step, counted_from: countedFrom } = overview;
  const charts: readonly (readonly [title: ReactNode, chart: ReactElement])[] = [
    [
      "Calls",
      <Histogram
        key="calls"
        buckets={buckets}
        step={step}
        onBrush={(since, until) => {
          const [from, to] = [since, until].map((time) => new Date(time).toISOString());
          location.hash = hashOf("activity", "", writeFilters({ since: from, until: to }));
        }}
      />,
    ],
    [
      <>
        Duration <span className="text-accent">p50</span> <span className="text-warn">p95</span>
      </>,
      <Durations key="durations" buckets={buckets} step={step} />,
    ],
  ];
  return (
    <>
      <div className="mb-3 grid gap-3 lg:grid-cols-2">
        {charts.map(([title, chart]) => (
          <div key={chart.key} className="rounded-lg border border-line bg-surface p-2">
            <h2 className="px-1 text-[0.8125rem] text-soft">{title}</h2>
            <div className="h-21">
              <ErrorBoundary fallback={null}>
                <Suspense fallback={null}>{chart}</Suspense>
              </ErrorBoundary>
            </div>
          </div>
        ))}
      </div>
      {countedFrom !== null && (
        <p className="mb-3 text-soft">
          There are too many calls to count them all here: these are from{" "}
          <When time={countedFrom} /> on.
        </p>
      )}
    </>
  );
}

function Parts({
  api,
  parts: { overview, buckets, servers, drifts },
  period,
}: {
  readonly api: GatewayApi;
  readonly parts: OverviewParts;
  readonly period: Period;
}): ReactElement {
  if (overview.totals.calls === 0 && overview.schema_changes.length === 0) {
    return <FirstCall api={api} servers={servers} period={period} />;
  }
  return (
    <>
      <Figures overview={overview} period={period} />
      <OverTime overview={overview} buckets={buckets} />
      <div className="grid items-start gap-3 xl:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <Offenders overview={overview} period={period} />
        <div className="grid gap-3 md:grid-cols-2 xl:grid-cols-1">
          <Servers servers={servers} />
          <SchemaChanges changes={overview.schema_changes} />
          <Drift drifts={drifts} />
        </div>
      </div>
    </>
  );
}

/** Summarizes current activity in figures that link to the calls they count. */
export default function OverviewPage({ api, query }: PageProps): ReactElement {
  const period = periodOf(query);
  const ask = useCallback(
    (signal: AbortSignal) => loadOverview(api, period, signal),
    [api, period],
  );
  const [{ value, error }, reload] = useLoaded(ask, REFRESH_MS, ["overview", period]);
  return (
    <section aria-label="Overview">
      <PageHeader
        title="Overview"
        actions={
          <>
            <PeriodSelect page="overview" period={period} />
            <ReloadButton onClick={reload} />
          </>
        }
      />
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      {value === undefined && error === undefined && <Loading what="the overview" />}
      {value !== undefined && <Parts api={api} parts={value} period={period} />}
    </section>
  );
}
