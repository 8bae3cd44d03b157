import { isDeepStrictEqual } from "node:util";
import type { JsonScan } from "../json/range.ts";

/** Returns whether two scans have the same result, with the located members in the same order. */
export function same(a: Partial<JsonScan>, b: Partial<JsonScan>): boolean {
  return isDeepStrictEqual(plain(a), plain(b)) && isDeepStrictEqual(order(a), order(b));
}

/** Returns the same result with a plain map of members, whatever kind of map it had. */
function plain<Scan extends Partial<JsonScan>>(scan: Scan): Scan {
  return { ...scan, members: new Map(scan.members) };
}

/** The order of the located members, which a comparison of maps ignores. */
function order({ members }: Partial<JsonScan>): readonly string[] {
  return [...(members?.keys() ?? [])];
}
