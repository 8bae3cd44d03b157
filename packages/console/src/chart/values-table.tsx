import type { ReactElement } from "react";
import { localTime } from "../text/local-time.ts";
import type { ChartSeries } from "./series.ts";

/** Shows the values of a chart as a table: one row for each step with a value. */
export function ValuesTable({
  label,
  times,
  series,
  text,
}: {
  readonly label: string;
  /** When the steps begin. */
  readonly times: readonly number[];
  readonly series: readonly ChartSeries[];
  readonly text: (value: number) => string;
}): ReactElement {
  const rows = times
    .map((time, index) => ({ time, values: series.map(({ values }) => values[index] ?? null) }))
    .filter(({ values }) => values.some((value) => value !== null && value !== 0));
  return (
    <section
      aria-label={`Values: ${label}`}
      className="relative max-h-72 overflow-auto scroll-thin border-t border-line"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: without focus its end cannot be scrolled to with a keyboard
      tabIndex={0}
    >
      <table className="w-full text-end tabular-nums [&_:is(th,td)]:px-2 [&_:is(th,td)]:py-0.5 [&_:is(th,td)]:text-end [&_th]:font-medium [&_th]:whitespace-nowrap [&_tbody_tr]:border-t [&_tbody_tr]:border-line">
        <caption className="sr-only">{label}. Steps without a value are left out.</caption>
        <thead>
          <tr>
            <th scope="col">From</th>
            {series.map(({ name }) => (
              <th scope="col" key={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ time, values }) => (
            <tr key={time}>
              <th scope="row">{localTime(new Date(time).toISOString())}</th>
              {values.map((value, index) => (
                <td key={series[index]?.name}>{value === null ? "–" : text(value)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length === 0 && <p className="px-2 py-1 text-soft">No step has a value.</p>}
    </section>
  );
}
