import { type ReactElement, type ReactNode, useLayoutEffect, useRef } from "react";
import { createPortal } from "react-dom";

/** Returns whether a dialog covers the page: then nothing below it may react to keys or close. */
export const isDialogOpen = (): boolean => document.querySelector("dialog[open]") !== null;

/**
 * Covers the whole page, including its dialogs. What is below keeps its state, but cannot be seen, focused or
 * pressed. The focus returns to where it was.
 * @param onCancel called on Escape; without it, the cover stays
 */
export function Cover({
  label,
  onCancel,
  children,
}: {
  readonly label: string;
  readonly onCancel?: (() => void) | undefined;
  readonly children: ReactNode;
}): ReactElement {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const { current } = dialog;
    // Only a modal dialog is above everything else that may be open.
    current?.showModal();
    return () => current?.close();
  }, []);
  return createPortal(
    <dialog
      ref={dialog}
      aria-label={label}
      className="fixed inset-0 m-0 size-full max-h-none max-w-none overflow-y-auto bg-page text-text"
      onCancel={(event) => {
        event.preventDefault();
        onCancel?.();
      }}
      // A browser closes the dialog on a second Escape, even if the first one was handled.
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        onCancel?.();
      }}
    >
      {children}
    </dialog>,
    document.body,
  );
}
