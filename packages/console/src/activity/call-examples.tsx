import type { Call } from "@touchstone/gateway/api";
import type { ReactElement } from "react";
import { hashOf } from "../page/route.ts";
import { TimeText } from "../page/time-text.tsx";
import { StateBadge } from "../ui/badge.tsx";
import { LINK_CLASS } from "../ui/button.tsx";
import { ExternalText } from "../ui/external-text.tsx";

const MOST_CHARACTERS = 300;

/** Lists calls with what was wrong with them, each with a link to Activity under the filters of `query`. */
export function CallExamples({
  calls,
  query,
}: {
  readonly calls: readonly Call[];
  readonly query: string;
}): ReactElement {
  return (
    <ul className="flex flex-col gap-2">
      {calls.map(({ id, time, status, issue }) => (
        <li key={id} className="min-w-0">
          <a className={LINK_CLASS} href={hashOf("activity", id, query)}>
            <TimeText time={time} />
          </a>{" "}
          {status !== null && <StateBadge state={status} />}
          {issue !== null && (
            <p className="text-soft wrap-anywhere">
              <ExternalText text={issue.slice(0, MOST_CHARACTERS)} />
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}
