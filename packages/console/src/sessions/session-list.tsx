import type { Session } from "@touchstone/gateway/api";
import { MessagesSquare } from "lucide-react";
import { type ReactElement, useCallback, useMemo } from "react";
import { RowTime } from "../activity/columns.tsx";
import type { GatewayApi } from "../api/gateway.ts";
import { Failure } from "../page/failure.tsx";
import { PageHeader, ReloadButton } from "../page/header.tsx";
import { chooseTime } from "../page/kept-time.ts";
import { listParameters, readListAddress, readSearch } from "../page/list-address.ts";
import { ListBar, Uncounted } from "../page/list-bar.tsx";
import { Loading } from "../page/loading.tsx";
import { hashOf } from "../page/route.ts";
import { type SortedColumn, SortedTable } from "../page/sorted-table.tsx";
import { useListing } from "../page/use-listing.ts";
import { Button } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty.tsx";
import { ExternalText } from "../ui/external-text.tsx";
import { Outcomes } from "./outcomes.tsx";
import { lengthText, timelineHash } from "./session.ts";

const LIMIT = "50";
const SORTS = ["last", "calls", "blocked", "length"] as const;
type Sort = (typeof SORTS)[number];
/** Maximum number of servers that a row names. */
const MAX_SERVERS = 5;

/** Lists names, and counts those that are left out. */
function namesText(names: readonly string[]): string {
  const shown = names.slice(0, MAX_SERVERS).join(", ");
  return names.length > MAX_SERVERS ? `${shown} and ${names.length - MAX_SERVERS} more` : shown;
}

const COLUMNS: readonly SortedColumn<Session, Sort>[] = [
  {
    header: "Last call",
    width: "12.5rem",
    sort: "last",
    cell: ({ last }) => <RowTime time={last} />,
  },
  {
    header: "Caller",
    width: "minmax(6rem, 1.2fr)",
    cell: ({ caller }) =>
      caller === null ? (
        <span className="text-soft">no caller</span>
      ) : (
        <ExternalText text={caller} />
      ),
  },
  {
    header: "Client",
    width: "minmax(8.5rem, 1.2fr)",
    cell: ({ client }) =>
      client === null ? (
        <span className="text-soft">unknown client</span>
      ) : (
        <ExternalText text={client} />
      ),
  },
  {
    header: "Servers",
    width: "minmax(7rem, 2fr)",
    isBelow: true,
    cell: ({ servers }) =>
      servers.length === 0 ? null : <ExternalText text={namesText(servers)} />,
  },
  {
    header: "Calls",
    width: "4.5rem",
    sort: "calls",
    isNumber: true,
    cell: ({ calls }) => calls.toLocaleString("en"),
  },
  {
    header: "Length",
    width: "7rem",
    sort: "length",
    isNumber: true,
    cell: ({ first, last, may_begin_earlier }) => {
      const length = lengthText(Date.parse(last) - Date.parse(first));
      return may_begin_earlier ? `${length} or more` : length;
    },
  },
  {
    header: "Went wrong",
    width: "minmax(10rem, 1.6fr)",
    sort: "blocked",
    isBelow: true,
    cell: (session) => <Outcomes counts={session} />,
  },
];

/** Lists the sessions of agents: the calls of one caller with one client, on all servers. */
export function SessionList({
  api,
  query,
}: {
  readonly api: GatewayApi;
  readonly query: string;
}): ReactElement {
  const address = useMemo(() => readListAddress(query, SORTS), [query]);
  const { q, range, sorting } = address;
  const load = useCallback(
    async (cursor: string | undefined, signal: AbortSignal) => {
      const { named, q: text } = readSearch(q, ["caller", "client", "server"]);
      const { by: sort, order } = sorting;
      const asked = {
        ...named,
        q: text,
        since: range.since || undefined,
        until: range.until || undefined,
        sort,
        order,
      };
      const page = await api.get("listSessions", { ...asked, limit: LIMIT, cursor }, signal);
      return { rows: page.sessions, next: page.next_cursor, page };
    },
    [api, q, range, sorting],
  );
  const { rows, first, error, moreError, hasMore, reload, more } = useListing(load);
  const go = (next: Partial<typeof address>): void => {
    location.hash = hashOf("sessions", "", listParameters({ ...address, ...next }, SORTS));
  };
  const total = first?.page.total ?? 0;
  const isFiltered = q !== "" || range.since !== "" || range.until !== "";
  return (
    <section aria-label="Sessions">
      <PageHeader
        title="Sessions"
        hint="The calls of one caller with one client, on all servers. A session ends after 30 minutes without a call. Without callers, everyone who uses the same client counts as one."
        actions={<ReloadButton onClick={reload} />}
      />
      <ListBar
        placeholder="Filter by any name, or caller:alice client:claude-code/2.1 server:files"
        q={q}
        range={range}
        onSearch={(next) => go({ q: next })}
        onTime={(next) => chooseTime("sessions", query, next)}
      />
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      {rows === undefined && error === undefined && <Loading what="sessions" />}
      {first !== undefined && (
        <>
          <Uncounted from={first.page.counted_from} uncounted={first.page.uncounted} />
          <p role="status" className="mb-2 text-soft">
            {rows?.length !== 0 &&
              `${total.toLocaleString("en")} ${total === 1 ? "session" : "sessions"}`}
          </p>
        </>
      )}
      {rows?.length === 0 && (
        <EmptyState
          icon={MessagesSquare}
          title={isFiltered ? "No session matches." : "No sessions yet."}
        >
          <p className="text-soft">
            {isFiltered
              ? "Remove the filter, or choose a longer time."
              : "A session appears here after its first call."}
          </p>
        </EmptyState>
      )}
      {rows !== undefined && rows.length > 0 && (
        <SortedTable
          label="Sessions"
          rows={rows}
          columns={COLUMNS}
          sorting={sorting}
          onSort={(next) => go({ sorting: next })}
          hrefOf={timelineHash}
        />
      )}
      {moreError !== undefined && <Failure error={moreError} onRetry={more} />}
      {hasMore && moreError === undefined && (
        <Button className="mt-3" onClick={more}>
          Show more sessions
        </Button>
      )}
    </section>
  );
}
