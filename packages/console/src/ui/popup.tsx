import { Popover as Base } from "@base-ui/react/popover";
import type { ReactElement, ReactNode } from "react";
import { cx } from "./classes.ts";

/** The classes of popups: they appear above sheets and dialogs too, and above messages while they are open. */
export const POSITIONER = "z-80 outline-none";
export const POPUP: string = cx(
  "rounded-lg border border-line bg-raised text-text shadow-pop outline-none",
  "origin-(--transform-origin) transition-[opacity,scale] duration-100",
  "data-[ending-style]:opacity-0 data-[starting-style]:scale-97 data-[starting-style]:opacity-0",
);

/** A small box that opens next to its trigger. */
export function Popover({
  trigger,
  label,
  open,
  onOpenChange,
  children,
  className,
}: {
  /** A button whose text does not change the popup's meaning. */
  readonly trigger: ReactElement;
  readonly label: string;
  readonly open?: boolean;
  readonly onOpenChange?: (open: boolean) => void;
  readonly children: ReactNode;
  readonly className?: string;
}): ReactElement {
  return (
    <Base.Root
      {...(open === undefined ? {} : { open })}
      onOpenChange={(next) => onOpenChange?.(next)}
    >
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner className={POSITIONER} sideOffset={4} align="start">
          <Base.Popup aria-label={label} className={cx(POPUP, className)}>
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
