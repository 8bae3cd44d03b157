import type { ResponseOf } from "@touchstone/gateway/api";
import { Ban, Monitor } from "lucide-react";
import { type ReactElement, useCallback, useState } from "react";
import { usePermission } from "../access/rights.ts";
import { type GatewayApi, messageOf } from "../api/gateway.ts";
import { Failure } from "../page/failure.tsx";
import { ReloadButton } from "../page/header.tsx";
import { Loading } from "../page/loading.tsx";
import { OpenedHeading } from "../page/opened-heading.tsx";
import { TimeText } from "../page/time-text.tsx";
import { useLoaded } from "../page/use-loaded.ts";
import { visible } from "../text/visible.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty.tsx";
import { ExternalText } from "../ui/external-text.tsx";
import { showToast } from "../ui/toast.ts";
import { personName } from "./person-name.ts";

type Browser = ResponseOf<"listConsoleSessions">[number];

function Row({
  browser,
  onEnd,
}: {
  readonly browser: Browser;
  readonly onEnd: () => Promise<void>;
}): ReactElement {
  const { role, provider, created, seen, expires, current } = browser;
  const name = personName(browser);
  const [isEnding, setIsEnding] = useState(false);
  const may = usePermission("endConsoleSession");
  const end = async (): Promise<void> => {
    setIsEnding(true);
    await onEnd();
    setIsEnding(false);
  };
  return (
    <li className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1.5 border-t border-line px-4 py-2 first:border-t-0">
      <span className="min-w-0 flex-1 basis-52 wrap-anywhere">
        <span className="font-medium">
          <ExternalText text={name} />
        </span>{" "}
        <span className="text-soft">
          {role}
          {provider !== undefined && (
            <>
              , <ExternalText text={provider} />
            </>
          )}
        </span>
      </span>
      {current && <Badge tone="info">this browser</Badge>}
      <span className="text-soft">
        signed in <TimeText time={created} />, last seen <TimeText time={seen} />, until{" "}
        <TimeText time={expires} />
      </span>
      <Button
        size="sm"
        variant="danger"
        aria-label={`End the session of ${visible(name)}${current ? " in this browser" : ""}`}
        disabled={isEnding || !may.isOffered}
        onClick={() => may.run(() => void end())}
      >
        <Ban aria-hidden="true" />
        End
      </Button>
    </li>
  );
}

/** Lists the browsers that are signed in, and ends their sessions. */
export default function Browsers({ api }: { readonly api: GatewayApi }): ReactElement {
  const ask = useCallback(
    (signal: AbortSignal) => api.get("listConsoleSessions", {}, signal),
    [api],
  );
  const [{ value, error }, reload] = useLoaded(ask);
  const end = async ({ id, name, credential }: Browser): Promise<void> => {
    try {
      await api.remove("endConsoleSession", { id });
      showToast({ title: "Ended", text: `The session of ${personName({ name, credential })}` });
    } catch (thrown) {
      showToast({ kind: "bad", title: "Could not end it", text: messageOf(thrown) });
    }
    reload();
  };
  return (
    <section aria-label="Signed-in browsers">
      <OpenedHeading page="settings" list="All settings">
        Signed-in browsers
      </OpenedHeading>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <ReloadButton onClick={reload} />
      </div>
      <p className="mb-3 max-w-3xl text-soft">
        A session ends by itself when it expires, and with the next request if its key or role is
        removed. To end it now, end it here.
      </p>
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      {value === undefined && error === undefined && <Loading what="sessions" />}
      {value?.length === 0 && <EmptyState icon={Monitor} title="No browser is signed in." />}
      {value !== undefined && value.length > 0 && (
        <ul className="rounded-lg border border-line bg-surface">
          {value.map((browser) => (
            <Row key={browser.id} browser={browser} onEnd={() => end(browser)} />
          ))}
        </ul>
      )}
    </section>
  );
}
