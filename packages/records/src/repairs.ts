import type { RepairKind } from "@touchstone/core/advanced";
import { repairsIn } from "./repair-text.ts";
import type { RepairCount } from "./response-schemas.ts";

/** Calls of one tool that had the same repairs. */
export interface RepairGroup {
  readonly server: string | null;
  readonly tool: string | null;
  readonly repairs: string;
  readonly calls: number;
}

/**
 * Counts repairs by tool, kind and place. A call with several at one place, such as in the items of an array, counts
 * once.
 */
export function countRepairs(rows: readonly RepairGroup[]): readonly RepairCount[] {
  const found = new Map<string, RepairCount>();
  for (const { server, tool, repairs, calls } of rows) {
    const places = repairsIn(repairs).map(({ kind, path }) =>
      JSON.stringify([server, tool, kind, path.replaceAll(/\/\d+(?=\/|$)/g, "/*")]),
    );
    for (const place of new Set(places)) {
      const [, , kind, path] = JSON.parse(place) as [unknown, unknown, RepairKind, string];
      const known = found.get(place)?.calls ?? 0;
      found.set(place, { server, tool, kind, path, calls: known + calls });
    }
  }
  const name = ({ server, tool, kind, path }: RepairCount): string =>
    [server, tool, kind, path].join("\n");
  return [...found.values()].sort((a, b) => b.calls - a.calls || (name(a) < name(b) ? -1 : 1));
}
