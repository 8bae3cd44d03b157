import type { ActivityRecord, Call } from "@touchstone/gateway/api";
import { type ReactElement, useCallback } from "react";
import type { GatewayApi } from "../api/gateway.ts";
import { prettyJson } from "../json/tree.ts";
import { Failure } from "../page/failure.tsx";
import { hashOf } from "../page/route.ts";
import { useLoaded } from "../page/use-loaded.ts";
import { linesBeside } from "../text/line-diff.ts";
import { StateBadge } from "../ui/badge.tsx";
import { LINK_CLASS } from "../ui/button.tsx";
import { SideBySide } from "../ui/side-by-side.tsx";
import { bodyOf } from "./call.ts";
import { RowTime } from "./columns.tsx";

/** Shows the next call that passed next to a call that was stopped: their arguments, with the difference marked. */
export function NextPassed({
  api,
  records,
  passed,
  query,
}: {
  readonly api: GatewayApi;
  /** The records of the call that was stopped. */
  readonly records: readonly ActivityRecord[];
  readonly passed: Call;
  readonly query: string;
}): ReactElement {
  const { id } = passed;
  const ask = useCallback((signal: AbortSignal) => api.get("getCall", { id }, signal), [api, id]);
  const [{ value, error }, reload] = useLoaded(ask, undefined, ["call", id]);
  const before = bodyOf(records, "arguments");
  const after = value === undefined ? null : bodyOf(value.records, "arguments");
  const all = [...records, ...(value?.records ?? [])];
  const hasSecrets = all.some(({ redactions = 0 }) => redactions > 0);
  return (
    <>
      <p className="mb-2 flex flex-wrap items-center gap-x-3 gap-y-1">
        {passed.status !== null && <StateBadge state={passed.status} />}
        <a className={LINK_CLASS} href={hashOf("activity", id, query)}>
          <RowTime time={passed.time} />
        </a>
      </p>
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      {value === undefined && error === undefined && <p role="status">Loading the arguments…</p>}
      {value !== undefined &&
        (before === null || after === null ? (
          <p className="text-soft">
            {before === null && after === null
              ? "The arguments of both calls were not kept."
              : `The arguments of the ${before === null ? "stopped call" : "call that passed"} were not kept.`}{" "}
            To compare calls, keep the arguments of all of them: set <code>activity.bodies</code> to{" "}
            <code>true</code>.
          </p>
        ) : (
          <>
            <SideBySide
              labels={["Arguments of this call", "Arguments of the call that passed"]}
              rows={linesBeside(prettyJson(before), prettyJson(after))}
            />
            {before === after && (
              <p className="mt-2 text-soft">
                The recorded arguments are equal. Something else differed, such as a limit, a rule
                or an approval.
              </p>
            )}
            {hasSecrets && (
              <p className="mt-2 text-soft">
                Secrets are redacted: a difference in them does not show.
              </p>
            )}
          </>
        ))}
    </>
  );
}
