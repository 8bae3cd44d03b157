import { type ServerSummary, stillBlockingText } from "@touchstone/gateway/api";
import type { ReactElement } from "react";
import { TimeText } from "../page/time-text.tsx";

type StillBlocking = NonNullable<ServerSummary["stillBlocking"]>;

/** Shows that a server's checks are paused, and what still blocks. */
export function Paused({
  until,
  still,
}: {
  readonly until: string;
  readonly still: StillBlocking | undefined;
}): ReactElement {
  return (
    <span className="text-[0.8125rem] text-soft">
      Checks are paused until <TimeText time={until} />: strict checks only warn. {stillText(still)}
    </span>
  );
}

function stillText(still: StillBlocking | undefined): string {
  if (still === undefined) return "";
  const text = stillBlockingText(still, true);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
