import type { Delivery, ShownAlert } from "@touchstone/gateway/api";
import { BellRing, Send } from "lucide-react";
import { type ReactElement, useCallback, useState } from "react";
import { usePermission } from "../access/rights.ts";
import { type GatewayApi, messageOf } from "../api/gateway.ts";
import { Failure } from "../page/failure.tsx";
import { ReloadButton } from "../page/header.tsx";
import { Loading } from "../page/loading.tsx";
import { OpenedHeading } from "../page/opened-heading.tsx";
import { TimeText } from "../page/time-text.tsx";
import { useLoaded } from "../page/use-loaded.ts";
import { REFRESH_MS } from "../servers/refresh.ts";
import { durationText, spanText } from "../text/duration.ts";
import { visible } from "../text/visible.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty.tsx";
import { ExternalText } from "../ui/external-text.tsx";
import { showToast } from "../ui/toast.ts";

const EVENTS: Readonly<Record<string, string>> = {
  blocked: "A call is blocked",
  server_failed: "A server fails",
  call_error: "A call ends with an error",
  schema_change: "A schema changes",
};

/** Returns how a delivery ended, in a few words. */
export function endText({ sent, status, exitCode, durationMs, reason }: Delivery): string {
  const end =
    status !== undefined ? `HTTP ${status}` : exitCode === undefined ? "" : `exit ${exitCode}`;
  const parts = [end, durationText(durationMs), sent ? "" : (reason ?? "")];
  return parts.filter((part) => part !== "").join(", ");
}

/** Returns which records an alert is about, for people. */
export function aboutText({ when, server, tool }: ShownAlert): string {
  const event = Object.hasOwn(EVENTS, when) ? EVENTS[when] : when;
  const of = [server, tool].filter((name) => name !== undefined);
  return of.length === 0 ? `${event}` : `${event}: ${of.join(" / ")}`;
}

function countsText({ sent, failed, suppressed, dropped, waiting }: ShownAlert): string {
  const parts = [
    [sent, "sent"],
    [failed, "failed"],
    [suppressed, "suppressed"],
    [dropped, "dropped"],
    [waiting, "waiting"],
  ] as const;
  return parts
    .filter(([count], at) => count > 0 || at < 2)
    .map(([count, word]) => `${count.toLocaleString("en")} ${word}`)
    .join(", ");
}

function End({
  label,
  delivery,
}: {
  readonly label: string;
  readonly delivery: Delivery;
}): ReactElement {
  return (
    <p className="min-w-0 text-[0.8125rem] wrap-anywhere text-soft">
      {label} <TimeText time={delivery.time} />:{" "}
      <span className={delivery.sent ? "text-good" : "text-bad"}>
        {delivery.sent ? "delivered" : "not delivered"}
      </span>
      {delivery.test && " (test)"}, <ExternalText text={endText(delivery)} />
    </p>
  );
}

function Row({
  alert,
  onTest,
}: {
  readonly alert: ShownAlert;
  readonly onTest: () => Promise<void>;
}): ReactElement {
  const { to, place, signed, minInterval, since, last, lastFailure } = alert;
  const [isSending, setIsSending] = useState(false);
  const may = usePermission("testAlert");
  const about = aboutText(alert);
  const send = async (): Promise<void> => {
    setIsSending(true);
    await onTest();
    setIsSending(false);
  };
  return (
    <li className="flex min-w-0 flex-wrap items-start gap-x-4 gap-y-2 border-t border-line px-4 py-3 first:border-t-0">
      <div className="flex min-w-0 flex-1 basis-72 flex-col gap-1">
        <p className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 font-medium wrap-anywhere">
          <ExternalText text={about} />
          <Badge>{to}</Badge>
          {signed && <Badge tone="info">signed</Badge>}
        </p>
        <p className="min-w-0 wrap-anywhere">
          <code className="font-mono text-[0.8125rem]">
            <ExternalText text={place} />
          </code>
        </p>
        <p className="text-[0.8125rem] text-soft">
          {countsText(alert)} since <TimeText time={since} />
          {minInterval > 0 && <>; at most one in {spanText(minInterval)}</>}
        </p>
        <div role="status">{last !== null && <End label="Last" delivery={last} />}</div>
        {lastFailure !== null && lastFailure.time !== last?.time && (
          <End label="Last failure" delivery={lastFailure} />
        )}
      </div>
      <Button
        size="sm"
        aria-label={`Send test: ${visible(about)}, to ${visible(place)}`}
        disabled={isSending || !may.isOffered}
        title={may.reason}
        onClick={() => may.run(() => void send())}
      >
        <Send aria-hidden="true" />
        Send test
      </Button>
    </li>
  );
}

/** Lists the entries of `alerts`, how their deliveries went, and sends tests. */
export default function Alerts({ api }: { readonly api: GatewayApi }): ReactElement {
  const ask = useCallback((signal: AbortSignal) => api.get("listAlerts", {}, signal), [api]);
  const [{ value, error }, reload] = useLoaded(ask, REFRESH_MS);
  const test = async ({ id }: ShownAlert): Promise<void> => {
    try {
      await api.send("testAlert", { id }, {});
    } catch (thrown) {
      showToast({ kind: "bad", title: "The test was not sent", text: messageOf(thrown) });
    }
    reload();
  };
  return (
    <section aria-label="Alerts">
      <OpenedHeading page="settings" list="All settings">
        Alerts
      </OpenedHeading>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <ReloadButton onClick={reload} />
      </div>
      <p className="mb-3 max-w-3xl text-soft">
        <code className="font-mono">alerts</code> in the configuration file says which records are
        sent, and where. A test goes once to the configured receiver, and is marked as a test. The
        counts are of this gateway; wrapped servers send their own alerts.
      </p>
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      {value === undefined && error === undefined && <Loading what="alerts" />}
      {value?.length === 0 && (
        <EmptyState icon={BellRing} title="No alerts are configured.">
          <p className="text-soft">
            Add <code className="font-mono">alerts</code> to the configuration file to get a message
            when a call is blocked or a server fails.
          </p>
        </EmptyState>
      )}
      {value !== undefined && value.length > 0 && (
        <ul className="rounded-lg border border-line bg-surface">
          {value.map((alert) => (
            <Row key={alert.id} alert={alert} onTest={() => test(alert)} />
          ))}
        </ul>
      )}
    </section>
  );
}
