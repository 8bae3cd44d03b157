import type { Overview } from "@touchstone/gateway/api";
import { CircleCheck } from "lucide-react";
import { type ReactElement, Suspense, useCallback } from "react";
import { REFUSED_STATUSES, refusedCount } from "../activity/call.ts";
import { writeFilters } from "../activity/filter.ts";
import { serverToolName } from "../activity/record.ts";
import type { GatewayApi } from "../api/gateway.ts";
import { CountedFrom } from "../chart/counted-from.tsx";
import { ErrorBoundary } from "../page/error-boundary.tsx";
import { Failure } from "../page/failure.tsx";
import { PageHeader, ReloadButton } from "../page/header.tsx";
import { chooseTime } from "../page/kept-time.ts";
import { lazyPart } from "../page/lazy-part.tsx";
import { Loading } from "../page/loading.tsx";
import type { PageProps } from "../page/page-props.ts";
import { hashOf } from "../page/route.ts";
import { TimeControl } from "../page/time-control.tsx";
import { TimeText } from "../page/time-text.tsx";
import { AUTO_REFRESH_MS, useLoaded } from "../page/use-loaded.ts";
import { shownState } from "../problems/problem.ts";
import { ProblemList } from "../problems/problem-list.tsx";
import { durationText } from "../text/duration.ts";
import { between, readTime, type TimeRange, withTime } from "../time/range.ts";
import { StateBadge } from "../ui/badge.tsx";
import { LINK_CLASS } from "../ui/button.tsx";
import { Card, Stat } from "../ui/card.tsx";
import { ExternalText } from "../ui/external-text.tsx";
import { driftInOrder, type EmptyCard, noneFailed, serversInOrder } from "./empty-cards.ts";
import { FirstCall } from "./first-call.tsx";
import { loadOverview, type OverviewParts, REFUSALS, type RefusalKind } from "./overview.ts";

const ProblemView = lazyPart(() => import("../problems/problem-view.tsx"));
const Histogram = lazyPart(() => import("../activity/histogram.tsx"));
const Durations = lazyPart(() => import("./durations.tsx"));

const number = (value: number): string => value.toLocaleString("en");

/** Formats a share of all calls in percent; small shares get one more digit. */
function shareText(part: number, whole: number): string {
  if (whole === 0) return "–";
  const percent = (100 * part) / whole;
  return `${percent.toFixed(percent > 0 && percent < 10 ? 1 : 0)}%`;
}

const REFUSAL_LABELS: Readonly<Record<RefusalKind, readonly [label: string, note: string]>> = {
  denied: ["Denied", "by policy"],
  held: ["Held", "by pins"],
  out_of_bounds: ["Out of bounds", "by narrow"],
  limited: ["Limited", "over a limit"],
};

/** Returns the statuses of refused calls. Limits of the whole gateway count as limits, too. */
const statusesOf = (name: RefusalKind): string => (name === "limited" ? "limited,rejected" : name);

