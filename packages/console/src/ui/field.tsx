import type { ComponentProps, ReactElement, ReactNode } from "react";
import { cx } from "./classes.ts";

const INPUT =
  "h-8 w-full min-w-0 rounded-md border border-edge bg-raised px-2.5 max-lg:min-h-9 aria-[invalid=true]:border-bad disabled:opacity-50";

/** A text field. It needs a label or an `aria-label`. */
export function Input({ className, ...props }: ComponentProps<"input">): ReactElement {
  return (
    <input autoComplete="off" spellCheck={false} {...props} className={cx(INPUT, className)} />
  );
}

/** A switch that takes effect at once. */
export function Toggle({
  checked,
  onChange,
  disabled = false,
  children,
}: {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly disabled?: boolean;
  readonly children: ReactNode;
}): ReactElement {
  return (
    <label className="inline-flex items-center gap-2 align-middle">
      <input
        type="checkbox"
        role="switch"
        checked={checked}
        aria-checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
        className={cx(
          "relative h-4.5 w-8 shrink-0 appearance-none rounded-full bg-edge transition-colors checked:bg-accent disabled:opacity-50",
          "before:absolute before:start-0.5 before:top-0.5 before:size-3.5 before:rounded-full before:bg-surface before:transition-transform checked:before:translate-x-3.5",
        )}
      />
      <span>{children}</span>
    </label>
  );
}
