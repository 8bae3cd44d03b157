import { SearchX, Waypoints } from "lucide-react";
import { type ReactElement, Suspense, useCallback, useEffect, useRef, useState } from "react";
import type { FeedState } from "../api/feed.ts";
import { ErrorBoundary } from "../page/error-boundary.tsx";
import { Failure } from "../page/failure.tsx";
import { PageHeader, ReloadButton } from "../page/header.tsx";
import { chooseTime } from "../page/kept-time.ts";
import { lazyPart } from "../page/lazy-part.tsx";
import { Notice } from "../page/notice.tsx";
import type { PageProps } from "../page/page-props.ts";
import { hashOf } from "../page/route.ts";
import { TimeControl } from "../page/time-control.tsx";
import { between, readTime, type TimeRange } from "../time/range.ts";
import { Button, LINK_CLASS } from "../ui/button.tsx";
import { cx } from "../ui/classes.ts";
import { EmptyState } from "../ui/empty.tsx";
import { ExternalText } from "../ui/external-text.tsx";
import { Toggle } from "../ui/field.tsx";
import { ActivityTable, scrollToNewest } from "./activity-table.tsx";
import { CallsOverTime } from "./calls-over-time.tsx";
import { ExportMenu } from "./export-menu.tsx";
import {
  type ActivityView,
  FILTERS,
  type Filters,
  olderFilters,
  readFilters,
  withValue,
  writeFilters,
  writeView,
} from "./filter.ts";
import { FilterBar } from "./filter-bar.tsx";
import { MAX_KEPT, type Searched } from "./list-state.ts";
import { type Rows, useRows } from "./rows.ts";
import { SavedViews } from "./saved-views.tsx";
import { useClose } from "./use-close.ts";

// Loaded lazily: it brings in core, which locates places in schemas and payloads.
const CallSheet = lazyPart(() => import("./call-sheet.tsx"));

const FEED: Readonly<Record<FeedState, string>> = {
  connecting: "connecting…",
  live: "following",
  lost: "the connection broke, trying again",
};
const NOUNS: Readonly<Record<ActivityView, readonly [one: string, many: string]>> = {
  calls: ["call", "calls"],
  records: ["record", "records"],
};

/** Returns how much of the calls was searched. A search that stopped has not examined all of them. */
function searchedText({ calls, of, indexed }: Searched): string {
  const [some, all] = [calls, of].map((count) => count.toLocaleString("en"));
  return `searched the newest ${some} of ${all} calls${indexed ? "" : ", without a search index"}`;
}

