import { type ReactElement, Suspense, useCallback, useEffect, useRef } from "react";
import type { FeedState } from "../api/feed.ts";
import type { GatewayApi } from "../api/gateway.ts";
import { ErrorBoundary } from "../page/error-boundary.tsx";
import { Failure } from "../page/failure.tsx";
import { lazily } from "../page/lazily.tsx";
import { Notice } from "../page/notice.tsx";
import { hashOf } from "../page/route.ts";
import { Shown } from "../page/shown.tsx";
import { ActivityTable, toFirst } from "./activity-table.tsx";
import { olderFilters, readFilters, writeFilters } from "./filter.ts";
import { FilterBar } from "./filter-bar.tsx";
import { MAX_KEPT } from "./list-state.ts";
import { type Activity, useActivity } from "./use-activity.ts";
import { useClose } from "./use-close.ts";
import "../style/gateway.css";
import "../style/activity.css";

// With it comes core, which finds places in schemas and payloads.
const RecordDrawer = lazily(() => import("./record-drawer.tsx"));

interface Props {
  readonly api: GatewayApi;
  /** Id of the record that is open. */
  readonly open: string | undefined;
  /** The address's parameters: filters, and `live`. */
  readonly query: string;
}

const FEED: Readonly<Record<FeedState, string>> = {
  connecting: "connecting …",
  live: "following",
  lost: "the connection broke; it is tried again",
};

function countText({ list }: Activity): string {
  if (list.phase === "loading") return "Asking for the records …";
  if (list.phase === "failed" && list.records.length === 0) return "";
  if (list.total === 0) return "No record matches.";
  return `${list.total.toLocaleString("en")} ${list.total === 1 ? "record" : "records"}`;
}

const isLiveIn = (query: string): boolean => new URLSearchParams(query).get("live") === "true";

function queryWith(filters: string, isLive: boolean): string {
  const live = isLive ? "live=true" : "";
  return [filters, live].filter((part) => part !== "").join("&");
}

/** What was recorded: filtered, followed live, and each record in detail. */
export default function ActivityPage({ api, open, query }: Props): ReactElement {
  const filters = readFilters(query);
  const scope = writeFilters(filters);
  const isLive = isLiveIn(query);
  const shown = queryWith(scope, isLive);
  const scroller = useRef<HTMLDivElement>(null);
  const holds = useCallback(() => (scroller.current?.scrollTop ?? 0) > 0, []);
  const activity = useActivity(api, scope, isLive, holds);
  const { list, feed, feedError, reload } = activity;
  const more = useRef(activity.more);
  useEffect(() => {
    more.current = activity.more;
  });
  const wantsFirst = useRef(false);
  const [first] = list.records;
  useEffect(() => {
    // Only once the new ones are in the list can it be scrolled to them.
    if (!wantsFirst.current || first === undefined) return;
    toFirst(scroller.current, first);
    wantsFirst.current = false;
  }, [first]);
  const onEnd = useCallback(() => more.current(), []);
  const go = (to: string): void => {
    location.hash = hashOf("activity", "", to);
  };
  const close = useClose(open, hashOf("activity", "", shown));
  return (
    <section className="activity" aria-label="Activity">
      <FilterBar filters={filters} onChange={(next) => go(queryWith(writeFilters(next), isLive))} />
      <div className="buttons">
        <label>
          <input
            type="checkbox"
            checked={isLive}
            onChange={(event) => go(queryWith(scope, event.target.checked))}
          />{" "}
          Follow live
        </label>
        <button type="button" onClick={reload}>
          Reload
        </button>
        <span role="status">
          {countText(activity)}
          {feed !== undefined && `, ${FEED[feed]}`}
          {list.held.length > 0 && `, ${list.held.length} new above`}
        </span>
        {list.held.length > 0 && (
          <button
            type="button"
            className="main"
            onClick={() => {
              wantsFirst.current = true;
              activity.release();
            }}
          >
            Show {list.held.length} new
          </button>
        )}
      </div>
      {feedError !== undefined && feedError !== list.error && (
        <Notice kind="warning">
          New records cannot be followed. <Shown text={feedError} />
        </Notice>
      )}
      {list.error !== undefined && <Failure error={list.error} onRetry={reload} />}
      {list.records.length > 0 && (
        <ActivityTable
          records={list.records}
          total={list.total}
          query={shown}
          scroller={scroller}
          onEnd={onEnd}
        />
      )}
      {list.isCut && (
        <p className="hint">
          The newest {MAX_KEPT.toLocaleString("en")} are listed.{" "}
          <a
            href={hashOf("activity", "", writeFilters(olderFilters(filters, list.records)))}
            onClick={(event) => {
              // The link is gone with the list. In another tab nothing of this one changes.
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
            <RecordDrawer
              api={api}
              id={open}
              query={shown}
              onClose={close}
              known={list.records.find(({ id }) => id === open)}
            />
          </Suspense>
        </ErrorBoundary>
      )}
    </section>
  );
}
