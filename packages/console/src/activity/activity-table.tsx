import { defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual";
import {
  type KeyboardEvent,
  memo,
  type ReactElement,
  type RefObject,
  useEffect,
  useMemo,
  useState,
} from "react";
import { hashOf } from "../page/route.ts";
import { visible } from "../text/visible.ts";
import { cx } from "../ui/classes.ts";
import { LIST, ROW } from "../ui/list-keys.ts";
import { type Column, columnsOf, type FilterWithValue, RowTime } from "./columns.tsx";
import type { ActivityView } from "./filter.ts";
import type { ActivityRow } from "./rows.ts";

interface Props {
  readonly view: ActivityView;
  readonly rows: readonly ActivityRow[];
  readonly total: number | null;
  /** The filters, kept when a row is opened. */
  readonly query: string;
  readonly scroller: RefObject<HTMLDivElement | null>;
  /** Called when the end of the loaded rows comes into view. */
  readonly onEnd: () => void;
  /** Called when a cell is clicked whose value should filter the list. */
  readonly onFilter: (filter: string, value: string) => void;
}

// In some browsers, table elements lose their semantics if their layout is changed.
const tableOf = (name: string, rows: number) =>
  ({ role: "table", "aria-label": name, "aria-rowcount": rows }) as const;
const rowAt = (index: number) => ({ role: "row", "aria-rowindex": index }) as const;
const GROUP = { role: "rowgroup" } as const;
const HEADER = { role: "columnheader" } as const;
const CELL = { role: "cell" } as const;

/** Estimated height, until rows are drawn and can be measured. */
const ROW_HEIGHT = 33;
/** Borders of the scroll container, in CSS pixels. */
const BORDERS = 2;
/** Rows that Page Up and Page Down move by. */
const PAGE = 10;
const TIME_WIDTH = "12.5rem";

const LINE =
  "items-center gap-x-3 gap-y-1 px-3 py-1.5 @4xl:grid @4xl:grid-cols-(--columns) @max-4xl:flex @max-4xl:flex-wrap";

/** The id of the link that opens a row. */
export const linkId = ({ id }: Pick<ActivityRow, "id">): string => `record-${id}`;

function stepOf(key: string, at: number, last: number): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    j: at + 1,
    ArrowUp: at - 1,
    k: at - 1,
    PageDown: at + PAGE,
    PageUp: at - PAGE,
    Home: 0,
    End: last,
  };
  const step = Object.hasOwn(steps, key) ? steps[key] : undefined;
  return step === undefined ? undefined : Math.max(0, Math.min(last, step));
}

function filterOf(row: ActivityRow, { filter }: Column): FilterWithValue | null {
  if (typeof filter === "function") return filter(row);
  const value: unknown = filter === undefined ? undefined : Reflect.get(row, filter);
  return filter !== undefined && typeof value === "string" ? [filter, value] : null;
}

interface RowProps extends Pick<Props, "query" | "onFilter"> {
  readonly row: ActivityRow;
  readonly columns: readonly Column[];
  readonly isActive: boolean;
  readonly onActive: (id: string) => void;
}

const Cells = memo(function Cells(props: RowProps): ReactElement {
  const { row, columns, query, isActive, onActive, onFilter } = props;
  const tabIndex = isActive ? 0 : -1;
  return (
    <>
      <span
        {...CELL}
        className="whitespace-nowrap @max-4xl:order-last @max-4xl:ms-auto @max-4xl:text-xs"
      >
        <a
          {...ROW}
          id={linkId(row)}
          href={hashOf("activity", row.id, query)}
          tabIndex={tabIndex}
          onFocus={() => onActive(row.id)}
          // A click anywhere on the row follows its link.
          className="outline-none after:absolute after:inset-0 focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
        >
          <RowTime time={row.time} />
        </a>
      </span>
      {columns.map((column) => {
        const { id, cell, small, isNumber } = column;
        const filter = filterOf(row, column);
        const shown = cell(row);
        return (
          <span
            {...CELL}
            key={id}
            className={cx(
              "min-w-0 @4xl:truncate",
              id,
              isNumber && "text-end tabular-nums",
              small === undefined && "@max-4xl:hidden",
              small === "below" && "text-soft @max-4xl:order-last @max-4xl:basis-full",
              shown === null && "@max-4xl:hidden",
            )}
          >
            {filter === null ? (
              shown
            ) : (
              <button
                type="button"
                tabIndex={tabIndex}
                title={visible(`Show only ${filter[0]} ${filter[1]}`)}
                className="relative z-1 max-w-full rounded @4xl:truncate text-start decoration-dotted underline-offset-4 hover:underline"
                onClick={() => onFilter(...filter)}
              >
                {shown}
              </button>
            )}
          </span>
        );
      })}
    </>
  );
});

