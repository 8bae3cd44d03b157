import type { ServerSummary } from "@touchstone/gateway/api";
import type { ReactElement } from "react";
import { When } from "../page/when.tsx";

type StillBlocking = NonNullable<ServerSummary["stillBlocking"]>;

/** Shows that a server's checks are paused, and what goes on blocking. */
export function Paused({
  until,
  still,
}: {
  readonly until: string;
  readonly still: StillBlocking | undefined;
}): ReactElement {
  return (
    <span className="text-[0.8125rem] text-soft">
      Checks are paused until <When time={until} />: strict checks only warn. {stillText(still)}
    </span>
  );
}

function stillText(still: StillBlocking | undefined): string {
  if (still === undefined) return "";
  const { policy, narrow, pin, limits } = still;
  const parts = [
    ...(policy > 0 ? ["policy"] : []),
    ...(narrow > 0 ? [`narrow of ${narrow} ${narrow === 1 ? "tool" : "tools"}`] : []),
    ...(pin > 0 ? ["pin"] : []),
    ...(limits > 0 ? [`${limits} ${limits === 1 ? "limit" : "limits"} of calls or results`] : []),
  ];
  return parts.length === 0
    ? "No policy, narrow, pin or limit of calls or results is set that would block."
    : `These still block: ${parts.join(", ")}.`;
}
