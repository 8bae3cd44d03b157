import type { ReactElement } from "react";
import type { GatewayApi } from "../api/gateway.ts";
import { Failure } from "../page/failure.tsx";
import { Notice } from "../page/notice.tsx";
import { Code } from "../ui/code.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { periodOf } from "./buckets.ts";
import { OffenceTable } from "./offence-table.tsx";
import { OverTime } from "./over-time.tsx";
import { GROUPS, type Group, type Rollout } from "./rollout.ts";
import { RolloutScopeBar } from "./scope-bar.tsx";
import { useRollout } from "./use-rollout.ts";
import "../style/gateway.css";

interface Props {
  readonly api: GatewayApi;
  /** The address's parameters: `period`, `by`, `server`, `tool`. */
  readonly query: string;
}

function Headline({ rollout }: { readonly rollout: Rollout }): ReactElement {
  const { calls, wouldBlock, otherMessages, leftOut } = rollout;
  if (calls + otherMessages === 0) {
    return (
      <Notice kind="plain">
        <p role="status">
          Nothing was recorded in this period that strict could have blocked or let pass.
        </p>
      </Notice>
    );
  }
  const messages = otherMessages === 1 ? "message" : "messages";
  const others =
    otherMessages === 0 ? "" : `, and ${otherMessages.toLocaleString("en")} other ${messages}`;
  return (
    <Notice kind={wouldBlock + otherMessages === 0 ? "good" : "warning"}>
      <p className="verdict" role="status">
        Strict would have blocked {wouldBlock.toLocaleString("en")} of {calls.toLocaleString("en")}{" "}
        {calls === 1 ? "call" : "calls"}
        {others}.
      </p>
      <p className="hint">
        Counted is what was recorded in mode warn and what no rule excuses that is set now. A call
        that broke several rules is in the line of each, and once in the total; put together by
        groups, each of its rules is a violation.
        {leftOut > 0 &&
          ` The lines leave out ${leftOut.toLocaleString("en")} rarer combinations of tool and rules.`}
      </p>
    </Notice>
  );
}

function Suggestion({ rollout, since }: { readonly rollout: Rollout; readonly since: Date }) {
  const { rules, left } = rollout;
  return (
    <>
      {rules !== undefined && (
        <section className="part" aria-label="Suggested rules">
          <h2>Rules that would let these pass</h2>
          <p className="hint">
            With these in <code>touchstone.json</code> strict lets them pass with a warning, tool by
            tool.
          </p>
          <Code label="Suggested rules as JSON" text={rules} />
          <CopyButton text={rules} what="rules" />
        </section>
      )}
      {left.length > 0 && (
        <section className="part" aria-label="Left over">
          <h2>What no rule excuses</h2>
          <OffenceTable offences={left} by="all" since={since} caption="What no rule excuses" />
        </section>
      )}
    </>
  );
}

function groupOf(text: string | null): Group {
  return GROUPS.find((group) => group === text) ?? "all";
}

/** What mode strict would block, before it is turned on. */
export default function RolloutPage({ api, query }: Props): ReactElement {
  const given = new URLSearchParams(query);
  const period = periodOf(given.get("period"));
  const by = groupOf(given.get("by"));
  const scope = { period, server: given.get("server") ?? "", tool: given.get("tool") ?? "" };
  const [{ value, error, isLoading }, reload] = useRollout(api, scope);
  return (
    <section aria-label="Rollout">
      <RolloutScopeBar scope={scope} by={by} />
      <div className="buttons">
        <button type="button" onClick={reload}>
          Reload
        </button>
        {isLoading && <span role="status">Counting …</span>}
      </div>
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      {value !== undefined && (
        <>
          <Headline rollout={value.whole} />
          <OverTime found={value} period={period} by={by} />
          {value.whole.offences.length > 0 && (
            <OffenceTable
              offences={value.whole.offences}
              by={by}
              since={value.since}
              caption="What strict would have blocked"
            />
          )}
          <Suggestion rollout={value.whole} since={value.since} />
        </>
      )}
    </section>
  );
}
