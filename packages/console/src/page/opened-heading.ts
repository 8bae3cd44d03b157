import { type RefObject, useEffect, useRef } from "react";

/**
 * For the heading of what was opened: whoever came by a link hears what is open, sees it, and goes on
 * from there. It wants `tabIndex={-1}`.
 */
export function useOpenedHeading(): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
    // The list may have been scrolled far down; what is in sight already stays where it is.
    heading.current?.scrollIntoView({ block: "nearest" });
  }, []);
  return heading;
}
