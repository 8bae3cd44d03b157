import type { ReactElement } from "react";

/** Shown while something loads. Takes up the space of a view, so that nothing below it moves afterward. */
export function Loading({ what }: { readonly what: string }): ReactElement {
  return (
    <p role="status" className="min-h-[60vh] animate-pulse py-6 text-soft">
      Loading {what}…
    </p>
  );
}
