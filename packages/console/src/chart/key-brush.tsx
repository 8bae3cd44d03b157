import { type KeyboardEvent, type ReactElement, useId, useState } from "react";

/**
 * Steps of a chart that were selected with keys: the first step, and the step up to which the selection was extended.
 */
interface Chosen {
  readonly from: number;
  readonly to: number;
}

/** Moves the selection within the steps. With Shift, extends the selection. */
export function moved(
  { key, shiftKey }: Pick<KeyboardEvent, "key" | "shiftKey">,
  chosen: Chosen | undefined,
  last: number,
): Chosen | undefined {
  const at = chosen?.to ?? last + 1;
  const steps = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last };
  const step = Object.hasOwn(steps, key) ? steps[key as keyof typeof steps] : undefined;
  if (step === undefined) return undefined;
  const to = Math.max(0, Math.min(last, step));
  return { from: shiftKey && chosen !== undefined ? chosen.from : to, to };
}

/** Lies over a chart, and selects its steps with keys instead of a mouse. */
export function KeyBrush({
  label,
  size,
  textOf,
  onShow,
  onZoom,
}: {
  readonly label: string;
  /** How many steps there are. */
  readonly size: number;
  /** Returns the values of some steps as a readable text. */
  readonly textOf: (first: number, last: number) => string;
  /** Called with the steps to mark; without arguments if no step is selected. */
  readonly onShow: (first?: number, last?: number) => void;
  readonly onZoom: (first: number, last: number) => void;
}): ReactElement {
  const [chosen, setChosen] = useState<Chosen>();
  const help = useId();
  const end = size - 1;
  const [first = end, last = end] = [chosen?.from ?? end, chosen?.to ?? end].toSorted(
    (a, b) => a - b,
  );
  const said = textOf(first, last);
  const choose = (next: Chosen | undefined): void => {
    setChosen(next);
    if (next === undefined) onShow();
    else onShow(Math.min(next.from, next.to), Math.max(next.from, next.to));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = moved(event, chosen, end);
    const isEnd = event.key === "Enter" || event.key === "Escape";
    if (next === undefined && !(isEnd && chosen !== undefined)) return;
    event.preventDefault();
    choose(next);
    if (event.key === "Enter") onZoom(first, last);
  };
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-describedby={help}
      aria-valuemin={0}
      aria-valuemax={end}
      aria-valuenow={chosen?.to ?? end}
      aria-valuetext={chosen === undefined ? "all" : said}
      className="pointer-events-none absolute inset-0 rounded"
      onKeyDown={onKeyDown}
      onBlur={() => choose(undefined)}
    >
      <span
        id={help}
        className="absolute start-0 top-0 hidden max-w-full rounded bg-raised px-1.5 text-xs text-soft shadow-pop group-has-focus-visible:block"
      >
        {chosen === undefined
          ? "Arrow keys select a time, Shift extends it, Enter shows only that time."
          : said}
      </span>
    </div>
  );
}
