import { Dialog as Base } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import type { ReactElement, ReactNode } from "react";
import { Button } from "./button.tsx";
import { cx } from "./classes.ts";
import { isDialogOpen } from "./cover.tsx";

interface Props {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: ReactNode;
  /** Shown next to the title, before the close button. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  /** Stays visible at the bottom. */
  readonly footer?: ReactNode;
  /** The name of the content, if nothing in it takes the focus: it then takes the focus itself, so that keys scroll it. */
  readonly region?: string;
  /** Returns the element that gets the focus after closing; by default, the element that had it before. */
  readonly finalFocus?: () => HTMLElement | null;
}

const BACKDROP =
  "fixed inset-0 z-40 bg-shade transition-opacity duration-150 data-[ending-style]:opacity-0 data-[starting-style]:opacity-0";

function Frame({
  open,
  onClose,
  title,
  actions,
  children,
  footer,
  region,
  finalFocus,
  className,
}: Props & { readonly className: string }): ReactElement {
  return (
    // A press on an element above the dialog does not count as a press outside of it.
    <Base.Root open={open} onOpenChange={(next) => !next && !isDialogOpen() && onClose()}>
      <Base.Portal>
        <Base.Backdrop className={BACKDROP} />
        <Base.Popup
          finalFocus={() => finalFocus?.() ?? true}
          className={cx(
            "fixed z-50 flex flex-col border-line bg-surface text-text shadow-pop outline-none",
            className,
          )}
        >
          <header className="flex shrink-0 items-center gap-2 border-b border-line px-4 py-2">
            <Base.Title className="min-w-0 flex-1 text-[0.9375rem] font-semibold">
              {title}
            </Base.Title>
            {actions}
            <Base.Close render={<Button variant="quiet" size="icon" aria-label="Close" />}>
              <X aria-hidden="true" />
            </Base.Close>
          </header>
          <div
            className="min-h-0 flex-1 overflow-auto overscroll-contain scroll-thin"
            {...(region !== undefined && { role: "region", "aria-label": region, tabIndex: 0 })}
          >
            {children}
          </div>
          {footer !== undefined && (
            <footer className="flex shrink-0 flex-wrap justify-end gap-2 border-t border-line px-4 py-3">
              {footer}
            </footer>
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/** A dialog in the middle of the page. Escape and the button close it; the focus then returns to where it was. */
export function Dialog(props: Props): ReactElement {
  return (
    <Frame
      {...props}
      className={cx(
        "inset-x-3 top-[8dvh] mx-auto max-w-2xl rounded-xl border",
        "max-h-[min(84dvh,calc(92dvh-var(--toasts)))]",
        "transition-all duration-150 data-[ending-style]:scale-97 data-[ending-style]:opacity-0",
        "data-[starting-style]:scale-97 data-[starting-style]:opacity-0",
      )}
    />
  );
}

/** A dialog at the side. It leaves the page visible on wide screens, and fills small ones. */
export function Sheet(props: Props): ReactElement {
  return (
    <Frame
      {...props}
      className={cx(
        "end-0 top-0 bottom-(--toasts) w-screen border-s lg:w-[min(76rem,calc(100vw-8rem))]",
        "transition-transform duration-200 data-[ending-style]:translate-x-full data-[starting-style]:translate-x-full",
      )}
    />
  );
}
