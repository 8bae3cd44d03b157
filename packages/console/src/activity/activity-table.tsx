import { useTable } from "@tanstack/react-table";
import { defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type ReactElement, type RefObject, useEffect, useState } from "react";
import { hashOf } from "../page/route.ts";
import { When } from "../page/when.tsx";
import { columns, features } from "./columns.tsx";
import type { ActivityRecord } from "./record.ts";

interface Props {
  readonly records: readonly ActivityRecord[];
  readonly total: number;
  /** The filters, that stay when a record is opened. */
  readonly query: string;
  readonly scroller: RefObject<HTMLDivElement | null>;
  /** The end of what is there has come into sight. */
  readonly onEnd: () => void;
}

// Elements of a table lose what they mean in some browsers where they are laid out in another way.
const tableOf = (rows: number) =>
  ({ role: "table", "aria-label": "Records", "aria-rowcount": rows }) as const;
const rowAt = (index: number) => ({ role: "row", "aria-rowindex": index }) as const;
const GROUP = { role: "rowgroup" } as const;
const HEADER = { role: "columnheader" } as const;
const CELL = { role: "cell" } as const;

/** What is measured where rows are drawn; before that, about what it is. */
const ROW_HEIGHT = 32;
/** Of the box that scrolls, in CSS pixels. */
const BORDERS = 2;
/** Rows that one press of Page Up or Page Down goes past. */
const PAGE = 10;

const linkId = (record: ActivityRecord): string => `record-${record.id}`;

function stepOf(key: string, at: number, last: number): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    PageDown: at + PAGE,
    PageUp: at - PAGE,
    Home: 0,
    End: last,
  };
  const step = Object.hasOwn(steps, key) ? steps[key] : undefined;
  return step === undefined ? undefined : Math.max(0, Math.min(last, step));
}

/**
 * The records in rows, of which only those in sight are drawn. One of them can be reached with Tab; the
 * arrows, Page Up, Page Down, Home and End go from one to another.
 */
export function ActivityTable({ records, total, query, scroller, onEnd }: Props): ReactElement {
  const table = useTable({ features, columns, data: records, getRowId: ({ id }) => id });
  const { rows } = table.getRowModel();
  const [active, setActive] = useState<string>();
  const found = rows.findIndex(({ id }) => id === active);
  const at = Math.max(0, found);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: 10,
    // The row that has the focus stays, or the focus would be lost when it is scrolled away.
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
    const step = stepOf(event.key, at, rows.length - 1);
    const next = step === undefined ? undefined : rows[step];
    if (step === undefined || next === undefined) return;
    event.preventDefault();
    setActive(next.id);
    virtual.scrollToIndex(step, { align: "auto" });
    focusSoon(linkId(next.original));
  };
  const height = virtual.getTotalSize();
  const [headers] = table.getHeaderGroups();
  return (
    <div className="activity-table" {...tableOf(total + 1)}>
      <div {...GROUP} className="head">
        <div {...rowAt(1)} className="line">
          <span {...HEADER}>Time</span>
          {headers?.headers.map((header) => (
            <span {...HEADER} key={header.id}>
              <table.FlexRender header={header} />
            </span>
          ))}
        </div>
      </div>
      <div ref={scroller} className="scroller" style={{ height: height + BORDERS }}>
        <div {...GROUP} className="rows" style={{ height }}>
          {items.map(({ index, key, start }) => {
            const row = rows[index];
            if (row === undefined) return null;
            const record = row.original;
            return (
              <div
                key={key}
                ref={virtual.measureElement}
                data-index={index}
                {...rowAt(index + 2)}
                className="line"
                style={{ transform: `translateY(${start}px)` }}
              >
                <span {...CELL} className="time">
                  <a
                    id={linkId(record)}
                    href={hashOf("activity", record.id, query)}
                    tabIndex={index === at ? 0 : -1}
                    onFocus={() => setActive(record.id)}
                    onKeyDown={onKeyDown}
                  >
                    <When time={record.time} />
                  </a>
                </span>
                {row.getAllCells().map((cell) => (
                  <span {...CELL} key={cell.id} className={cell.column.id}>
                    <table.FlexRender cell={cell} />
                  </span>
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** Goes back to the newest record, once it is drawn. */
export function toFirst(scroller: HTMLElement | null, first: ActivityRecord | undefined): void {
  scroller?.scrollTo({ top: 0 });
  if (first !== undefined) focusSoon(linkId(first));
}

/** Gives an element the focus once it is drawn; gives up where it is not within some frames. */
function focusSoon(id: string, frames = 20): void {
  const element = document.getElementById(id);
  if (element !== null) element.focus({ preventScroll: true });
  else if (frames > 0) requestAnimationFrame(() => focusSoon(id, frames - 1));
}
