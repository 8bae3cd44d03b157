import type { ReactElement, ReactNode } from "react";
import { cx } from "./classes.ts";
import { TONE_TEXT, type Tone } from "./tones.ts";

/** A section of a page with a heading and, next to it, actions. */
export function Card({
  title,
  actions,
  hint,
  flush = false,
  className,
  children,
}: {
  readonly title: string;
  readonly actions?: ReactNode;
  /** A sentence below the heading. */
  readonly hint?: ReactNode;
  /** Whether the content reaches to the edges, as a table does. */
  readonly flush?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}): ReactElement {
  return (
    <section
      aria-label={title}
      className={cx("min-w-0 rounded-lg border border-line bg-surface", className)}
    >
      <header className="flex flex-wrap items-start justify-between gap-x-3 gap-y-2.5 px-4 py-3">
        <div className="min-w-0">
          <h2 className="text-[0.9375rem] leading-5 font-semibold">{title}</h2>
          {hint !== undefined && <p className="text-[0.8125rem] text-soft">{hint}</p>}
        </div>
        {actions !== undefined && (
          // In the middle of the heading's line, whatever their height.
          <div className="-my-1.5 flex min-h-8 flex-wrap items-center gap-2">{actions}</div>
        )}
      </header>
      <div className={flush ? "border-t border-line" : "px-4 pb-4"}>{children}</div>
    </section>
  );
}

/** Shows one figure. With `href`, it links to what it counts. */
export function Stat({
  label,
  value,
  note,
  tone = "plain",
  href,
}: {
  readonly label: string;
  readonly value: string;
  readonly note?: string | undefined;
  readonly tone?: Tone;
  readonly href?: string | undefined;
}): ReactElement {
  const inside = (
    <>
      <span className="text-[0.8125rem] text-soft">{label}</span>
      <span
        className={cx(
          "text-2xl leading-8 font-semibold tracking-tight tabular-nums",
          tone === "plain" ? "text-text" : TONE_TEXT[tone],
        )}
      >
        {value}
      </span>
      <span className="min-h-4 text-xs leading-4 text-soft">{note}</span>
    </>
  );
  const box = "flex min-w-0 flex-col rounded-lg border border-line bg-surface px-4 py-3";
  if (href === undefined) return <div className={box}>{inside}</div>;
  return (
    <a href={href} className={cx(box, "transition-colors hover:border-edge hover:bg-hover")}>
      {inside}
    </a>
  );
}
