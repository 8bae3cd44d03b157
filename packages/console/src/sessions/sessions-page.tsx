import type { Session } from "@touchstone/gateway/api";
import { CornerDownRight, MessagesSquare } from "lucide-react";
import { type ReactElement, useCallback } from "react";
import { RowTime } from "../activity/columns.tsx";
import { writeFilters } from "../activity/filter.ts";
import { namesOf } from "../activity/record.ts";
import type { GatewayApi } from "../api/gateway.ts";
import { Failure } from "../page/failure.tsx";
import { PageHeader, ReloadButton } from "../page/header.tsx";
import { Loading } from "../page/loading.tsx";
import { OpenedHeading } from "../page/opened-heading.tsx";
import type { PageProps } from "../page/page-props.ts";
import { hashOf } from "../page/route.ts";
import { useListing } from "../page/use-listing.ts";
import { durationText, spanText } from "../text/duration.ts";
import { StateBadge } from "../ui/badge.tsx";
import { Button, ButtonLink, LINK } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty.tsx";
import { Shown } from "../ui/shown.tsx";
import { sessionName, type Turn, turnsOf } from "./session.ts";

const LIMIT = "100";
/** Maximum number of turns shown for one conversation; Activity has the rest. */
const MAX_TURNS = 2_000;

/** Formats a duration: exact below a minute, otherwise in its two largest units. */
const lengthText = (ms: number): string => (ms < 60_000 ? durationText(ms) : spanText(ms / 1000));

/** Shows the nonzero counts of a conversation as badges. */
function Outcomes({ session }: { readonly session: Session }): ReactElement {
  const states = [
    ["blocked", session.blocked],
    ["warning", session.warning],
    ["error", session.error],
    ["denied", session.denied],
    ["held", session.held],
    ["out_of_bounds", session.out_of_bounds],
    ["limited", session.limited],
  ] as const;
  return (
    <span className="flex flex-wrap gap-1.5">
      {states.map(
        ([state, count]) =>
          count > 0 && (
            <span key={state} className="inline-flex items-center gap-1">
              <StateBadge state={state} />
              {count}
            </span>
          ),
      )}
    </span>
  );
}

function SessionList({ api }: { readonly api: GatewayApi }): ReactElement {
  const load = useCallback(
    async (cursor: string | undefined, signal: AbortSignal) => {
      const page = await api.get("listSessions", { limit: LIMIT, cursor }, signal);
      return { rows: page.sessions, next: page.next_cursor };
    },
    [api],
  );
  const { rows, error, moreError, hasMore, reload, more } = useListing(load);
  return (
    <section aria-label="Sessions">
      <PageHeader
        title="Sessions"
        hint="Each holds the calls of one client since it connected."
        actions={<ReloadButton onClick={reload} />}
      />
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      {rows === undefined && error === undefined && <Loading what="sessions" />}
      {rows?.length === 0 && (
        <EmptyState icon={MessagesSquare} title="No sessions yet.">
          <p className="text-soft">A session appears here after its first call.</p>
        </EmptyState>
      )}
      <ul className="flex flex-col gap-2">
        {rows?.map((row) => (
          <li key={row.session} className="min-w-0">
            <a
              href={hashOf("sessions", row.session)}
              className="flex flex-wrap items-center gap-x-4 gap-y-1 rounded-lg border border-line bg-surface px-4 py-2.5 hover:border-edge hover:bg-hover xl:grid xl:grid-cols-[6.5rem_11rem_minmax(0,1fr)_5.5rem_17rem]"
            >
              <span className="font-mono text-[0.8125rem]">
                <Shown text={sessionName(row.session)} />
              </span>
              <RowTime time={row.last} />
              <span className="min-w-0 wrap-anywhere">
                <Shown text={row.client ?? "unknown client"} />
                <span className="text-soft">
                  {" → "}
                  <Shown text={row.servers.join(", ")} />
                </span>
              </span>
              <span className="tabular-nums xl:text-end">
                {row.calls.toLocaleString("en")} {row.calls === 1 ? "call" : "calls"}
              </span>
              <Outcomes session={row} />
            </a>
          </li>
        ))}
      </ul>
      {moreError !== undefined && <Failure error={moreError} onRetry={more} />}
      {hasMore && moreError === undefined && (
        <Button className="mt-3" onClick={more}>
          Show older sessions
        </Button>
      )}
    </section>
  );
}