/**
 * Renders only the rows in view. One row can be reached with Tab; the arrows, j and k, Page Up, Page Down, Home and
 * End move between rows.
 */
export function ActivityTable(props: Props): ReactElement {
  const { view, rows, total, query, scroller, onEnd, onFilter } = props;
  const columns = useMemo(() => columnsOf(view, rows), [view, rows]);
  const [active, setActive] = useState<string>();
  const found = rows.findIndex(({ id }) => id === active);
  const at = Math.max(0, found);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: 10,
    // Keep the focused row, or scrolling it out of view would lose the focus.
    rangeExtractor: (range) => {
      const shown = defaultRangeExtractor(range);
      if (rows.length === 0 || shown.includes(at)) return shown;
      return [...shown, at].sort((a, b) => a - b);
    },
  });
  const items = virtual.getVirtualItems();
  const lastShown = Math.max(
    -1,
    ...items.map(({ index }) => index).filter((index) => index !== at),
  );
  const isNearEnd = rows.length > 0 && lastShown >= rows.length - 20;
  useEffect(() => {
    if (isNearEnd) onEnd();
  }, [isNearEnd, onEnd]);

  const onKeyDown = (event: KeyboardEvent): void => {
    if (!(event.target instanceof HTMLAnchorElement) || event.ctrlKey || event.metaKey) return;
    const step = stepOf(event.key, at, rows.length - 1);
    const next = step === undefined ? undefined : rows[step];
    if (step === undefined || next === undefined) return;
    event.preventDefault();
    setActive(next.id);
    virtual.scrollToIndex(step, { align: "auto" });
    focusSoon(linkId(next));
  };
  const height = virtual.getTotalSize();
  const grid = { "--columns": [TIME_WIDTH, ...columns.map(({ width }) => width)].join(" ") };
  const name = view === "calls" ? "Calls" : "Records";
  const count = total === null ? -1 : total + 1;
  return (
    <div
      {...tableOf(name, count)}
      className="@container overflow-hidden rounded-lg border border-line bg-surface"
      style={grid as object}
    >
      <div {...GROUP} className="@max-4xl:sr-only">
        <div
          {...rowAt(1)}
          className={cx(LINE, "border-b border-line text-xs font-medium text-soft")}
        >
          <span {...HEADER}>Time</span>
          {columns.map(({ id, header, isNumber }) => (
            <span {...HEADER} key={id} className={isNumber && "text-end"}>
              {header}
            </span>
          ))}
        </div>
      </div>
      <div
        ref={scroller}
        className="scroller max-h-[max(20rem,calc(100dvh-19rem))] overflow-auto contain-strict scroll-thin"
        style={{ height: height + BORDERS }}
      >
        {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the links in it */}
        <div
          {...GROUP}
          {...LIST}
          className="rows relative"
          style={{ height }}
          onKeyDown={onKeyDown}
        >
          {items.map(({ index, key, start }) => {
            const row = rows[index];
            if (row === undefined) return null;
            return (
              <div
                key={key}
                ref={virtual.measureElement}
                data-index={index}
                {...rowAt(index + 2)}
                className={cx(
                  LINE,
                  "absolute inset-x-0 top-0 border-b border-line hover:bg-hover focus-within:bg-hover",
                )}
                style={{ transform: `translateY(${start}px)` }}
              >
                <Cells
                  {...{ row, columns, query, onFilter }}
                  isActive={index === at}
                  onActive={setActive}
                />
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** Scrolls back to the newest row, once it is drawn. */
export function scrollToNewest(scroller: HTMLElement | null, first: ActivityRow | undefined): void {
  scroller?.scrollTo({ top: 0 });
  if (first !== undefined) focusSoon(linkId(first));
}

/** Focuses an element once it is drawn; gives up after a few frames. */
function focusSoon(id: string, frames = 20): void {
  const element = document.getElementById(id);
  if (element !== null) element.focus({ preventScroll: true });
  else if (frames > 0) requestAnimationFrame(() => focusSoon(id, frames - 1));
}
