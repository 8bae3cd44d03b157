import type { ReactElement } from "react";
import { TimeText } from "../page/time-text.tsx";

/** Shows the time from which calls were counted, if there were too many to count them all. */
export function CountedFrom({ time }: { readonly time: string | null }): ReactElement | null {
  if (time === null) return null;
  return (
    <p className="mb-3 text-soft">
      There are too many calls to count them all here: these are from <TimeText time={time} /> on.
    </p>
  );
}
