import type { RolloutOffence } from "@touchstone/gateway/api";
import type { ReactElement } from "react";
import { writeFilters } from "../activity/filter.ts";
import { hashOf } from "../page/route.ts";
import { visible } from "../text/visible.ts";
import { LINK_CLASS } from "../ui/button.tsx";
import { cx } from "../ui/classes.ts";
import { ExternalText } from "../ui/external-text.tsx";
import { LIST, ROW } from "../ui/list-keys.ts";
import { type Group, groupOffences, type OffenceGroup } from "./rollout.ts";

interface Props {
  readonly offences: readonly RolloutOffence[];
  readonly by: Group;
  readonly since: Date;
  readonly caption: string;
}

type Column = "server" | "tool" | "direction" | "rule";
const COLUMNS: Readonly<Record<Group, readonly Column[]>> = {
  all: ["server", "tool", "direction", "rule"],
  server: ["server"],
  tool: ["server", "tool"],
  rule: ["rule"],
  direction: ["direction"],
};
const NAMES: ReadonlySet<Column> = new Set(["server", "tool"]);
const HEADS: Readonly<Record<Column, string>> = {
  server: "Server",
  tool: "Tool",
  direction: "Direction",
  rule: "Rule",
};
const HEAD = "px-4 py-1.5 text-start font-medium";
const CELL = "px-4 py-1.5 align-top";
/** Maximum number of rows shown. */
const MAX_ROWS = 200;

/** Links to the records behind an offence: warnings, and what strict blocked. Records cannot be filtered by rule. */
function recordsOf({ server, tool, direction }: OffenceGroup, since: Date): string {
  const filters = {
    type: "policy_decision",
    decision: "warning,blocked",
    since: since.toISOString(),
    ...(server === null ? {} : { server }),
    ...(tool === null ? {} : { tool }),
    ...(direction === null ? {} : { direction }),
  };
  return hashOf("activity", "", writeFilters(filters));
}

/** Shows what strict would have blocked, with links to the records. */
export function OffenceTable({ offences, by, since, caption }: Props): ReactElement {
  const groups = groupOffences(offences, by);
  const columns = COLUMNS[by];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without focus its end cannot be scrolled to with a keyboard
    <section className="relative overflow-x-auto" aria-label={caption} tabIndex={0}>
      <table className="w-full min-w-lg wrap-normal">
        <caption className="sr-only">{caption}</caption>
        <thead className="text-[0.8125rem] text-soft">
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col" className={HEAD}>
                {HEADS[column]}
              </th>
            ))}
            <th scope="col" className={`${HEAD} text-end!`}>
              {by === "all" ? "Calls" : "Violations"}
            </th>
            <th scope="col" className={HEAD}>
              Records
            </th>
          </tr>
        </thead>
        <tbody {...LIST}>
          {groups.slice(0, MAX_ROWS).map((offence) => (
            <tr key={JSON.stringify(Object.values(offence))} className="border-t border-line">
              {columns.map((column) => (
                <td
                  key={column}
                  className={cx(CELL, NAMES.has(column) && "min-w-36 max-w-96 wrap-anywhere")}
                >
                  <ExternalText text={offence[column] ?? "–"} />
                </td>
              ))}
              <td className={`${CELL} text-end tabular-nums`}>
                {offence.calls.toLocaleString("en")}
              </td>
              <td className={CELL}>
                <a
                  {...ROW}
                  className={LINK_CLASS}
                  href={recordsOf(offence, since)}
                  aria-label={visible(
                    `Show records of ${columns.map((each) => offence[each] ?? "–").join(", ")}`,
                  )}
                >
                  Show
                </a>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {groups.length > MAX_ROWS && (
        <p className="px-4 py-2 text-soft">and {groups.length - MAX_ROWS} more</p>
      )}
    </section>
  );
}
