import { type ReactElement, Suspense, useCallback } from "react";
import { type GatewayApi, numberOf, queryOf, readList, textOf } from "../api/gateway.ts";
import { isObject } from "../json/object.ts";
import { ErrorBoundary } from "../page/error-boundary.tsx";
import { lazily } from "../page/lazily.tsx";
import { useLoaded } from "../page/use-loaded.ts";
import type { Bucket } from "./call.ts";
import { type Filters, readFilters } from "./filter.ts";
import { parametersOf } from "./rows.ts";

const Histogram = lazily(() => import("./histogram.tsx"));

/** Number of time steps to request. */
const BUCKETS = "60";
/** How often to refresh while calls are followed, in milliseconds. */
const REFRESH_MS = 10_000;

interface Counts {
  readonly step: number;
  readonly buckets: readonly Bucket[];
}

function readBucket(item: unknown): Bucket | undefined {
  const time = Date.parse(textOf(item, "time") ?? "");
  if (Number.isNaN(time)) return undefined;
  const count = (name: string): number => numberOf(item, name) ?? 0;
  return {
    time,
    success: count("success"),
    warning: count("warning"),
    repaired: count("repaired"),
    blocked: count("blocked"),
    error: count("error"),
    rejected: count("rejected"),
  };
}

/** Reads the response of `GET /api/v1/calls/histogram`; undefined if it is invalid. */
function readCounts(answer: unknown): Counts | undefined {
  const step = numberOf(answer, "bucket_ms");
  const buckets = isObject(answer) ? readList(answer["buckets"], readBucket) : undefined;
  return step === null || buckets === undefined ? undefined : { step, buckets };
}

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
      return readCounts(
        await api.get(`calls/histogram${queryOf({ ...parameters, buckets: BUCKETS })}`, signal),
      );
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