function Figures({
  overview,
  range,
}: {
  readonly overview: Overview;
  readonly range: TimeRange;
}): ReactElement {
  const { totals } = overview;
  const { calls, blocked, would_block, errors, repaired, p50_ms, p95_ms } = totals;
  const listed = (filters: Readonly<Record<string, string>> = {}): string =>
    hashOf("activity", "", writeFilters({ ...range, ...filters }));
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
        note="of the calls that were checked"
        tone={would_block > 0 ? "warn" : "plain"}
        href={hashOf("rollout", "", withTime("", range))}
      />
      <Stat
        label="Repaired"
        value={number(repaired)}
        note={`${shareText(repaired, calls)} of calls`}
        tone={repaired > 0 ? "info" : "plain"}
        href={hashOf("repairs", "", withTime("", range))}
      />
      <Stat
        label="Error rate"
        value={shareText(errors, calls)}
        note={`${number(errors)} ${errors === 1 ? "error" : "errors"}`}
        tone={errors > 0 ? "error" : "plain"}
        href={listed({ status: "error" })}
      />
      <Stat
        label="Median duration"
        value={p50_ms === null ? "–" : durationText(p50_ms)}
        note={p95_ms === null ? "no calls" : `p95 ${durationText(p95_ms)}`}
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

/** Reports that there is nothing to list. Only what was checked and is in order is marked as good. */
function Nothing({ found: { text, isGood } }: { readonly found: EmptyCard }): ReactElement {
  return (
    <p className="flex items-center gap-2 text-soft">
      {isGood && <CircleCheck className="size-4 shrink-0 text-good" aria-hidden="true" />}
      {text}
    </p>
  );
}

const FAILING = "Tools that failed or were refused";

/** Lists the tools whose calls failed for a reason that is not a problem of arguments or results: both were valid. */
function FailingTools({
  overview: { failing_tools: tools, totals },
  range,
}: {
  readonly overview: Overview;
  readonly range: TimeRange;
}): ReactElement {
  if (tools.length === 0) {
    return (
      <Card title={FAILING}>
        <Nothing found={noneFailed(totals)} />
      </Card>
    );
  }
  return (
    <Card
      title={FAILING}
      hint="Problems are about invalid data, so these tools are listed here."
      flush
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: without focus it cannot be scrolled with a keyboard */}
      <section className="relative overflow-x-auto scroll-thin" aria-label="Tools" tabIndex={0}>
        <table className="w-full border-collapse">
          <thead className="wrap-normal text-xs text-soft">
            <tr>
              {["Tool", "Calls", "Refused", "Errors"].map((title, index) => (
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
            {tools.map((each) => {
              const { server, tool, calls, errors } = each;
              const names = { ...(server !== null && { server }), ...(tool !== null && { tool }) };
              const link = (status: string): string =>
                hashOf("activity", "", writeFilters({ ...names, ...range, status }));
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
                    <a className={LINK_CLASS} href={link("")}>
                      <ExternalText text={server ?? "–"} /> / <ExternalText text={tool ?? "–"} />
                    </a>
                  </th>
                  <td className="px-4 py-1.5 text-end tabular-nums">{number(calls)}</td>
                  {cell(refusedCount(each), REFUSED_STATUSES.join(","), "text-warn")}
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
      {failed.length === 0 && <Nothing found={serversInOrder(servers)} />}
      <ul className="flex flex-col gap-2">
        {failed.map(({ name, state, error }) => (
          <li key={name} className="min-w-0">
            <p className="flex flex-wrap items-center gap-2">
              <StateBadge state={state} />
              <a className={LINK_CLASS} href={hashOf("servers", name)}>
                <ExternalText text={name} />
              </a>
            </p>
            {error !== undefined && (
              <p className="mt-0.5 line-clamp-3 text-soft">
                <ExternalText text={error} />
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
      {changes.length === 0 && (
        <p className="text-soft">No change of a tool is recorded in this period.</p>
      )}
      <ul className="flex flex-col gap-1.5">
        {changes.map(({ id, time, server, tool, reason }) => (
          <li key={id} className="min-w-0">
            <a className={LINK_CLASS} href={hashOf("changes", id)}>
              <ExternalText text={serverToolName({ server, tool })} />
            </a>{" "}
            <span className="text-soft">
              <TimeText time={time} />
              {reason !== null && (
                <>
                  {" · "}
                  <ExternalText text={reason} />
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Drift({ drifts, compared }: Pick<OverviewParts, "drifts" | "compared">): ReactElement {
  return (
    <Card title="Drift">
      {drifts.length === 0 && <Nothing found={driftInOrder(compared)} />}
      <ul className="flex flex-col gap-1.5">
        {drifts.map(({ server, tool, findings, until }) => (
          <li key={JSON.stringify([server, tool])} className="min-w-0">
            <a className={LINK_CLASS} href={hashOf("drift", "", { server, tool })}>
              <ExternalText text={server} /> / <ExternalText text={tool} />
            </a>{" "}
            <span className="text-soft">
              {findings} {findings === 1 ? "difference" : "differences"}
              {" · "}
              <TimeText time={until} />
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
  onZoom,
}: Pick<OverviewParts, "overview" | "buckets"> & {
  /** Called with a time that was selected, in milliseconds since 1970. */
  readonly onZoom: (since: number, until: number) => void;
}): ReactElement {
  const { bucket_ms: step, counted_from: countedFrom } = overview;
  const charts: readonly (readonly [title: string, chart: ReactElement])[] = [
    ["Calls", <Histogram key="calls" buckets={buckets} step={step} onBrush={onZoom} />],
    ["Duration", <Durations key="durations" buckets={buckets} step={step} onBrush={onZoom} />],
  ];
  return (
    <>
      <div className="mb-3 grid grid-cols-1 gap-3 lg:grid-cols-2">
        {charts.map(([title, chart]) => (
          <div key={chart.key} className="rounded-lg border border-line bg-surface p-2">
            <h2 className="px-1 text-[0.8125rem] text-soft">{title}</h2>
            <div className="min-h-35">
              <ErrorBoundary fallback={null}>
                <Suspense fallback={null}>{chart}</Suspense>
              </ErrorBoundary>
            </div>
          </div>
        ))}
      </div>
      <CountedFrom time={countedFrom} />
    </>
  );
}

function Parts({
  api,
  parts: { range, overview, buckets, problems, servers, drifts, compared },
  query,
  onZoom,
}: {
  readonly api: GatewayApi;
  /** The parameters of the address. */
  readonly query: string;
  readonly parts: OverviewParts;
  readonly onZoom: (since: number, until: number) => void;
}): ReactElement {
  if (overview.totals.calls === 0 && overview.schema_changes.length === 0) {
    return <FirstCall api={api} servers={servers} range={range} />;
  }
  return (
    <>
      <Figures overview={overview} range={range} />
      <ProblemList page={problems} query={query} />
      <OverTime overview={overview} buckets={buckets} onZoom={onZoom} />
      <div className="grid grid-cols-1 items-start gap-3 xl:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <FailingTools overview={overview} range={range} />
        <div className="grid grid-cols-1 gap-3 md:grid-cols-2 xl:grid-cols-1">
          <Servers servers={servers} />
          <SchemaChanges changes={overview.schema_changes} />
          <Drift drifts={drifts} compared={compared} />
        </div>
      </div>
    </>
  );
}

/** Shows what was wrong with calls, below figures that link to the counted calls; or one problem. */
export default function OverviewPage({ api, open, query }: PageProps): ReactElement {
  if (open === undefined) return <Summary api={api} query={query} />;
  return (
    <Suspense fallback={<Loading what="the problem" />}>
      <ProblemView key={open} api={api} id={open} />
    </Suspense>
  );
}

function Summary({ api, query }: Pick<PageProps, "api" | "query">): ReactElement {
  const { since, until } = readTime(query);
  const state = shownState(query);
  const ask = useCallback(
    (signal: AbortSignal) => loadOverview(api, { since, until }, state, signal),
    [api, since, until, state],
  );
  const key = ["overview", since, until, state];
  // What is above and below the problems stays in place while the problems of another state load.
  const [{ value, error }, reload] = useLoaded(ask, AUTO_REFRESH_MS, key, true);
  const choose = (range: TimeRange): void => chooseTime("problems", query, range);
  return (
    <section aria-label="Problems and figures">
      <PageHeader
        title="Problems"
        actions={
          <>
            <TimeControl range={{ since, until }} fitted={value?.range} onChange={choose} />
            <ReloadButton onClick={reload} />
          </>
        }
      />
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      {value === undefined && error === undefined && <Loading what="the overview" />}
      {value !== undefined && (
        <Parts
          api={api}
          parts={value}
          query={query}
          onZoom={(from, to) => choose(between(from, to))}
        />
      )}
    </section>
  );
}
