import { Tooltip as Base } from "@base-ui/react/tooltip";
import type { ReactElement } from "react";

/** Says more about an element while it is pointed at or has the focus. What it says must not be needed. */
export function Tooltip({
  text,
  children,
}: {
  readonly text: string;
  /** The element: it has to take the focus. */
  readonly children: ReactElement;
}): ReactElement {
  return (
    <Base.Root>
      <Base.Trigger render={children} />
      <Base.Portal>
        <Base.Positioner className="z-70" sideOffset={6}>
          <Base.Popup className="max-w-80 rounded-md bg-text px-2 py-1 text-xs text-page shadow-pop">
            {text}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
