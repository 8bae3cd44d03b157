import { type ReactElement, Suspense, useMemo } from "react";
import { lazyPart } from "../page/lazy-part.tsx";
import { ExternalText } from "../ui/external-text.tsx";
import { bucketLabel } from "./buckets.ts";
import { type Group, rolloutSeries } from "./rollout.ts";
import type { RolloutOverTime } from "./use-rollout.ts";

const Plot = lazyPart(() => import("./plot.tsx"));

interface Props {
  readonly found: RolloutOverTime;
  readonly by: Group;
}

/** Maximum number of groups drawn as lines: more would be indistinguishable. */
const MAX_LINES = 4;
/** In the same order as the colors in `plot.tsx`. */
const COLORS: readonly string[] = ["bg-bad", "bg-good", "bg-code-atom", "bg-warn"];

/** Shows the calls that strict would have blocked in each time step, as a plot and as figures. */
export function BlockedOverTime({ found, by }: Props): ReactElement {
  const { whole, unit, buckets, parts } = found;
  const labels = useMemo(
    () => buckets.map((bucket) => bucketLabel(bucket, unit, new Date())),
    [buckets, unit],
  );
  const values = useMemo(() => parts.map(({ would_block }) => would_block), [parts]);
  const series = useMemo(() => rolloutSeries(whole, parts, by, MAX_LINES), [whole, parts, by]);
  const lines = useMemo(() => series.map((each) => each.values), [series]);
  const most = Math.max(0, ...values);
  return (
    <>
      <div className="min-h-55">
        <Suspense fallback={<p role="status">Drawing …</p>}>
          <Plot
            labels={labels}
            values={values}
            lines={lines}
            description={`Calls that strict would have blocked over time, from ${labels[0]} to ${labels.at(-1)}, at most ${most}. The figures are below.`}
          />
        </Suspense>
      </div>
      {series.length > 0 && (
        <ul className="legend flex flex-wrap gap-x-4 text-[0.8125rem]">
          <li className="flex items-center gap-1.5">
            <span className="size-2 bg-edge" />
            calls
          </li>
          {series.map(({ label }, index) => (
            <li key={label} className="flex items-center gap-1.5">
              <span className={`size-2 rounded-full ${COLORS[index] ?? ""}`} />
              <ExternalText text={label} />
            </li>
          ))}
        </ul>
      )}
      <details>
        <summary className="cursor-pointer text-[0.8125rem] text-soft">Figures</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: without focus its end cannot be scrolled to with a keyboard */}
        <section className="relative overflow-x-auto" aria-label="Figures" tabIndex={0}>
          <table className="figures text-end tabular-nums [&_:is(th,td)]:px-3 [&_:is(th,td)]:py-1 [&_:is(th,td)]:text-end [&_tr]:border-t [&_tr]:border-line [&_th]:font-medium">
            <caption className="sr-only">Calls over time</caption>
            <thead>
              <tr>
                <th scope="col">From</th>
                <th scope="col">Calls</th>
                <th scope="col">Checked</th>
                <th scope="col">Would be blocked</th>
                {series.map(({ label }) => (
                  <th scope="col" key={label}>
                    <ExternalText text={label} />
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {parts.map(({ calls, checked, would_block }, index) => (
                <tr key={buckets[index]?.since.getTime()}>
                  <th scope="row">{labels[index]}</th>
                  <td>{calls.toLocaleString("en")}</td>
                  <td>{checked.toLocaleString("en")}</td>
                  <td>{would_block.toLocaleString("en")}</td>
                  {series.map((each) => (
                    <td key={each.label}>{(each.values[index] ?? 0).toLocaleString("en")}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </details>
    </>
  );
}
