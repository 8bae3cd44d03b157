import { type ReactElement, Suspense, useCallback } from "react";
import type { GatewayApi } from "../api/gateway.ts";
import { ErrorBoundary } from "../page/error-boundary.tsx";
import { lazily } from "../page/lazily.tsx";
import { useLoaded } from "../page/use-loaded.ts";
import { type Bucket, refusedOf } from "./call.ts";
import { type Filters, readFilters } from "./filter.ts";
import { parametersOf } from "./rows.ts";

const Histogram = lazily(() => import("./histogram.tsx"));

/** Number of time steps to request. */
const BUCKETS = "60";
/** How often to refresh while calls are followed, in milliseconds. */
const REFRESH_MS = 10_000;

/** Shows the number of calls over time, above their list. Takes up its space before it has loaded. */
export function CallsOverTime({
  api,
  query,
  isLive,
  onFilters,
}: {
  readonly api: GatewayApi;
  /** The filters, as returned by `writeFilters`. */
  readonly query: string;
  readonly isLive: boolean;
  readonly onFilters: (filters: Filters) => void;
}): ReactElement {
  const ask = useCallback(
    async (signal: AbortSignal) => {
      const parameters = parametersOf("calls", readFilters(query));
      const counts = await api.get("countCalls", { ...parameters, buckets: BUCKETS }, signal);
      const buckets = counts.buckets.map(
        (each): Bucket => ({
          ...each,
          time: Date.parse(each.time),
          refused: refusedOf(each),
        }),
      );
      return { step: counts.bucket_ms, buckets };
    },
    [api, query],
  );
  const key = ["calls", "histogram", query];
  const [{ value }] = useLoaded(ask, isLive ? REFRESH_MS : undefined, key, true);
  const zoom = (since: number, until: number): void =>
    onFilters({
      ...readFilters(query),
      since: new Date(since).toISOString(),
      until: new Date(until).toISOString(),
    });
  return (
    <div className="mb-3 h-25 rounded-lg border border-line bg-surface p-2">
      {value !== undefined && value.buckets.length > 0 && (
        <ErrorBoundary fallback={null}>
          <Suspense fallback={null}>
            <Histogram buckets={value.buckets} step={value.step} onBrush={zoom} />
          </Suspense>
        </ErrorBoundary>
      )}
    </div>
  );
}
