import { Select as Base } from "@base-ui/react/select";
import { Check, ChevronsUpDown } from "lucide-react";
import type { ReactElement } from "react";
import { cx } from "./classes.ts";
import { POPUP, POSITIONER } from "./popup.tsx";

export interface SelectOption {
  readonly value: string;
  readonly label: string;
}

/** Selects one of a few values. */
export function Select({
  label,
  value,
  choices,
  onChange,
  disabled = false,
  className,
}: {
  /** Label for users who cannot see the surrounding text. */
  readonly label: string;
  readonly value: string;
  readonly choices: readonly SelectOption[];
  readonly onChange: (value: string) => void;
  readonly disabled?: boolean;
  readonly className?: string;
}): ReactElement {
  return (
    <Base.Root
      value={value}
      items={choices}
      disabled={disabled}
      onValueChange={(next) => next !== null && onChange(next)}
    >
      <Base.Trigger
        aria-label={label}
        className={cx(
          "inline-flex h-8 min-w-0 items-center justify-between gap-2 rounded-md border border-edge bg-raised px-2.5 max-lg:min-h-9",
          "hover:bg-hover disabled:opacity-50",
          className,
        )}
      >
        <Base.Value className="truncate" />
        <Base.Icon className="text-faint">
          <ChevronsUpDown className="size-3.5" aria-hidden="true" />
        </Base.Icon>
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner className={POSITIONER} sideOffset={4} alignItemWithTrigger={false}>
          <Base.Popup className={cx(POPUP, "max-h-(--available-height) overflow-auto p-1")}>
            {choices.map((choice) => (
              <Base.Item
                key={choice.value}
                value={choice.value}
                className="grid min-w-(--anchor-width) cursor-default grid-cols-[1rem_1fr] items-center gap-2 rounded px-2 py-1 outline-none select-none data-[highlighted]:bg-accent-soft data-[highlighted]:text-accent"
              >
                <Base.ItemIndicator className="col-start-1">
                  <Check className="size-4" aria-hidden="true" />
                </Base.ItemIndicator>
                <Base.ItemText className="col-start-2">{choice.label}</Base.ItemText>
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
