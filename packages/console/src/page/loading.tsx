import type { ReactElement } from "react";

/** Something is on its way. It takes the room of a view, so that nothing below it moves when that comes. */
export function Loading({ what }: { readonly what: string }): ReactElement {
  return (
    <p role="status" className="min-h-[60vh] animate-pulse py-6 text-soft">
      Loading {what}…
    </p>
  );
}
