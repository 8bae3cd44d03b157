import { CornerDownRight, MessagesSquare } from "lucide-react";
import { type ReactElement, useCallback } from "react";
import { type Filters, parametersOf, readFilters, writeFilters } from "../activity/filter.ts";
import { serverToolName } from "../activity/record.ts";
import type { GatewayApi } from "../api/gateway.ts";
import { Failure } from "../page/failure.tsx";
import { ReloadButton } from "../page/header.tsx";
import { Loading } from "../page/loading.tsx";
import { OpenedHeading } from "../page/opened-heading.tsx";
import { hashOf } from "../page/route.ts";
import { useListing } from "../page/use-listing.ts";
import { durationText, spanText } from "../text/duration.ts";
import { clockTime, localTime } from "../text/local-time.ts";
import { StateBadge } from "../ui/badge.tsx";
import { Button, ButtonLink, LINK_CLASS } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty.tsx";
import { ExternalText } from "../ui/external-text.tsx";
import { LIST, ROW } from "../ui/list-keys.ts";
import { lengthText, sessionName, sessionTurns, type Turn } from "./session.ts";

const LIMIT = "100";
/** Maximum number of turns shown for one session; Activity has the rest. */
const MAX_TURNS = 2_000;
const MAX_ISSUE = 300;

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
          {...ROW}
          href={hashOf("activity", call.id, query)}
          className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-lg border border-line bg-surface px-3 py-2 hover:border-edge hover:bg-hover"
        >
          <time
            dateTime={call.time}
            className="min-w-32 font-mono text-xs text-soft tabular-nums"
            title={call.time}
          >
            {clockTime(new Date(call.time))} +{lengthText(since)}
          </time>
          {call.status !== null && (
            <span className="flex min-w-20">
              <StateBadge state={call.status} />
            </span>
          )}
          <span className="min-w-0 font-medium wrap-anywhere">
            <ExternalText text={serverToolName(call)} />
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
              <ExternalText text={(call.issue ?? call.reason ?? "").slice(0, MAX_ISSUE)} />
            </span>
          )}
        </a>
      </li>
    </>
  );
}

/** Names the caller and the client whose calls a timeline shows. */
function Whose({ filters }: { readonly filters: Filters }): ReactElement {
  const [caller, client, session] = [filters["caller"], filters["client"], filters["session"]].map(
    (value) => [value].flat()[0],
  );
  if (session !== undefined) {
    return (
      <>
        Session <ExternalText text={sessionName(session)} />
      </>
    );
  }
  return (
    <>
      <ExternalText text={caller ?? "No caller"} />
      {" with "}
      <ExternalText text={client ?? "an unknown client"} />
    </>
  );
}

/** Shows the calls that match filters on a timeline, the oldest first, on all servers. */
export function TimelineView({
  api,
  query,
}: {
  readonly api: GatewayApi;
  readonly query: string;
}): ReactElement {
  const load = useCallback(
    async (cursor: string | undefined, signal: AbortSignal) => {
      const asked = parametersOf("calls", readFilters(query));
      const filters = { ...asked, order: "asc", limit: LIMIT, cursor };
      const page = await api.get("listCalls", filters, signal);
      return { rows: page.calls, next: page.next_cursor };
    },
    [api, query],
  );
  const { rows, error, moreError, hasMore, reload, more } = useListing(load);
  const filters = readFilters(query);
  const list = writeFilters(filters);
  const [first, last] = [rows?.[0], rows?.at(-1)];
  const span = first && last ? Date.parse(last.time) - Date.parse(first.time) : 0;
  const isFull = (rows?.length ?? 0) >= MAX_TURNS;
  const ids = [...new Set(rows?.flatMap(({ session }) => session ?? []))];
  return (
    <section aria-label="Session">
      <OpenedHeading page="sessions" list="All sessions">
        <Whose filters={filters} />
      </OpenedHeading>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <ReloadButton onClick={reload} />
        <ButtonLink href={hashOf("activity", "", list)}>Show as a list</ButtonLink>
        {first !== undefined && (
          <span className="min-w-0 text-soft wrap-anywhere">
            {filters["session"] !== undefined && (
              <>
                <ExternalText text={first.client ?? "unknown client"} />,{" "}
              </>
            )}
            {localTime(first.time)}, {rows?.length}
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
      <ol
        {...LIST}
        className="relative max-w-4xl before:absolute before:start-2 before:top-2 before:bottom-4 before:w-px before:bg-line"
      >
        {sessionTurns(rows ?? []).map((turn) => (
          <TurnItem key={turn.call.id} turn={turn} query={list} />
        ))}
      </ol>
      {moreError !== undefined && <Failure error={moreError} onRetry={more} />}
      {hasMore && !isFull && moreError === undefined && (
        <Button onClick={more}>Show later calls</Button>
      )}
      {hasMore && isFull && (
        <p className="text-soft">
          There are more.{" "}
          <a className={LINK_CLASS} href={hashOf("activity", "", list)}>
            Show them as a list
          </a>
        </p>
      )}
      {filters["session"] === undefined && ids.length > 0 && (
        <p className="mt-3 text-xs text-soft wrap-anywhere">
          {ids.length === 1 ? "MCP session" : "MCP sessions"}:{" "}
          {ids.slice(0, MAX_IDS).map((id, at) => (
            <span key={id}>
              {at > 0 && ", "}
              <a className={`${LINK_CLASS} font-mono`} href={hashOf("sessions", id)}>
                <ExternalText text={sessionName(id)} />
              </a>
            </span>
          ))}
          {ids.length > MAX_IDS && ` and ${ids.length - MAX_IDS} more`}
        </p>
      )}
    </section>
  );
}

/** Maximum number of MCP sessions that are linked. */
const MAX_IDS = 20;
