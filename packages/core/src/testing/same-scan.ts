import { isDeepStrictEqual } from "node:util";
import type { JsonScan } from "../json/range.ts";

/** Whether two scans found the same, the located members in the same order. */
export function same(a: Partial<JsonScan>, b: Partial<JsonScan>): boolean {
  return isDeepStrictEqual(plain(a), plain(b)) && isDeepStrictEqual(order(a), order(b));
}

/** The same with a map of members, whatever it was read from. */
function plain<Scan extends Partial<JsonScan>>(scan: Scan): Scan {
  return { ...scan, members: new Map(scan.members) };
}

/** The order of the located members, which the comparison of maps leaves out. */
function order({ members }: Partial<JsonScan>): readonly string[] {
  return [...(members?.keys() ?? [])];
}
