import type { GatewayApi } from "../api/gateway.ts";
import { fittingLength, type TimeRange } from "./range.ts";

/**
 * Returns the range that charts cover: the range in the address, or else the shortest one that fits the calls.
 * @param filters the filters of the calls, without a time
 */
export async function fittedRange(
  api: GatewayApi,
  range: TimeRange,
  filters: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<TimeRange> {
  if (range.since !== "" || range.until !== "") return range;
  const timeOf = async (more: Readonly<Record<string, string>>): Promise<number | undefined> => {
    const { calls } = await api.get("listCalls", { ...filters, ...more, limit: "1" }, signal);
    return calls[0] && Date.parse(calls[0].time);
  };
  const now = Date.now();
  const oldest = await timeOf({ since: "24h", order: "asc" });
  const latest = oldest === undefined ? await timeOf({}) : undefined;
  return { since: fittingLength(now, oldest, latest), until: "" };
}
