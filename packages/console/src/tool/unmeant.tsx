import type { ReactElement } from "react";

/** How many issues a list leaves out, since they are of branches of unions that were not meant. */
export function Unmeant({ count }: { readonly count: number }): ReactElement | null {
  if (count === 0) return null;
  return (
    <p className="hint">
      Not listed: {count === 1 ? "1 issue" : `${count} issues`} of alternatives that the value is
      further from.
    </p>
  );
}
