import { type RefObject, useEffect, useRef } from "react";

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
