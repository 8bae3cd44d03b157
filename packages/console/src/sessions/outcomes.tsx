import type { ReactElement } from "react";
import { StateBadge } from "../ui/badge.tsx";

/** Numbers of calls by outcome. */
const STATES = [
  "blocked",
  "warning",
  "error",
  "denied",
  "held",
  "out_of_bounds",
  "limited",
] as const;

/** Shows the nonzero counts of calls that did not go well as badges; null if there are none. */
export function Outcomes({
  counts,
}: {
  readonly counts: Readonly<Record<(typeof STATES)[number], number>>;
}): ReactElement | null {
  if (STATES.every((state) => counts[state] === 0)) return null;
  return (
    <span className="flex flex-wrap gap-1.5">
      {STATES.map(
        (state) =>
          counts[state] > 0 && (
            <span key={state} className="inline-flex items-center gap-1 tabular-nums">
              <StateBadge state={state} />
              {counts[state].toLocaleString("en")}
            </span>
          ),
      )}
    </span>
  );
}
