import type { ReactElement } from "react";

const HEIGHT = 20;
const STEP = 4;

/**
 * Draws the number of calls in each part of a time range. The numbers are next to the drawing, so it has no text.
 * Draws nothing for a single part, which has no trend.
 */
export function Sparkline({ counts }: { readonly counts: readonly number[] }): ReactElement | null {
  if (counts.length < 2) return null;
  const most = Math.max(1, ...counts);
  return (
    <svg
      viewBox={`0 0 ${Math.max(1, counts.length) * STEP} ${HEIGHT}`}
      className="h-5 w-24 text-accent"
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {counts.map((count, at) => {
        const height = count === 0 ? 1 : Math.max(2, (HEIGHT * count) / most);
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place in time
            key={at}
            x={at * STEP}
            y={HEIGHT - height}
            width={STEP - 1}
            height={height}
            className={count === 0 ? "fill-current opacity-25" : "fill-current"}
          />
        );
      })}
    </svg>
  );
}
