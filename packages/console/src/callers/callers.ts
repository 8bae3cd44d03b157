import { type CallerRow, limitTexts, type ShownCaller } from "@touchstone/gateway/api";

/** Returns a share in whole percent; below one, `<1%`. */
export function percentText(part: number, whole: number): string {
  const percent = whole === 0 ? 0 : (part / whole) * 100;
  return part > 0 && percent < 1 ? "<1%" : `${Math.round(percent)}%`;
}

/**
 * Returns what is known of the limits of a caller: `12 of 60 calls per minute`. For a caller that has no key with its
 * name, only the calls of the last minute are known; calls without a caller have no limits per caller.
 * @param known the callers with keys in the configuration, by name
 */
export function limitsText(
  { caller, calls_last_minute }: Pick<CallerRow, "caller" | "calls_last_minute">,
  known: ReadonlyMap<string, ShownCaller>,
): string {
  if (caller === null) return "no limits for a caller";
  const calls = calls_last_minute ?? 0;
  const own = known.get(caller);
  if (own === undefined) return `${calls} in the last minute`;
  const { callsPerMinute: limit } = own;
  const used =
    limit === undefined
      ? `${calls} in the last minute, no limit of calls`
      : `${calls} of ${limit} calls per minute`;
  return [used, ...limitTexts({ ...own, callsPerMinute: undefined })].join("; ");
}
