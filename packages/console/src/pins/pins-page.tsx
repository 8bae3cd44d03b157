import type { ShownPin as Pin } from "@touchstone/gateway/api";
import { Pin as PinIcon } from "lucide-react";
import { type ReactElement, useCallback } from "react";
import { usePermission } from "../access/rights.ts";
import type { GatewayApi } from "../api/gateway.ts";
import { Failure } from "../page/failure.tsx";
import { PageHeader, ReloadButton } from "../page/header.tsx";
import { Loading } from "../page/loading.tsx";
import type { PageProps } from "../page/page-props.ts";
import { hashOf } from "../page/route.ts";
import { TimeText } from "../page/time-text.tsx";
import { useLoaded } from "../page/use-loaded.ts";
import { visible } from "../text/visible.ts";
import { Badge, StateBadge } from "../ui/badge.tsx";
import { ButtonLink, LINK_CLASS } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { Code } from "../ui/code.tsx";
import { EmptyState } from "../ui/empty.tsx";
import { ExternalText } from "../ui/external-text.tsx";
import { LIST, ROW, useOpenedRow } from "../ui/list-keys.ts";
import { PinView, pinHash } from "./pin-view.tsx";
import { declarationLabel, groupByServer, type ServerPins } from "./pins.ts";

/** Maximum number of declarations that are shown for each state. */
const MAX_ROWS = 200;
const EXAMPLE = `"mcpServers": {
  "files": {
    "command": "…",
    "touchstone": { "pin": "strict", "lock": "first_use" }
  }
}`;

function Row({ pin }: { readonly pin: Pin }): ReactElement {
  return (
    <li className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1.5 border-t border-line px-4 py-2 first:border-t-0">
      <span className="min-w-0 flex-1 basis-52 wrap-anywhere">
        <a {...ROW} className={LINK_CLASS} href={pinHash(pin)}>
          <ExternalText text={declarationLabel(pin)} />
        </a>
      </span>
      {(pin.state === "held" || pin.state === "recorded") && (
        <Badge tone={pin.previous === null ? "info" : "warn"}>
          {pin.previous === null ? "new" : "changed"}
        </Badge>
      )}
      <StateBadge state={pin.state} />
      <span className="text-soft">
        <TimeText time={pin.decided ?? pin.since} />
        {pin.caller !== null && (
          <>
            {" "}
            by <ExternalText text={pin.caller} />
          </>
        )}
      </span>
      {pin.state !== "approved" && (
        <ButtonLink
          size="sm"
          href={pinHash(pin)}
          aria-label={visible(`Review ${declarationLabel(pin)} of ${pin.server}`)}
        >
          Review
        </ButtonLink>
      )}
    </li>
  );
}

function Rows({ pins }: { readonly pins: readonly Pin[] }) {
  return (
    <>
      <ul>
        {pins.slice(0, MAX_ROWS).map((pin) => (
          <Row key={JSON.stringify([pin.kind, pin.name, pin.hash])} pin={pin} />
        ))}
      </ul>
      {pins.length > MAX_ROWS && (
        <p className="border-t border-line px-4 py-2 text-soft">
          and {(pins.length - MAX_ROWS).toLocaleString("en")} more:{" "}
          <code className="font-mono">touchstone approve</code> lists them all
        </p>
      )}
    </>
  );
}

function count(pins: readonly Pin[], word: string): string {
  return `${pins.length.toLocaleString("en")} ${word}`;
}

function ServerCard({ of }: { readonly of: ServerPins }) {
  const { server, held, recorded, approved, revoked } = of;
  const hint = [
    count(held, "held"),
    count(approved, "approved"),
    count(revoked, "revoked"),
    ...(recorded.length > 0 ? [count(recorded, "recorded")] : []),
  ];
  return (
    <Card title={visible(server)} hint={hint.join(", ")} flush>
      {held.length > 0 && <Rows pins={held} />}
      {approved.length > 0 && (
        <details className="border-t border-line first:border-t-0" open={held.length === 0}>
          <summary className="px-4 py-2 font-medium">{count(approved, "approved")}</summary>
          <Rows pins={approved} />
        </details>
      )}
      {recorded.length > 0 && (
        <details className="border-t border-line first:border-t-0">
          <summary className="px-4 py-2 font-medium">
            {count(recorded, "recorded")}: not approved, and not held back
          </summary>
          <Rows pins={recorded} />
        </details>
      )}
      {revoked.length > 0 && (
        <details className="border-t border-line first:border-t-0">
          <summary className="px-4 py-2 font-medium">{count(revoked, "revoked")}</summary>
          <Rows pins={revoked} />
        </details>
      )}
    </Card>
  );
}

function Nothing(): ReactElement {
  return (
    <EmptyState icon={PinIcon} title="Nothing is pinned.">
      <p className="text-soft">
        With <code className="font-mono">pin</code>, a tool whose definition has changed since
        somebody approved it is left out of the list, and its calls are blocked, until you approve
        the change here. Add two lines to a server's entry:
      </p>
      <div className="w-full max-w-lg">
        <Code label="How to pin" text={EXAMPLE} copy="entry" />
      </div>
      <p className="text-soft">
        <code className="font-mono">first_use</code> approves what the server declares first;{" "}
        <code className="font-mono">"pin": "warn"</code> only records what strict would hold.
      </p>
    </EmptyState>
  );
}

function Cards({ pins }: { readonly pins: readonly Pin[] }): ReactElement {
  const list = useOpenedRow<HTMLDivElement>();
  return (
    <div ref={list} {...LIST} className="flex flex-col gap-3">
      {groupByServer(pins).map((of) => (
        <ServerCard key={of.server} of={of} />
      ))}
    </div>
  );
}

function PinList({ api, server }: { readonly api: GatewayApi; readonly server: string }) {
  const ask = useCallback(
    (signal: AbortSignal) => api.get("listPins", { server }, signal),
    [api, server],
  );
  const [{ value, error }, reload] = useLoaded(ask);
  const { reason } = usePermission("approvePin");
  return (
    <section aria-label="Pins">
      <PageHeader
        title="Pins"
        hint="What servers declare, and whether it is approved."
        actions={<ReloadButton onClick={reload} />}
      />
      {server !== "" && (
        <p className="mb-3 text-soft">
          Of <ExternalText text={server} />.{" "}
          <a className={LINK_CLASS} href={hashOf("pins")}>
            Show all
          </a>
        </p>
      )}
      {reason !== undefined && <p className="mb-3 text-soft">To approve and revoke: {reason}</p>}
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      {value === undefined && error === undefined && <Loading what="pins" />}
      {value?.length === 0 && <Nothing />}
      {value !== undefined && <Cards pins={value} />}
    </section>
  );
}

/** Shows what servers declare with its approvals, and the declaration that the address names. */
export default function PinsPage({ api, query }: PageProps): ReactElement {
  const given = new URLSearchParams(query);
  const [server, hash] = [given.get("server") ?? "", given.get("hash") ?? ""];
  if (server === "" || hash === "") return <PinList key={server} api={api} server={server} />;
  const item = { server, kind: given.get("kind") ?? "tool", name: given.get("name") ?? "", hash };
  return <PinView key={JSON.stringify(item)} api={api} item={item} />;
}
