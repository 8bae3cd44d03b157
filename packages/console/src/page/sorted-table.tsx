import { ArrowDown, ArrowUp } from "lucide-react";
import type { ReactElement } from "react";
import { cx } from "../ui/classes.ts";
import { LIST, ROW, useOpenedRow } from "../ui/list-keys.ts";

/** A column of a list. The first one has the link that opens the row. */
export interface SortedColumn<Row, Sort extends string> {
  readonly header: string;
  /** Its width, in the syntax of `grid-template-columns`. */
  readonly width: string;
  readonly cell: (row: Row) => ReactElement | string | null;
  /** The value that the list is sorted by, if sorted by this column. */
  readonly sort?: Sort;
  readonly isNumber?: true;
  /** On small screens: on a separate line. Default: on the first line. */
  readonly isBelow?: true;
}

/** How a list is sorted. */
export interface Sorting<Sort extends string> {
  readonly by: Sort;
  readonly order: "asc" | "desc";
}

interface Props<Row, Sort extends string> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly SortedColumn<Row, Sort>[];
  readonly sorting: Sorting<Sort>;
  readonly onSort: (sorting: Sorting<Sort>) => void;
  readonly hrefOf: (row: Row) => string;
}

const LINE =
  "items-center gap-x-3 gap-y-1 px-3 @4xl:gap-x-4 py-1.5 @4xl:grid @4xl:grid-cols-(--columns) @max-4xl:flex @max-4xl:flex-wrap";

// In some browsers, table elements lose their semantics if their layout is changed.
const PART = {
  table: (name: string) => ({ role: "table", "aria-label": name }) as const,
  rows: { role: "rowgroup" },
  row: { role: "row" },
  head: (order: "ascending" | "descending" | undefined) =>
    ({ role: "columnheader", "aria-sort": order }) as const,
  cell: { role: "cell" },
} as const;

/**
 * A list with column heads that sort it. Keys move in it (`list-keys.ts`); back from a row, the focus is on that row.
 */
export function SortedTable<Row, Sort extends string>(props: Props<Row, Sort>): ReactElement {
  const { label, rows, columns, sorting, onSort, hrefOf } = props;
  const table = useOpenedRow<HTMLDivElement>();
  const grid = { "--columns": columns.map(({ width }) => width).join(" ") };
  return (
    <div
      ref={table}
      {...PART.table(label)}
      className="@container overflow-hidden rounded-lg border border-line bg-surface"
      style={grid as object}
    >
      <div {...PART.rows} className="@max-4xl:border-b @max-4xl:border-line">
        <div
          {...PART.row}
          className={cx(LINE, "text-xs font-medium text-soft @4xl:border-b @4xl:border-line")}
        >
          {columns.map(({ header, sort, isNumber }) => (
            <ColumnHead key={header} {...{ header, sort, isNumber, sorting, onSort }} />
          ))}
        </div>
      </div>
      <div {...PART.rows} {...LIST}>
        {rows.map((row) => {
          const href = hrefOf(row);
          return (
            <div
              key={href}
              {...PART.row}
              className={cx(
                LINE,
                "relative border-b border-line last:border-b-0 hover:bg-hover focus-within:bg-hover",
              )}
            >
              {columns.map(({ header, cell, isNumber, isBelow }, at) => {
                const shown = cell(row);
                return (
                  <span
                    {...PART.cell}
                    key={header}
                    className={cx(
                      "min-w-0 wrap-anywhere",
                      isNumber && "tabular-nums @4xl:text-end",
                      isBelow && "@max-4xl:order-last @max-4xl:basis-full",
                      shown === null && "@max-4xl:hidden",
                    )}
                  >
                    {at === 0 ? (
                      <a
                        {...ROW}
                        href={href}
                        // A click anywhere on the row follows its link.
                        className="outline-none after:absolute after:inset-0 focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
                      >
                        {shown}
                      </a>
                    ) : (
                      shown
                    )}
                    {isNumber && shown !== null && (
                      <span className="text-soft @4xl:sr-only"> {header.toLowerCase()}</span>
                    )}
                  </span>
                );
              })}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function ColumnHead<Sort extends string>({
  header,
  sort,
  isNumber,
  sorting,
  onSort,
}: Pick<SortedColumn<unknown, Sort>, "header"> & {
  readonly sort: Sort | undefined;
  readonly isNumber: true | undefined;
} & Pick<Props<unknown, Sort>, "sorting" | "onSort">): ReactElement {
  const isSorted = sort !== undefined && sort === sorting.by;
  const Icon = sorting.order === "asc" ? ArrowUp : ArrowDown;
  const ordered = sorting.order === "asc" ? "ascending" : "descending";
  return (
    <span
      {...PART.head(isSorted ? ordered : undefined)}
      className={cx(
        "min-w-0",
        isNumber && "@4xl:text-end",
        sort === undefined && "@max-4xl:sr-only",
      )}
    >
      {sort === undefined ? (
        header
      ) : (
        <button
          type="button"
          className="inline-flex items-center gap-1 rounded font-medium hover:text-text max-lg:min-h-8"
          onClick={() =>
            onSort({ by: sort, order: isSorted && sorting.order === "desc" ? "asc" : "desc" })
          }
        >
          {header}
          {isSorted && <Icon className="size-3" aria-hidden="true" />}
        </button>
      )}
    </span>
  );
}