function countText(view: ActivityView, { list }: Rows): string {
  const [one, many] = NOUNS[view];
  const { phase, rows, total, next, searched } = list;
  if (phase === "loading") return `Loading ${many}…`;
  if (phase === "failed" && rows.length === 0) return "";
  if (searched !== undefined && next !== undefined) {
    const found = rows.length === 0 ? "No match yet" : `${rows.length} found so far`;
    return `${found}: ${searchedText(searched)}.`;
  }
  if (rows.length === 0) return `No ${one} matches.`;
  if (total === null && next !== undefined) return `More than ${rows.length} ${many}`;
  const count = total ?? rows.length;
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

/** The parts of the address other than the filters. */
interface Look {
  readonly view: ActivityView;
  readonly isLive: boolean;
}

function readLook(query: string): Look {
  const given = new URLSearchParams(query);
  // Only records have a type.
  const isRecords = given.get("view") === "records" || given.has("type");
  return { view: isRecords ? "records" : "calls", isLive: given.get("live") === "true" };
}

function queryWith(filters: Filters, { view, isLive }: Look): string {
  return [writeView(view, filters), isLive ? "live=true" : ""]
    .filter((part) => part !== "")
    .join("&");
}

/** Switches between calls and the records they consist of. */
function ViewChoice({
  view,
  onChange,
}: {
  readonly view: ActivityView;
  readonly onChange: (view: ActivityView) => void;
}): ReactElement {
  return (
    <fieldset className="flex rounded-md border border-edge bg-raised p-0.5">
      <legend className="sr-only">List</legend>
      {(["calls", "records"] as const).map((each) => (
        <label
          key={each}
          className={cx(
            "flex h-6.5 items-center rounded px-2.5 font-medium text-soft hover:text-text has-[:focus-visible]:outline-2 has-[:focus-visible]:outline-accent max-lg:h-8",
            each === view && "bg-accent-soft text-accent",
          )}
        >
          <input
            type="radio"
            name="view"
            className="sr-only"
            checked={each === view}
            onChange={() => onChange(each)}
          />
          {each === "calls" ? "Calls" : "Records"}
        </label>
      ))}
    </fieldset>
  );
}

function Empty({
  view,
  isFiltered,
}: {
  readonly view: ActivityView;
  readonly isFiltered: boolean;
}) {
  if (isFiltered) {
    return (
      <EmptyState icon={SearchX} title={`No ${NOUNS[view][0]} matches.`}>
        <p className="text-soft">Remove a filter, or choose a longer time.</p>
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={Waypoints} title={`No ${NOUNS[view][0]} yet.`}>
      <p className="text-soft">
        Calls appear here as soon as a client sends them.{" "}
        <a className={LINK_CLASS} href={hashOf("servers")}>
          Connect a client to a server
        </a>{" "}
        or{" "}
        <a className={LINK_CLASS} href={hashOf("tools")}>
          try a tool yourself
        </a>
        .
      </p>
    </EmptyState>
  );
}

/** Shows past calls: filters them, follows new ones live, and opens each in detail. */
export default function ActivityPage({ api, open, query }: PageProps): ReactElement {
  const filters = readFilters(query);
  const scope = writeFilters(filters);
  const look = readLook(query);
  const { view, isLive } = look;
  const shown = queryWith(filters, look);
  const scroller = useRef<HTMLDivElement>(null);
  const holds = useCallback(() => (scroller.current?.scrollTop ?? 0) > 0, []);
  const activity = useRows(api, view, scope, isLive, holds);
  const { list, feed, feedError, reload } = activity;
  const more = useRef(activity.more);
  const latest = useRef({ filters, look });
  useEffect(() => {
    more.current = activity.more;
    latest.current = { filters, look };
  });
  const wantsFirst = useRef(false);
  const [first] = list.rows;
  useEffect(() => {
    // Scroll only once the new rows are in the list.
    if (!wantsFirst.current || first === undefined) return;
    scrollToNewest(scroller.current, first);
    wantsFirst.current = false;
  }, [first]);
  const onEnd = useCallback(() => more.current(), []);
  const go = (to: Filters, next: Partial<Look> = {}): void => {
    location.hash = hashOf("activity", "", queryWith(to, { ...look, ...next }));
  };
  const onFilter = useCallback((name: string, value: string) => {
    const part = FILTERS.find((each) => each.name === name);
    if (part === undefined) return;
    const { filters: held, look: now } = latest.current;
    // The cell disappears with its list, and the focus would be lost with it.
    wantsFirst.current = true;
    // The clicked value replaces the old filter instead of adding to it.
    const { [name]: _held, ...rest } = held;
    location.hash = hashOf("activity", "", queryWith(withValue(rest, part, value), now));
  }, []);
  const close = useClose(open, hashOf("activity", "", shown));
  const [fitted, setFitted] = useState<TimeRange>();
  const choose = (range: TimeRange): void => chooseTime("activity", shown, range);
  return (
    <section aria-label="Activity">
      <PageHeader
        title="Activity"
        actions={
          <>
            <Toggle checked={isLive} onChange={(checked) => go(filters, { isLive: checked })}>
              Follow live
            </Toggle>
            <ReloadButton onClick={reload} />
            <SavedViews {...{ api, view, filters }} />
            <ExportMenu {...{ api, view, filters }} />
          </>
        }
      />
      <search aria-label="Filters" className="mb-3 flex flex-wrap items-center gap-2">
        <ViewChoice
          view={view}
          onChange={(next) => {
            const { type: _type, ...rest } = filters;
            go(rest, { view: next });
          }}
        />
        <FilterBar api={api} view={view} filters={filters} onChange={(next) => go(next)} />
        <TimeControl range={readTime(scope)} fitted={fitted} onChange={choose} />
      </search>
      {view === "calls" && (
        <CallsOverTime
          api={api}
          query={scope}
          isLive={isLive}
          onZoom={(from, to) => choose(between(from, to))}
          onFitted={setFitted}
        />
      )}
      <div className="mb-2 flex min-h-8 flex-wrap items-center gap-2 text-soft">
        <span role="status">
          {countText(view, activity)}
          {feed !== undefined && `, ${FEED[feed]}`}
          {list.held.length > 0 && `, ${list.held.length} new above`}
        </span>
        {list.held.length > 0 && (
          <Button
            variant="primary"
            size="sm"
            onClick={() => {
              wantsFirst.current = true;
              activity.release();
            }}
          >
            Show {list.held.length} new
          </Button>
        )}
      </div>
      {feedError !== undefined && feedError !== list.error && (
        <Notice kind="warning">
          <p>
            New records cannot be shown live. <ExternalText text={feedError} />
          </p>
        </Notice>
      )}
      {list.error !== undefined && <Failure error={list.error} onRetry={reload} />}
      {list.searched !== undefined && list.next !== undefined && (
        <Button className="mb-2" onClick={activity.more}>
          Search older calls
        </Button>
      )}
      {list.phase === "ready" && list.rows.length === 0 && list.next === undefined && (
        <Empty view={view} isFiltered={scope !== ""} />
      )}
      {list.rows.length > 0 && (
        <ActivityTable
          view={view}
          rows={list.rows}
          total={list.total}
          query={shown}
          scroller={scroller}
          onEnd={onEnd}
          onFilter={onFilter}
        />
      )}
      {list.isCut && (
        <p className="mt-2 text-soft">
          The newest {MAX_KEPT.toLocaleString("en")} are listed.{" "}
          <a
            className={LINK_CLASS}
            href={hashOf("activity", "", queryWith(olderFilters(filters, list.rows), look))}
            onClick={(event) => {
              // The click removes the link along with the list. Opening a new tab changes nothing here.
              wantsFirst.current = !(event.ctrlKey || event.metaKey || event.shiftKey);
            }}
          >
            Show older ones
          </a>
        </p>
      )}
      {open !== undefined && (
        <ErrorBoundary
          key={open}
          fallback={<Notice kind="bad">This record cannot be shown.</Notice>}
        >
          <Suspense fallback={null}>
            <CallSheet
              api={api}
              id={open}
              query={shown}
              onClose={close}
              known={list.rows.find(({ id }) => id === open)}
            />
          </Suspense>
        </ErrorBoundary>
      )}
    </section>
  );
}