/** Shows one call on the timeline. */
function TurnItem({ turn, query }: { readonly turn: Turn; readonly query: string }): ReactElement {
  const { call, since, pause, isRetry } = turn;
  return (
    <>
      {pause !== null && (
        <li className="relative py-1 ps-6 text-xs text-soft">{spanText(pause / 1000)} later</li>
      )}
      <li className="relative min-w-0 pb-2 ps-6">
        <span
          aria-hidden="true"
          className="absolute start-[0.3125rem] top-4.5 size-2 rounded-full bg-edge ring-4 ring-page"
        />
        <a
          href={hashOf("activity", call.id, query)}
          className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-lg border border-line bg-surface px-3 py-2 hover:border-edge hover:bg-hover"
        >
          <span
            className="min-w-16 font-mono text-xs text-soft tabular-nums"
            title={`${call.time}, after the first call`}
          >
            +{lengthText(since)}
          </span>
          {call.status !== null && (
            <span className="flex min-w-20">
              <StateBadge state={call.status} />
            </span>
          )}
          <span className="min-w-0 font-medium wrap-anywhere">
            <Shown text={namesOf(call)} />
          </span>
          {isRetry && (
            <span className="inline-flex items-center gap-1 text-xs text-soft">
              <CornerDownRight className="size-3.5" aria-hidden="true" />
              tried again
            </span>
          )}
          {call.duration_ms !== null && (
            <span className="ms-auto text-soft tabular-nums">{durationText(call.duration_ms)}</span>
          )}
          {(call.issue ?? call.reason) !== null && (
            <span className="basis-full text-soft wrap-anywhere">
              <Shown text={(call.issue ?? call.reason ?? "").slice(0, 300)} />
            </span>
          )}
        </a>
      </li>
    </>
  );
}

function SessionView({
  api,
  session,
}: {
  readonly api: GatewayApi;
  readonly session: string;
}): ReactElement {
  const load = useCallback(
    async (cursor: string | undefined, signal: AbortSignal) => {
      const filters = { session, order: "asc", limit: LIMIT, cursor };
      const page = await api.get("listCalls", filters, signal);
      return { rows: page.calls, next: page.next_cursor };
    },
    [api, session],
  );
  const { rows, error, moreError, hasMore, reload, more } = useListing(load);
  const query = writeFilters({ session });
  const [first, last] = [rows?.[0], rows?.at(-1)];
  const span = first && last ? Date.parse(last.time) - Date.parse(first.time) : 0;
  const isFull = (rows?.length ?? 0) >= MAX_TURNS;
  return (
    <section aria-label="Session">
      <OpenedHeading page="sessions" list="All sessions">
        Session <Shown text={sessionName(session)} />
      </OpenedHeading>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <ReloadButton onClick={reload} />
        <ButtonLink href={hashOf("activity", "", query)}>Show as a list</ButtonLink>
        {first !== undefined && (
          <span className="min-w-0 text-soft wrap-anywhere">
            <Shown text={first.client ?? "unknown client"} />, {rows?.length}
            {hasMore && "+"} {rows?.length === 1 ? "call" : "calls"} in {lengthText(span)}
          </span>
        )}
      </div>
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      {rows === undefined && error === undefined && <Loading what="the session" />}
      {rows?.length === 0 && (
        <EmptyState icon={MessagesSquare} title="This session has no calls.">
          <p className="text-soft">Its records may have been removed.</p>
        </EmptyState>
      )}
      <ol className="relative max-w-4xl before:absolute before:start-2 before:top-2 before:bottom-4 before:w-px before:bg-line">
        {turnsOf(rows ?? []).map((turn) => (
          <TurnItem key={turn.call.id} turn={turn} query={query} />
        ))}
      </ol>
      {moreError !== undefined && <Failure error={moreError} onRetry={more} />}
      {hasMore && !isFull && moreError === undefined && (
        <Button onClick={more}>Show later calls</Button>
      )}
      {hasMore && isFull && (
        <p className="text-soft">
          There are more.{" "}
          <a className={LINK} href={hashOf("activity", "", query)}>
            Show them as a list
          </a>
        </p>
      )}
    </section>
  );
}

/** Shows the conversations, and the open one as a timeline. */
export default function SessionsPage({ api, open }: PageProps): ReactElement {
  return open === undefined ? (
    <SessionList api={api} />
  ) : (
    <SessionView key={open} api={api} session={open} />
  );
}
