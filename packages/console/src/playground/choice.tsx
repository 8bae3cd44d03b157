import { type ReactElement, useId } from "react";
import { cx } from "../ui/classes.ts";

/** A list to choose one value from, as the browser shows it. */
export function Choice({
  label,
  value,
  choices,
  className,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly { readonly value: string; readonly label: string }[];
  readonly className?: string;
  readonly onChange: (value: string) => void;
}): ReactElement {
  const id = useId();
  return (
    <div className={cx("flex min-w-0 flex-col gap-1", className)}>
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      <select
        id={id}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className="h-8 w-full min-w-0 rounded-md border border-edge bg-raised px-2.5 max-lg:min-h-9"
      >
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
    </div>
  );
}
