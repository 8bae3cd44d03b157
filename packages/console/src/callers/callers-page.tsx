import type { CallerRow, ShownCaller } from "@touchstone/gateway/api";
import { Users } from "lucide-react";
import { type ReactElement, useCallback, useMemo } from "react";
import { RowTime } from "../activity/columns.tsx";
import { writeFilters } from "../activity/filter.ts";
import { Failure } from "../page/failure.tsx";
import { PageHeader, ReloadButton } from "../page/header.tsx";
import { chooseTime } from "../page/kept-time.ts";
import { listParameters, readListAddress } from "../page/list-address.ts";
import { ListBar, Uncounted } from "../page/list-bar.tsx";
import { Loading } from "../page/loading.tsx";
import type { PageProps } from "../page/page-props.ts";
import { hashOf } from "../page/route.ts";
import { type SortedColumn, SortedTable } from "../page/sorted-table.tsx";
import { useListing } from "../page/use-listing.ts";
import { useLoaded } from "../page/use-loaded.ts";
import { Outcomes } from "../sessions/outcomes.tsx";
import { agentFilters } from "../sessions/session.ts";
import { type TimeRange, withTime } from "../time/range.ts";
import { Button } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty.tsx";
import { ExternalText } from "../ui/external-text.tsx";
import { limitsText, percentText } from "./callers.ts";

const LIMIT = "50";
const SORTS = ["last", "calls", "blocked", "limited", "tools"] as const;
type Sort = (typeof SORTS)[number];
/** Maximum number of tools that a row names. */
const MAX_TOOLS = 3;

function columnsOf(
  known: ReadonlyMap<string, ShownCaller>,
): readonly SortedColumn<CallerRow, Sort>[] {
  return [
    {
      header: "Caller",
      width: "minmax(9rem, 1.6fr)",
      cell: ({ caller, clients }) =>
        caller === null ? (
          <>
            <span className="text-soft">no caller: </span>
            <ExternalText text={clients[0] ?? "unknown client"} />
          </>
        ) : (
          <span className="font-medium">
            <ExternalText text={caller} />
          </span>
        ),
    },
    {
      header: "Last seen",
      width: "12.5rem",
      sort: "last",
      cell: ({ last }) => <RowTime time={last} />,
    },
    {
      header: "Calls",
      width: "4.5rem",
      sort: "calls",
      isNumber: true,
      cell: ({ calls }) => calls.toLocaleString("en"),
    },
    {
      header: "Blocked",
      width: "7rem",
      sort: "blocked",
      isNumber: true,
      cell: ({ blocked, calls }) =>
        blocked === 0 ? null : `${blocked.toLocaleString("en")} (${percentText(blocked, calls)})`,
    },
    {
      header: "Limits used",
      width: "minmax(9rem, 1.2fr)",
      sort: "limited",
      isBelow: true,
      cell: (row) => <ExternalText text={limitsText(row, known)} />,
    },
    {
      header: "Tools",
      width: "minmax(9rem, 2fr)",
      sort: "tools",
      isBelow: true,
      cell: ({ tools, tool_count }) => (
        <ExternalText
          text={`${tool_count.toLocaleString("en")}: ${tools
            .slice(0, MAX_TOOLS)
            .map(({ server, tool }) => [server, tool].filter((part) => part !== null).join("/"))
            .join(", ")}${tool_count > MAX_TOOLS ? ", …" : ""}`}
        />
      ),
    },
    {
      header: "Went wrong",
      width: "minmax(9rem, 1.4fr)",
      isBelow: true,
      // Blocked calls have a separate column.
      cell: (row) => <Outcomes counts={{ ...row, blocked: 0 }} />,
    },
  ];
}

/** Returns the address of the calls of a caller. */
function activityHash({ caller, clients }: CallerRow, range: TimeRange): string {
  const of = caller === null ? agentFilters({ caller, client: clients[0] ?? null }) : { caller };
  return hashOf("activity", "", withTime(writeFilters(of), range));
}

/** Lists the callers: how many calls, how many were blocked, which limits they use, and which tools. */
export default function CallersPage({ api, query }: PageProps): ReactElement {
  const address = useMemo(() => readListAddress(query, SORTS), [query]);
  const { q, range, sorting } = address;
  const load = useCallback(
    async (cursor: string | undefined, signal: AbortSignal) => {
      const { by: sort, order } = sorting;
      const asked = {
        q: q || undefined,
        since: range.since || undefined,
        until: range.until || undefined,
        sort,
        order,
      };
      const page = await api.get("listCallers", { ...asked, limit: LIMIT, cursor }, signal);
      return { rows: page.callers, next: page.next_cursor, page };
    },
    [api, q, range, sorting],
  );
  const { rows, first, error, moreError, hasMore, reload, more } = useListing(load);
  const askSettings = useCallback(
    (signal: AbortSignal) => api.get("getSettings", {}, signal),
    [api],
  );
  const [{ value: settings }] = useLoaded(askSettings, undefined, ["settings"]);
  const columns = useMemo(
    () => columnsOf(new Map(settings?.auth.callers.map((each) => [each.name, each]))),
    [settings],
  );
  const go = (next: Partial<typeof address>): void => {
    location.hash = hashOf("callers", "", listParameters({ ...address, ...next }, SORTS));
  };
  const total = first?.page.total ?? 0;
  const isFiltered = q !== "" || range.since !== "" || range.until !== "";
  return (
    <section aria-label="Callers">
      <PageHeader
        title="Callers"
        hint="Who called, by the name of a key, a token, or --caller. Calls without a name are listed by client."
        actions={<ReloadButton onClick={reload} />}
      />
      <ListBar
        placeholder="Filter by caller, client, server or tool"
        q={q}
        range={range}
        onSearch={(next) => go({ q: next })}
        onTime={(next) => chooseTime("callers", query, next)}
      />
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      {rows === undefined && error === undefined && <Loading what="callers" />}
      {first !== undefined && (
        <>
          <Uncounted from={first.page.counted_from} uncounted={first.page.uncounted} />
          <p role="status" className="mb-2 text-soft">
            {rows?.length !== 0 &&
              `${total.toLocaleString("en")} ${total === 1 ? "entry" : "entries"}`}
          </p>
        </>
      )}
      {rows?.length === 0 && (
        <EmptyState
          icon={Users}
          title={isFiltered ? "No caller matches." : "Nobody has called yet."}
        >
          <p className="text-soft">
            {isFiltered
              ? "Remove the filter, or choose a longer time."
              : "Give callers a name with keys in auth.keys, access tokens, or --caller."}
          </p>
        </EmptyState>
      )}
      {rows !== undefined && rows.length > 0 && (
        <SortedTable
          label="Callers"
          rows={rows}
          columns={columns}
          sorting={sorting}
          onSort={(next) => go({ sorting: next })}
          hrefOf={(row) => activityHash(row, range)}
        />
      )}
      {rows !== undefined && rows.length > 0 && (
        <p className="mt-2 text-soft">
          Limits used shows the calls of the last minute, from the records. Each gateway counts only
          its own calls against the limit.
        </p>
      )}
      {moreError !== undefined && <Failure error={moreError} onRetry={more} />}
      {hasMore && moreError === undefined && (
        <Button className="mt-3" onClick={more}>
          Show more callers
        </Button>
      )}
    </section>
  );
}
