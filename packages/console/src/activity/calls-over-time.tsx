import { type ReactElement, Suspense, useCallback, useEffect } from "react";
import type { GatewayApi } from "../api/gateway.ts";
import { CountedFrom } from "../chart/counted-from.tsx";
import { ErrorBoundary } from "../page/error-boundary.tsx";
import { lazyPart } from "../page/lazy-part.tsx";
import { AUTO_REFRESH_MS, useLoaded } from "../page/use-loaded.ts";
import { fittedRange } from "../time/fit.ts";
import type { TimeRange } from "../time/range.ts";
import { type CallBucket, refusedCount } from "./call.ts";
import { parametersOf, readFilters } from "./filter.ts";

const Histogram = lazyPart(() => import("./histogram.tsx"));

/** Number of time steps to request. */
const BUCKETS = "60";

/** Shows the number of calls over time, above their list. Takes up its space before it has loaded. */
export function CallsOverTime({
  api,
  query,
  isLive,
  onZoom,
  onFitted,
}: {
  readonly api: GatewayApi;
  /** The filters, as returned by `writeFilters`. */
  readonly query: string;
  readonly isLive: boolean;
  /** Called with a time that was selected, in milliseconds since 1970. */
  readonly onZoom: (since: number, until: number) => void;
  /** Called with the time that the chart covers. */
  readonly onFitted: (range: TimeRange) => void;
}): ReactElement {
  const ask = useCallback(
    async (signal: AbortSignal) => {
      const { since = "", until = "", ...filters } = parametersOf("calls", readFilters(query));
      const range = await fittedRange(api, { since, until }, filters, signal);
      const parameters = { ...filters, ...range, buckets: BUCKETS };
      const counts = await api.get("countCalls", parameters, signal);
      const buckets = counts.buckets.map(
        (each): CallBucket => ({
          ...each,
          time: Date.parse(each.time),
          refused: refusedCount(each),
        }),
      );
      return { range, step: counts.bucket_ms, buckets, countedFrom: counts.counted_from };
    },
    [api, query],
  );
  const key = ["calls", "histogram", query];
  const [{ value }] = useLoaded(ask, isLive ? AUTO_REFRESH_MS : undefined, key, true);
  const range = value?.range;
  useEffect(() => range && onFitted(range), [range, onFitted]);
  return (
    <>
      <div className="mb-3 min-h-39 rounded-lg border border-line bg-surface p-2">
        {value !== undefined && value.buckets.length > 0 && (
          <ErrorBoundary fallback={null}>
            <Suspense fallback={null}>
              <Histogram buckets={value.buckets} step={value.step} onBrush={onZoom} />
            </Suspense>
          </ErrorBoundary>
        )}
      </div>
      <CountedFrom time={value?.countedFrom ?? null} />
    </>
  );
}
