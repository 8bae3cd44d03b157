import type { RepairReport } from "@touchstone/gateway/api";
import { Wrench } from "lucide-react";
import { type ReactElement, useCallback } from "react";
import { writeFilters } from "../activity/filter.ts";
import { serverToolName } from "../activity/record.ts";
import { Failure } from "../page/failure.tsx";
import { PageHeader, ReloadButton } from "../page/header.tsx";
import { chooseTime } from "../page/kept-time.ts";
import { Loading } from "../page/loading.tsx";
import type { PageProps } from "../page/page-props.ts";
import { hashOf } from "../page/route.ts";
import { TimeControl } from "../page/time-control.tsx";
import { AUTO_REFRESH_MS, useLoaded } from "../page/use-loaded.ts";
import { fittedRange } from "../time/fit.ts";
import { readTime, type TimeRange } from "../time/range.ts";
import { LINK_CLASS } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { EmptyState } from "../ui/empty.tsx";
import { ExternalText } from "../ui/external-text.tsx";
import { LIST, ROW, useOpenedRow } from "../ui/list-keys.ts";

/** Maximum number of rows shown. */
const MAX_ROWS = 300;
const HEAD = ["Tool", "Repair", "Where", "Calls"] as const;

function Table({
  repairs: { repairs, repairs_left_out: leftOut },
  range,
}: {
  readonly repairs: RepairReport;
  readonly range: TimeRange;
}): ReactElement {
  const list = useOpenedRow<HTMLTableSectionElement>();
  const hidden = Math.max(0, repairs.length - MAX_ROWS) + leftOut;
  return (
    <Card title="What was repaired" flush>
      <section
        className="relative overflow-x-auto scroll-thin"
        aria-label="Table of repairs"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: without focus it cannot be scrolled with a keyboard
        tabIndex={0}
      >
        <table className="w-full border-collapse">
          <thead className="wrap-normal text-xs text-soft">
            <tr>
              {HEAD.map((title) => (
                <th
                  key={title}
                  scope="col"
                  className={`px-4 py-1.5 font-medium ${title === "Calls" ? "text-end" : "text-start"}`}
                >
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody ref={list} {...LIST}>
            {repairs.slice(0, MAX_ROWS).map(({ server, tool, kind, path, calls }) => {
              const filters = { server: server ?? "", tool: tool ?? "", ...range };
              return (
                <tr
                  key={JSON.stringify([server, tool, kind, path])}
                  className="border-t border-line align-top"
                >
                  <th scope="row" className="min-w-40 px-4 py-1.5 text-start font-normal">
                    <a
                      {...ROW}
                      className={LINK_CLASS}
                      href={hashOf(
                        "activity",
                        "",
                        writeFilters({ ...filters, decision: "repaired" }),
                      )}
                    >
                      <ExternalText text={serverToolName({ server, tool })} />
                    </a>
                  </th>
                  <td className="px-4 py-1.5 whitespace-nowrap">
                    <ExternalText text={kind} />
                  </td>
                  <td className="min-w-32 px-4 py-1.5 wrap-anywhere">
                    <code className="font-mono text-[0.8125rem]">
                      <ExternalText text={path === "" ? "(the whole)" : path} />
                    </code>
                  </td>
                  <td className="px-4 py-1.5 text-end tabular-nums">
                    {calls.toLocaleString("en")}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
        {hidden > 0 && (
          <p className="border-t border-line px-4 py-2 text-soft">
            and {hidden.toLocaleString("en")} more
          </p>
        )}
      </section>
    </Card>
  );
}

/** Shows which arguments were repaired, how often, and what would make the repair unnecessary. */
export default function RepairsPage({ api, query }: PageProps): ReactElement {
  const { since, until } = readTime(query);
  const ask = useCallback(
    async (signal: AbortSignal) => {
      const range = await fittedRange(api, { since, until }, {}, signal);
      return { range, report: await api.get("getRepairs", { ...range }, signal) };
    },
    [api, since, until],
  );
  const [{ value: loaded, error }, reload] = useLoaded(ask, AUTO_REFRESH_MS, [
    "repairs",
    since,
    until,
  ]);
  const value = loaded?.report;
  return (
    <section aria-label="Repairs">
      <PageHeader
        title="Repairs"
        hint="Arguments that the gateway made valid before it sent them on."
        actions={
          <>
            <TimeControl
              range={{ since, until }}
              fitted={loaded?.range}
              onChange={(range) => chooseTime("repairs", query, range)}
            />
            <ReloadButton onClick={reload} />
          </>
        }
      />
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      {value === undefined && error === undefined && <Loading what="repairs" />}
      {value?.repairs.length === 0 && (
        <EmptyState icon={Wrench} title="Nothing was repaired.">
          <p className="text-soft">
            <code className="font-mono">input_validation.repair</code> makes wrong arguments valid
            instead of blocking the call. It is off unless you set it.
          </p>
        </EmptyState>
      )}
      {loaded !== undefined && value !== undefined && value.repairs.length > 0 && (
        <div className="flex flex-col gap-3">
          <p role="status" className="text-soft">
            {value.repaired.toLocaleString("en")} of {value.calls.toLocaleString("en")}{" "}
            {value.calls === 1 ? "call was" : "calls were"} repaired.
          </p>
          <Table repairs={value} range={loaded.range} />
          <Card title="What you can change" hint="To avoid these repairs">
            <dl className="flex flex-col gap-2">
              {Object.entries(value.hints).map(([kind, hint]) => (
                <div key={kind}>
                  <dt className="font-medium">
                    <ExternalText text={kind} />
                  </dt>
                  <dd className="text-soft">
                    <ExternalText text={hint} />
                  </dd>
                </div>
              ))}
            </dl>
          </Card>
        </div>
      )}
    </section>
  );
}
