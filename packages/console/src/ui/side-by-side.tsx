import type { ReactElement } from "react";
import type { Beside } from "../text/line-diff.ts";
import { cx } from "./classes.ts";
import { CODE_BOX_CLASS } from "./code.tsx";
import { ExternalText } from "./external-text.tsx";

/**
 * Two texts next to each other, line by line; on small screens, one below the other. Lines that differ have a mark
 * before them, so that colors are not needed.
 */
export function SideBySide({
  labels: [before, after],
  rows,
}: {
  readonly labels: readonly [before: string, after: string];
  readonly rows: Beside;
}): ReactElement {
  const sides = [
    { label: before, at: 0, mark: "-", look: "bg-bad-soft text-bad" },
    { label: after, at: 1, mark: "+", look: "bg-good-soft text-good" },
  ] as const;
  return (
    <div className="grid grid-cols-1 gap-3 md:grid-cols-2">
      {sides.map(({ label, at, mark, look }) => (
        <div key={label} className="min-w-0">
          <p className="mb-1 text-[0.8125rem] text-soft">{label}</p>
          <section
            className={cx(CODE_BOX_CLASS, "px-0")}
            aria-label={label}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: without focus its end cannot be scrolled to with a keyboard
            tabIndex={0}
          >
            {rows.map((row, index) => {
              const text = row[at];
              const isSame = row[0] === row[1];
              // Keeps the lines after it aligned with each other.
              const isGap = text === null;
              const tone = isGap ? "max-md:hidden" : !isSame && look;
              return (
                // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name
                <div key={index} className={cx("px-3", tone)}>
                  {isGap ? "\u00a0" : <ExternalText text={`${isSame ? " " : mark}${text}`} />}
                </div>
              );
            })}
          </section>
        </div>
      ))}
    </div>
  );
}
