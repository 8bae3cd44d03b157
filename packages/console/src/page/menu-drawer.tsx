import { Dialog } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import type { ReactElement, ReactNode } from "react";
import { Button } from "../ui/button.tsx";

/** The menu of small screens: what the sidebar has on wide ones. The focus returns to where it was. */
export default function MenuDrawer({
  title,
  onClose,
  children,
}: {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}): ReactElement {
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-shade" />
        <Dialog.Popup className="fixed top-0 bottom-(--toasts) start-0 z-50 flex w-72 max-w-[85vw] flex-col gap-4 overflow-y-auto border-e border-line bg-surface p-3 shadow-pop outline-none">
          <div className="flex items-center justify-between gap-2">
            <Dialog.Title className="min-w-0 truncate font-semibold">{title}</Dialog.Title>
            <Dialog.Close
              render={<Button variant="quiet" size="icon" aria-label="Close the menu" />}
            >
              <X aria-hidden="true" />
            </Dialog.Close>
          </div>
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
