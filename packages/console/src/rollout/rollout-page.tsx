import type { Rollout } from "@touchstone/gateway/api";
import { CheckCheck } from "lucide-react";
import { type ReactElement, useCallback, useState } from "react";
import { usePermission } from "../access/rights.ts";
import type { GatewayApi } from "../api/gateway.ts";
import { type EditAction, EditDialog } from "../page/edit-dialog.tsx";
import { Failure } from "../page/failure.tsx";
import { PageHeader, ReloadButton } from "../page/header.tsx";
import { chooseTime } from "../page/kept-time.ts";
import { Loading } from "../page/loading.tsx";
import { Notice } from "../page/notice.tsx";
import { TimeControl } from "../page/time-control.tsx";
import { between, readTime, type TimeRange } from "../time/range.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { cx } from "../ui/classes.ts";
import { Code } from "../ui/code.tsx";
import { ROLLOUT_RANGE } from "./buckets.ts";
import { OffenceTable } from "./offence-table.tsx";
import { BlockedOverTime } from "./over-time.tsx";
import { ReadinessTable } from "./readiness-table.tsx";
import { GROUPS, type Group, rulesOf } from "./rollout.ts";
import { RolloutScopeBar } from "./scope-bar.tsx";
import { useRollout } from "./use-rollout.ts";

interface Props {
  readonly api: GatewayApi;
  /** The URL parameters: `since`, `until`, `by`, `server`, `tool`. */
  readonly query: string;
}

function callsText(count: number): string {
  return `${count.toLocaleString("en")} ${count === 1 ? "call" : "calls"}`;
}

function Headline({ rollout }: { readonly rollout: Rollout }): ReactElement {
  const { calls, checked, would_block: wouldBlock } = rollout;
  const { not_checked: notChecked, not_known: notKnown, other_settings: otherSettings } = rollout;
  const { other_messages: otherMessages, offences_left_out: leftOut, excused } = rollout;
  if (calls + otherMessages === 0) {
    return (
      <Notice kind="plain">
        <p role="status">
          Nothing was recorded in this period that strict could have blocked or forwarded.
        </p>
      </Notice>
    );
  }
  const isProved = checked > 0 && notChecked + notKnown + otherSettings === 0;
  const messages = otherMessages === 1 ? "message" : "messages";
  const others =
    otherMessages === 0 ? "" : `, and ${otherMessages.toLocaleString("en")} other ${messages}`;
  return (
    <Notice kind={wouldBlock + otherMessages > 0 ? "warning" : isProved ? "good" : "plain"}>
      <p className="font-semibold" role="status">
        Strict {excused > 0 && "blocked or "}would have blocked {wouldBlock.toLocaleString("en")} of{" "}
        {checked.toLocaleString("en")} checked {checked === 1 ? "call" : "calls"}
        {others}.
        {excused > 0 && ` The current settings allow ${excused.toLocaleString("en")} of these.`}
        {notChecked > 0 && ` Not checked: ${callsText(notChecked)}.`}
        {otherSettings > 0 && ` Checked with other settings: ${callsText(otherSettings)}.`}
        {notKnown > 0 && ` Unknown: ${callsText(notKnown)}.`}
      </p>
      <p className="text-[0.8125rem] text-soft">
        Based on calls that were checked in warn or strict. Warnings that current rules allow are
        left out; what strict blocked is always counted. A call that breaks several rules is listed
        under each rule, but counted once in the total.
        {leftOut > 0 &&
          ` ${leftOut.toLocaleString("en")} rarer combinations of tool and rules are not listed.`}
      </p>
    </Notice>
  );
}

function Suggestion({
  api,
  rollout,
  since,
  onChanged,
}: {
  readonly api: GatewayApi;
  readonly rollout: Rollout;
  readonly since: Date;
  readonly onChanged: () => void;
}): ReactElement {
  const rules = rulesOf(rollout);
  const { left = [] } = rollout.suggestion ?? {};
  const [action, setAction] = useState<EditAction>();
  const may = usePermission("editConfig");
  return (
    <>
      {rules !== undefined && (
        <Card
          title="Suggested rules"
          hint="With these rules in touchstone.json, strict forwards the listed calls with a warning."
          actions={
            <Button
              size="sm"
              variant="primary"
              disabled={!may.isOffered}
              title={may.reason}
              onClick={() => may.run(() => setAction({ kind: "rules", mcpServers: rules }))}
            >
              <CheckCheck aria-hidden="true" />
              Apply these rules
            </Button>
          }
        >
          <Code
            label="Suggested rules as JSON"
            text={JSON.stringify({ mcpServers: rules }, null, 2)}
            copy="rules"
          />
        </Card>
      )}
      {action !== undefined && (
        <EditDialog
          api={api}
          title="Apply these rules"
          action={action}
          onClose={() => setAction(undefined)}
          onWritten={onChanged}
        />
      )}
      {left.length > 0 && (
        <Card
          flush
          title="Not covered by rules"
          hint="No rule can allow these: fix the client or the server."
        >
          <OffenceTable offences={left} by="all" since={since} caption="What no rule allows" />
        </Card>
      )}
    </>
  );
}

function groupOf(text: string | null): Group {
  return GROUPS.find((group) => group === text) ?? "all";
}

/** Shows what strict mode would block, tool by tool, with a switch to turn it on. */
export default function RolloutPage({ api, query }: Props): ReactElement {
  const given = new URLSearchParams(query);
  const by = groupOf(given.get("by"));
  const range = readTime(query);
  const scope = { range, server: given.get("server") ?? "", tool: given.get("tool") ?? "" };
  const [{ value, error, isLoading }, reload] = useRollout(api, scope);
  const choose = (next: TimeRange): void => chooseTime("rollout", query, next);
  const [isSettled, setIsSettled] = useState(false);
  const settle = useCallback(() => setIsSettled(true), []);
  return (
    <section aria-label="Rollout">
      <PageHeader
        title="Rollout"
        hint="Tools that you can switch to strict, according to the records."
        actions={
          <>
            <TimeControl range={range} fitted={ROLLOUT_RANGE} onChange={choose} />
            <ReloadButton onClick={reload} />
          </>
        }
      />
      <RolloutScopeBar scope={scope} by={by} />
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      {value === undefined && isLoading && <Loading what="records" />}
      {value !== undefined && (
        <div className="flex flex-col gap-4">
          <Headline rollout={value.whole} />
          <ReadinessTable
            api={api}
            scope={scope}
            since={value.since}
            rollout={value.whole}
            onKnown={settle}
            onChanged={reload}
          />
          {/* The table above would move it when it comes. */}
          <div className={cx("flex flex-col gap-4", !isSettled && "invisible")}>
            <Card title="Over time">
              <BlockedOverTime
                found={value}
                by={by}
                onZoom={(since, until) => choose(between(since, until))}
              />
            </Card>
            {value.whole.offences.length > 0 && (
              <Card flush title="Violations">
                <OffenceTable
                  offences={value.whole.offences}
                  by={by}
                  since={value.since}
                  caption="What strict would have blocked"
                />
              </Card>
            )}
            <Suggestion api={api} rollout={value.whole} since={value.since} onChanged={reload} />
          </div>
        </div>
      )}
    </section>
  );
}
