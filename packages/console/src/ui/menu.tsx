import { Menu as Base } from "@base-ui/react/menu";
import type { ReactElement, ReactNode } from "react";
import { cx } from "./classes.ts";
import { POPUP, POSITIONER } from "./popup.tsx";

/** A button that opens a list of actions. */
export function Menu({
  trigger,
  heading,
  children,
}: {
  readonly trigger: ReactElement;
  /** Shown above the actions. */
  readonly heading?: ReactNode;
  /** {@link MenuItem}s. */
  readonly children: ReactNode;
}): ReactElement {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner className={POSITIONER} sideOffset={4} align="end">
          <Base.Popup className={cx(POPUP, "min-w-48 p-1")}>
            {heading !== undefined && <div className="mb-1 border-b border-line">{heading}</div>}
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

const ITEM =
  "flex cursor-default items-center gap-2 rounded px-2 py-1.5 outline-none select-none data-[disabled]:opacity-50 data-[highlighted]:bg-accent-soft data-[highlighted]:text-accent [&_svg]:size-4 [&_svg]:text-faint";

/** An action, or a link if it has an `href`. */
export function MenuItem({
  onSelect,
  href,
  disabled = false,
  children,
}: {
  readonly onSelect?: () => void;
  readonly href?: string;
  readonly disabled?: boolean;
  readonly children: ReactNode;
}): ReactElement {
  if (href !== undefined) {
    return (
      <Base.LinkItem href={href} className={ITEM} closeOnClick>
        {children}
      </Base.LinkItem>
    );
  }
  return (
    <Base.Item className={ITEM} disabled={disabled} onClick={() => onSelect?.()}>
      {children}
    </Base.Item>
  );
}
