import { type ReactElement, type ReactNode, type RefObject, useEffect, useRef } from "react";
import { LINK_CLASS } from "../ui/button.tsx";
import { useShortcut } from "../ui/shortcuts.ts";
import { hashOf, type PageName } from "./route.ts";

/**
 * Returns a ref for the heading of what was opened. Moves the focus there, so that users who follow a link hear and
 * see what is open and continue from there. The heading needs `tabIndex={-1}`.
 */
export function useOpenedHeading(): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
    // The list may be scrolled far down; a heading that is already visible does not move.
    heading.current?.scrollIntoView({ block: "nearest" });
  }, []);
  return heading;
}

/** The heading of what was opened on a page, after a link back to the list there. It gets the focus. */
export function OpenedHeading({
  page,
  query,
  list,
  children,
}: {
  readonly page: PageName;
  /** The parameters of the list. */
  readonly query?: string | undefined;
  /** The text of the link. */
  readonly list: string;
  readonly children: ReactNode;
}): ReactElement {
  const heading = useOpenedHeading();
  const back = hashOf(page, "", query);
  useShortcut({
    keys: "Escape",
    label: list,
    run: () => {
      location.hash = back;
    },
  });
  return (
    <>
      <a className={LINK_CLASS} href={back}>
        {list}
      </a>
      <h1 ref={heading} tabIndex={-1} className="mt-1 mb-2 text-xl font-semibold wrap-anywhere">
        {children}
      </h1>
    </>
  );
}
